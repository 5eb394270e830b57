#include "app/session/messages.h"

#include <algorithm>
#include <cstdio>

#include "app/capture/source_text.h"

namespace app {

void Messages::say(Kind kind, std::string text) {
  text = capture::one_line(text);
  const auto same = std::find_if(messages_.begin(), messages_.end(), [&](const auto& m) { return m.text == text; });
  if (same != messages_.end()) {
    same->age = 0;
    return;
  }
  if (kind != Kind::info) std::fprintf(stderr, "satscope: %s\n", text.c_str());
  messages_.push_back({kind, std::move(text), 0});
}

const std::vector<ui::Message>& Messages::age(double seconds) {
  for (auto& message : messages_) message.age += seconds;
  std::erase_if(messages_, [](const auto& m) { return m.age > ui::message_seconds(m.kind); });
  return messages_;
}

}  // namespace app
