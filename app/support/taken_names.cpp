#include "app/support/taken_names.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <system_error>

#include "app/support/exit_code.h"
#include "app/support/files.h"

namespace app {
namespace {

namespace fs = std::filesystem;

// The folder and the name in it. Empty: what is no regular file takes any number of results.
std::string name_to_take(const fs::path& path) {
  std::error_code error;
  struct stat folder {};
  if (path.empty() || (fs::exists(path, error) && !fs::is_regular_file(path, error))) return {};
  const auto file = behind_links(path);
  if (::stat(file.has_parent_path() ? file.parent_path().c_str() : ".", &folder) != 0) return {};
  return "satscope result " + std::to_string(folder.st_dev) + ' ' + std::to_string(folder.st_ino) + ' ' +
         std::to_string(std::hash<std::string>{}(file.filename().string()));
}

}  // namespace

// A name of the kernel for a socket that nobody connects to. No file of the disk is left of it, however the program ends.
TakenNames::TakenNames(const std::vector<fs::path>& paths) {
  for (const auto& path : paths) {
    const auto name = name_to_take(path);
    sockaddr_un address{AF_UNIX, {}};
    const auto length = name.copy(address.sun_path + 1, sizeof address.sun_path - 1);  // behind a zero: no name of a file
    const int socket = name.empty() ? -1 : ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    sockets_.push_back(socket);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0 || errno != EADDRINUSE) continue;
    release();
    throw ExitError(ExitCode::usage, path.string() + " is being written by another program: give another name");
  }
}

void TakenNames::release() {
  for (const int socket : std::exchange(sockets_, {})) ::close(socket);
}

}  // namespace app
