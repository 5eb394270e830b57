#include "app/control/script.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>

#include "app/capture/source_text.h"
#include "app/control/settings_file.h"
#include "app/support/exit_code.h"
#include "app/support/text.h"

namespace app::script {
namespace {

using nlohmann::json;

constexpr std::string_view keys[] = {"set", "frames", "seconds", "do", "get", "to"};
constexpr std::span<const std::string_view> verbs(keys, 5);
constexpr double longest_wait = 1e6;  // seconds

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

// A value as it was written; of a long one the beginning.
std::string shown(const json& value) {
  constexpr std::size_t most = 60;
  const auto text = value.dump();
  return text.size() <= most ? text : value.dump(-1, ' ', true).substr(0, most) + "...";  // in ASCII, which can be cut
}

json object_in(std::string_view line) {
  const std::string example = "; a line is like {\"frames\": 30}";
  json object;
  if (line.size() >= longest_line) refuse("it is longer than 1 MiB" + example);
  try {
    object = json_from(line);
  } catch (const std::invalid_argument& error) {
    refuse(error.what() + example);
  }
  if (!object.is_object()) refuse("it is not a JSON object" + example);
  return object;
}

Set set_of(const json& value) {
  if (!value.is_object()) refuse("set takes an object of settings: {\"set\": {\"effect\": \"haar\"}}");
  Set set;
  for (const auto& [path, member] : value.items()) {
    auto text = text_from_json(member);
    if (!text) refuse(path + " takes one value: text, a number, true or false");
    set.changes.push_back({path, std::move(*text)});
  }
  return set;
}

Frames frames_of(const json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0)
    refuse("frames takes a whole number from 1, not " + shown(value));
  return {value.get<std::uint64_t>()};
}

Seconds seconds_of(const json& value) {
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= longest_wait))
    refuse("seconds takes a number from 0 to 1000000, not " + shown(value));
  return {value.get<double>()};
}

// {"do": "seek", "to": 3.5} is "seek 3.5".
Do seek_to(const json& value) {
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= longest_wait))
    refuse("seek goes \"to\" a number of seconds from 0 to 1000000, not " + shown(value));
  Do command(Action::seek);
  command.number = value.get<double>();
  return command;
}

Do do_of(const json& object) {
  const auto& line = object.at("do");
  if (!line.is_string()) refuse("do takes a command, not " + shown(line));
  const auto text = line.get<std::string>();
  const auto to = object.find("to");
  if (text.find('\0') != text.npos) refuse("do takes a command without NUL");
  if (to == object.end()) return parse_command(text);
  if (text == info(Action::seek).name) return seek_to(*to);
  const auto command = parse_command(text);
  if (!command.to.empty()) refuse("the file is named twice: leave out \"to\"");
  if (!info(command.action).writes()) refuse(std::string(info(command.action).name) + " writes no file: leave out \"to\"");
  if (!to->is_string() || to->get<std::string>().empty() || to->get<std::string>().find('\0') != std::string::npos)
    refuse("to takes the path of a file, not " + shown(*to));
  return saved_to(command.action, to->get<std::string>());
}

Get get_of(const json& value) {
  const auto wrong = [&] { refuse("get takes a list of names: {\"get\": [\"fps\", \"effect\"]}, not " + shown(value)); };
  if (!value.is_array() || value.empty()) wrong();
  Get get;
  for (const auto& path : value) {
    if (!path.is_string()) wrong();
    get.paths.push_back(path.get<std::string>());
  }
  return get;
}

}  // namespace

