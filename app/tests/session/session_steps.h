// What tests do with a session: step until something holds, and read what it said; and the parts of one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "app/control/change.h"
#include "app/session/session.h"
#include "app/tests/capture/fake_source.h"

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

// A session that somebody attends, on the CPU, which has shown its first picture.
class ShownSession : public Session {
 public:
  explicit ShownSession(
      const Settings& settings, const app::Run& run = {}, PictureSink sink = [](auto&, auto&) {})
      : Session(settings, {{}, "no driver"}, run, true, std::move(sink)) {
    EXPECT_TRUE(step_until(*this, [&] { return pictures() > 0; })) << "no picture came";
  }
  explicit ShownSession(const std::string& source) : ShownSession(host_settings(source)) {}
};

inline bool said(Messages& messages, std::string_view part) {
  return std::ranges::any_of(messages.age(0), [&](const auto& message) { return message.text.find(part) != part.npos; });
}
inline bool said(Session& session, std::string_view part) { return said(session.messages(), part); }

// Turns of the loop until so many more pictures are on the screen, made with `effect` where one is named.
inline void show(Session& session, int pictures, std::string_view effect = {}) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (pictures > 0 && std::chrono::steady_clock::now() < end) {
    session.log().begin_turn();
    if (!session.step(5ms)) continue;
    session.log().drawn();
    pictures -= effect.empty() || session.engine().selection().effect->name == effect;
  }
  EXPECT_EQ(pictures, 0) << "they did not come in time";
}

// The parts of a session, without one.
struct SessionParts {
  explicit SessionParts(const Settings& chosen, const app::Run& asked = {}) : run(asked), settings(chosen) {}

  static constexpr auto pause = std::chrono::milliseconds(5);

  // Makes pictures until that holds; false where it does not within some seconds.
  template <class Holds>
  bool show_until(const Holds& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds() && std::chrono::steady_clock::now() < end) {
      if (!engine.busy()) {
        saver.save_pictures();
        transport.follow();
        if (engine.is_ready(settings, pause)) maker.begin(transport.take(pause), outputs.wants_picture(), false, saver);
      }
      maker.show(pause, saver);
      outputs.hold(transport.feed());
      outputs.update();
    }
    return holds();
  }
  bool shows_source() {
    return show_until([&] { return !engine.busy() && maker.has_picture_of_source(); });
  }
  void finish_files() {
    while (!outputs.finish(pause)) continue;
  }
  void change(const Change& one) { apply(settings, one); }

  PictureSink sink;
  app::Run run;
  Settings settings;
  Messages messages;
  capture::WaitForThreads wait;  // after the transport's end
  Transport transport{run, settings, engine, false, outputs, messages};
  Engine engine{{{}, "no driver"}};
  PictureMaker maker{run, settings, engine, transport, messages, [this](gpu::Context& context, const Picture& picture) {
                       if (sink) sink(context, picture);
                     }};
  TraceRunner trace{settings, engine};
  Outputs outputs{run, settings, messages};
  RaceRunner race{run, settings, engine, messages, [](auto&) { return false; }};
  Saver saver{run, settings, engine, transport, maker, race, trace, outputs, messages};
};

}  // namespace app
