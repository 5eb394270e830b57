#include "app/session/script_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/control/script.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"

namespace app {
namespace {

// A pipe that nobody writes to yet is opened at once, too.
int open_script(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
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

ScriptInput::ScriptInput(const std::string& path) : file_(open_script(path)) {}

ScriptInput::~ScriptInput() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

std::optional<std::string> ScriptInput::next() {
  auto end = buffer_.find('\n');
  while (end == buffer_.npos && !ended_ && buffer_.size() < script::longest_line) {
    const auto before = buffer_.size();
    read();
    if (buffer_.size() == before) break;
    end = buffer_.find('\n', before);
  }
  const bool last = end == buffer_.npos && ((ended_ && !buffer_.empty()) || buffer_.size() >= script::longest_line);
  if (end == buffer_.npos && !last) return {};
  auto line = buffer_.substr(0, end);
  const auto taken = last ? buffer_.size() : end + 1;
  buffer_.erase(0, taken);
  seen_ -= std::min(seen_, taken);
  return line;
}

std::vector<std::string> ScriptInput::take_ahead() {
  std::vector<std::string> lines;
  for (auto end = buffer_.find('\n', seen_); end != buffer_.npos; end = buffer_.find('\n', seen_)) {
    lines.push_back(buffer_.substr(seen_, end - seen_));
    seen_ = end + 1;
  }
  return lines;
}

// Reads what is there. To read more of the standard input could block, and it must not be made non-blocking: it is shared
// with other processes.
void ScriptInput::read() {
  pollfd waiting{file_, POLLIN, 0};
  if (::poll(&waiting, 1, 0) <= 0 || waiting.revents == 0) return;
  char bytes[1 << 16];
  const auto count = ::read(file_, bytes, sizeof bytes);
  if (count > 0)
    buffer_.append(bytes, static_cast<std::size_t>(count));
  else if (count == 0 || (errno != EAGAIN && errno != EINTR))
    ended_ = true;
}

namespace {

bool blank(const std::string& line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

ScriptRun::ScriptRun(const std::string& path) : name_(path), input_(path), answers_(path == "-") {}

bool ScriptRun::advance(const Doer& doer) {
  const auto before = number_;
  while (!ended_) try {
      if (still_waits(doer) || !go_on(doer)) break;
    } catch (const ExitError& error) {
      refuse(error.code(), error.what());
    } catch (const MissingDevice& error) {
      refuse(ExitCode::no_gpu, error.what());
    } catch (const std::invalid_argument& error) {
      refuse(ExitCode::usage, error.what());
    } catch (const std::exception& error) {
      refuse(ExitCode::failed, error.what());
    }
  return number_ != before;
}

bool ScriptRun::still_waits(const Doer& doer) const {
  switch (wait_) {
    case Wait::nothing: return false;
    case Wait::ready: return !doer.ready(*held_);
    case Wait::pictures: return lacks_pictures();
    case Wait::time: return Clock::now() < until_;
    case Wait::files: return !doer.written();
  }
  return false;
}

// What was waited for is there: the line's action begins, or the line is done and the next one begins. False where there is
// none.
bool ScriptRun::go_on(const Doer& doer) {
  if (const auto action = std::exchange(held_, {})) {
    act(*action, doer);
    return true;
  }
  if (std::exchange(wait_, Wait::nothing) != Wait::nothing) answer({});
  const auto line = input_.next();
  if (!line) {
    ended_ = input_.ended();
    if (ended_) give_up_pending();
    return false;
  }
  ++number_;
  if (blank(*line)) return true;
  begin(script::parse(*line), doer);
  if (wait_ == Wait::nothing) answer({});
  return true;
}

std::vector<script::Set> ScriptRun::take_ahead() {
  std::vector<script::Set> sets;
  for (const auto& line : input_.take_ahead()) try {
      if (blank(line)) continue;
      const auto step = script::parse(line);
      if (const auto* set = std::get_if<script::Set>(&step)) sets.push_back(*set);
    } catch (const std::invalid_argument&) {}
  return sets;
}

void ScriptRun::begin(const script::Step& step, const Doer& doer) {
  if (const auto* set = std::get_if<script::Set>(&step)) {
    give_up_pending();
    set_line_ = number_;
    return doer.set(*set);
  }
  if (const auto* get = std::get_if<script::Get>(&step)) got_ = doer.get(*get);
  if (const auto* action = std::get_if<script::Do>(&step)) {
    if (doer.sets(*action)) {
      give_up_pending();
      set_line_ = number_;
    }
    if (doer.ready(*action)) return act(*action, doer);
    if (const auto why = std::exchange(pending_, {})) throw *why;
    held_ = *action;
    wait_ = Wait::ready;
  }
  if (const auto* seconds = std::get_if<script::Seconds>(&step)) {
    until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds->time));
    wait_ = Wait::time;
  }
  if (const auto* frames = std::get_if<script::Frames>(&step)) {
    if (const auto why = std::exchange(pending_, {})) throw *why;
    pictures_ = 0;
    wanted_ = frames->count;
    wait_ = Wait::pictures;
  }
}

void ScriptRun::act(const script::Do& action, const Doer& doer) {
  doer.act(action);
  ended_ = action.action == Action::quit;
  wait_ = ended_ ? Wait::nothing : Wait::files;
}

// What failed on the way to it is told, and refuses no line any more; a source that did not open has no picture.
void ScriptRun::count_picture() {
  if (pending_ && pending_->code() != ExitCode::source) give_up_pending();
  if (waits_for_pictures()) ++pictures_;
}

bool ScriptRun::fail(ExitCode code, const std::string& why) {
  if (failed_) return true;  // what is still under way fails for the same cause, or for one that nobody will see
  if (wait_ == Wait::ready) {
    refuse(code, why);
    return true;
  }
  if (!lacks_pictures()) {
    pending_.emplace(code, why);
    return false;
  }
  refuse(code, why + " (after " + std::to_string(pictures_) + " of " + std::to_string(wanted_) + " pictures)");
  return true;
}

// Who waits for the next line of a pipe or a terminal is interrupted so as to end: nothing is missing.
void ScriptRun::interrupt() {
  const bool begun = answers_ || number_ > 0;
  if (ended_ || (begun && !waits())) return;
  refuse(ExitCode::failed, begun ? "interrupted" : "interrupted before its first line");
}

// With answers, a message was there at once: SessionScript::reports().
void ScriptRun::give_up_pending() {
  const auto why = std::exchange(pending_, {});
  if (!why) return;
  if (code_ == ExitCode::ok) code_ = why->code();
  if (!answers_) untold_ = (set_line_ ? name_ + ":" + std::to_string(set_line_) + ": " : "") + why->what();
}

std::optional<std::string> ScriptRun::take_untold() { return std::exchange(untold_, {}); }

void ScriptRun::refuse(ExitCode code, const std::string& why) {
  wait_ = Wait::nothing;
  held_.reset();
  if (code_ == ExitCode::ok) code_ = code;
  if (answers_) return answer("line " + std::to_string(number_) + ": " + why);
  failure_ = name_ + ":" + (number_ > 0 ? std::to_string(number_) + ":" : "") + " " + why;
  failed_ = ended_ = true;
}

// The values that were asked for are printed also where the lines come from a file.
void ScriptRun::answer(const std::string& error) {
  using nlohmann::json;
  const auto got = std::exchange(got_, {});
  if (!error.empty()) {
    if (answers_) print("{\"error\": " + json(error).dump(-1, ' ', false, json::error_handler_t::replace) + "}\n", true);
  } else if (!got.empty()) {
    print(got + '\n', true);
  } else if (answers_) {
    print("{\"ok\": true}\n", true);
  }
}

std::optional<std::string> ScriptRun::take_failure() { return std::exchange(failure_, {}); }

}  // namespace app