Step parse(std::string_view line) try {
  const auto object = object_in(line);
  std::string verb;
  for (const auto& [key, value] : object.items()) {
    if (key == "to") continue;
    if (std::ranges::find(verbs, key) == verbs.end())
      refuse("no '" + key + "' in scripts: a line has " + or_list(verbs) + did_you_mean(key, keys));
    if (!verb.empty()) refuse("a line has one of " + or_list(verbs) + ", not " + verb + " and " + key);
    verb = key;
  }
  constexpr auto to_alone = "\"to\" belongs to do: {\"do\": \"screenshot\", \"to\": \"a.png\"}";
  if (verb.empty() && object.contains("to")) refuse(to_alone);
  if (verb.empty()) refuse("an empty JSON object: a line has " + or_list(verbs));
  if (verb == "do") return do_of(object);
  if (object.contains("to")) refuse(to_alone);
  if (verb == "set") return set_of(object.at("set"));
  if (verb == "get") return get_of(object.at("get"));
  return verb == "frames" ? Step(frames_of(object.at("frames"))) : Step(seconds_of(object.at("seconds")));
} catch (const json::exception& error) {  // from dump(), if text is not UTF-8
  refuse(error.what());
} catch (const std::invalid_argument& error) {  // which may quote a line end: "do": "a\nb"
  refuse(capture::one_line(error.what()));
}

namespace {

// A pipe that nobody writes to yet is opened at once, too.
int open_script(const std::string& path) {
  if (path == "-") {
    if (const int mode = ::fcntl(STDIN_FILENO, F_GETFL); mode >= 0 && (mode & O_ACCMODE) != O_WRONLY) return STDIN_FILENO;
    throw ExitError(ExitCode::usage, "--script: the standard input is closed; name a file of JSON lines");
  }
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file >= 0 && ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(file);
    errno = EISDIR;
  } else if (file >= 0) {
    return file;
  }
  throw ExitError(ExitCode::usage, "--script: cannot read '" + path + "': " + std::strerror(errno) +
                                       "; name a file of JSON lines, or -, the standard input");
}

}  // namespace

Input::Input(const std::string& path) : file_(open_script(path)) {}

Input::~Input() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

std::optional<std::string> Input::next() {
  if (skips_) skip();
  if (skips_) return {};
  auto end = buffer_.find('\n');
  while (end == buffer_.npos && !ended_ && buffer_.size() < longest_line) {
    const auto before = buffer_.size();
    read();
    if (buffer_.size() == before) break;
    end = buffer_.find('\n', before);
  }
  const bool last = end == buffer_.npos && ((ended_ && !buffer_.empty()) || buffer_.size() >= longest_line);
  if (end == buffer_.npos && !last) return {};
  skips_ = end == buffer_.npos && !ended_;
  auto line = buffer_.substr(0, end);
  const auto taken = last ? buffer_.size() : end + 1;
  buffer_.erase(0, taken);
  seen_ -= std::min(seen_, taken);
  return line;
}

void Input::wait(std::chrono::microseconds patience) {
  if (ended() || (!skips_ && buffer_.find('\n') != buffer_.npos)) return;
  pollfd waiting{file_, POLLIN, 0};
  ::poll(&waiting, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(patience).count()));
}

// The rest of a line that was too long, as far as it is there: it does not count as another line. A line without an end stops
// nothing else.
void Input::skip() {
  for (int reads = 0; reads < 16; ++reads) {
    const auto end = buffer_.find('\n');
    skips_ = end == buffer_.npos && !ended_;
    buffer_.erase(0, end == buffer_.npos ? end : end + 1);
    if (!skips_) return;
    read();
    if (buffer_.empty() && !ended_) return;
  }
}

std::vector<std::string> Input::take_ahead() {
  if (skips_) return {};
  std::vector<std::string> lines;
  for (auto end = buffer_.find('\n', seen_); end != buffer_.npos; end = buffer_.find('\n', seen_)) {
    lines.push_back(buffer_.substr(seen_, end - seen_));
    seen_ = end + 1;
  }
  return lines;
}

// Reads what is there. To read more of the standard input could block, and it must not be made non-blocking: it is shared
// with other processes.
void Input::read() {
  pollfd waiting{file_, POLLIN, 0};
  if (::poll(&waiting, 1, 0) <= 0 || waiting.revents == 0) return;
  char bytes[1 << 16];
  const auto count = ::read(file_, bytes, sizeof bytes);
  if (count > 0)
    buffer_.append(bytes, static_cast<std::size_t>(count));
  else if (count == 0 || (errno != EAGAIN && errno != EINTR))
    ended_ = true;
}

}  // namespace app::script
