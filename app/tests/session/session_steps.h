// What tests do with a session: step until something holds, and read what it said.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "app/session/session.h"

namespace app {

// On the CPU.
inline Settings host_settings(const std::string& source) {
  Settings settings;
  settings.device = DeviceChoice::host;
  settings.source = source;
  return settings;
}

// False where it does not hold within a minute.
template <class Holds>
bool step_until(Session& session, const Holds& holds) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!holds() && std::chrono::steady_clock::now() < end) session.step(5ms);
  return holds();
}

inline bool said(Session& session, std::string_view part) {
  for (const auto& message : session.messages().age(0))
    if (message.text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace app
