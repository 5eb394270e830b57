#include "app/support/scratch_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <system_error>

namespace app {
namespace {

namespace fs = std::filesystem;

std::string beginning_of(std::string_view kind) { return "satscope-" + std::string(kind) + '-'; }

int open_scratch(const fs::path& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

}  // namespace

ScratchFolder::ScratchFolder(std::string_view kind) {
  std::error_code error;
  auto name = (fs::temp_directory_path(error) / (beginning_of(kind) + "XXXXXX")).string();
  if (!error && (!::mkdtemp(name.data()) || (lock_ = open_scratch(name)) < 0)) error = {errno, std::generic_category()};
  if (error)
    throw std::runtime_error("cannot make a folder for what is compiled, " + name + ": " + error.message() +
                             "; TMPDIR names another place");
  path_ = name;
  ::flock(lock_, LOCK_EX | LOCK_NB);  // whose process ends, however, lets it go
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

void ScratchFolder::remove_abandoned(std::string_view kind) {
  constexpr std::time_t young = 60;  // seconds: one that was just made may not be locked yet
  std::error_code error;
  const auto begin = beginning_of(kind);
  for (fs::directory_iterator each(fs::temp_directory_path(error), error), end; !error && each != end;
       each.increment(error)) {
    if (!each->path().filename().native().starts_with(begin)) continue;
    const int folder = open_scratch(each->path());
    if (folder < 0) continue;
    struct stat status {};
    const bool is_old = ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
                        status.st_mtime < std::time(nullptr) - young;
    std::error_code ignored;
    if (is_old && ::flock(folder, LOCK_EX | LOCK_NB) == 0) fs::remove_all(each->path(), ignored);
    ::close(folder);
  }
}

}  // namespace app
