#include "app/session/script_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/control/script.h"
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
  buffer_.erase(0, last ? buffer_.npos : end + 1);
  return line;
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

}  // namespace app
