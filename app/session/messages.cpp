#include "app/session/messages.h"

#include <algorithm>
#include <utility>

#include "app/capture/source_text.h"
#include "app/control/key_table.h"
#include "app/support/console.h"
#include "app/support/text.h"

namespace app {

std::string shown_text(std::string_view text) {
  constexpr std::size_t most = 500, most_of_word = 60;
  std::string shown;
  for (std::size_t at = 0; at < text.size() && shown.size() <= most;) {
    const auto end = std::min(text.find(' ', at), text.size());
    shown += both_ends(text.substr(at, end - at), most_of_word);
    if (end < text.size()) shown += ' ';
    at = end + 1;
  }
  return shown.size() <= most ? shown : std::string(beginning_of(shown, most)) + "...";
}

std::string for_window(std::string text) {
  constexpr std::string_view command = "`satscope list cameras`";
  const auto at = text.find(command);
  return at == text.npos ? text : text.replace(at, command.size(), "the list of sources");
}

double message_seconds(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::info: return 5;
    case Message::Kind::warning: return 9;
    case Message::Kind::error: return 15;
  }
  return 5;
}

void Messages::say(Kind kind, std::string text) {
  if (show(kind, std::move(text)) && kind != Kind::info) tell(messages_.back().text);
}

bool Messages::show(Kind kind, std::string text) {
  text = capture::one_line(text);
  const auto same = std::find_if(messages_.begin(), messages_.end(), [&](const auto& m) { return m.text == text; });
  if (same != messages_.end()) {
    same->age = 0;
    return false;
  }
  messages_.push_back({kind, std::move(text), 0});
  return true;
}

void Messages::saved(const std::string& file, const std::string& more) {
  if (show(Kind::info, "Saved " + file + more)) messages_.back().file = file;
}

bool Messages::say_once(std::string_view about, Kind kind, const std::string& text, std::string_view cause) {
  if (!is_new(about, text.empty() || cause.empty() ? text : cause)) return false;
  say(kind, text);
  return true;
}

bool Messages::is_new(std::string_view about, std::string_view cause) {
  const auto known = causes_.find(about);
  if (cause.empty()) {
    if (known != causes_.end()) causes_.erase(known);
    return false;
  }
  if (known != causes_.end() && known->second == cause) return false;
  causes_.insert_or_assign(std::string(about), std::string(cause));
  return true;
}

bool Messages::knows(std::string_view about, std::string_view cause) const {
  const auto known = causes_.find(about);
  return known != causes_.end() && known->second == cause;
}

void Messages::fail(Rank rank, ExitCode code) {
  if (code == ExitCode::ok || (exit_code_ != ExitCode::ok && rank <= rank_)) return;
  rank_ = rank;
  exit_code_ = code;
}

const std::vector<Message>& Messages::age(double seconds) {
  for (auto& message : messages_) message.age += seconds;
  std::erase_if(messages_, [](const auto& m) { return m.age > message_seconds(m.kind); });
  return messages_;
}

void say_if_no_gpu(Messages& messages, const Settings& settings, const gpu::GpuProbe& probe) {
  if (probe.gpu || settings.device != DeviceChoice::automatic) return;
  messages.info("no CUDA device: the CPU computes; " + labels("cycle device") + " runs the CUDA kernels simulated");
}

}  // namespace app
