#include "app/support/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "app/support/address.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/interrupt.h"
#include "app/support/machine.h"
#include "app/support/text.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A name in a line, of whatever length.
std::string in_line(const fs::path& path) {
  constexpr std::size_t most = 400;
  return both_ends(path.native(), most);
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw std::runtime_error("cannot write " + in_line(path) + ": " + why_not_written(error));
}
[[noreturn]] void cannot_write(const fs::path& path, const std::string& why) {
  throw ExitError(ExitCode::failed, "cannot write " + in_line(path) + ": " + why);
}

// Closes its file and, unless it was completed, removes it.
class NewFile {
 public:
  explicit NewFile(const fs::path& target) : target_(target) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) != 0 && errno == ENAMETOOLONG) fail(target, errno);
    fs::path path;
    descriptor_ = open_new(
        [&](int number) { return beside(target, '.' + std::to_string(::getpid()) + '-' + std::to_string(number)); }, path);
    if (descriptor_ < 0) fail(target_, errno);
    name_ = path.string();
  }
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int descriptor() const { return descriptor_; }
  void become_target() {
    struct stat old {};
    if (::stat(target_.c_str(), &old) == 0) ::fchmod(descriptor_, old.st_mode & 07777);
    if (::fsync(descriptor_) != 0) fail(target_, errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(target_, errno);
    if (::rename(name_.c_str(), target_.c_str()) != 0) fail(target_, errno);
    name_.clear();
  }

 private:
  fs::path target_;
  std::string name_;
  int descriptor_ = -1;
};

void note_written(const fs::path& path) {
  std::error_code error;
  note_file(fs::absolute(path, error).string());
}

void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  int error = 0;
  if (write_bytes(descriptor, bytes, error) < bytes.size()) fail(path, error);
}

void write_in_place(const fs::path& path, std::string_view bytes) {
  const int descriptor = open_to_write(path);
  try {
    write_all(descriptor, bytes, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) fail(path, errno);
}

// Two programs that write one file as they go would mix their rows: it stays locked until it is closed. Where the file system
// has no locks, nothing is refused.
bool is_locked_by_another(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }
std::string why_locked(const fs::path& path) {
  return "cannot write " + in_line(path) + ": another program is writing it; give another name";
}

void empty_ours(int descriptor, const fs::path& path) {
  const bool others = is_locked_by_another(descriptor);
  if (!others && ::ftruncate(descriptor, 0) == 0) return;
  const int error = errno;
  ::close(descriptor);
  if (!others) fail(path, error);
  throw std::runtime_error(why_locked(path));
}

// Before the work, so that it is not done for nothing. The file may be locked later all the same: open_to_write() looks again.
void check_not_locked(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  const bool others = is_locked_by_another(descriptor);
  ::close(descriptor);
  if (others) throw ExitError(ExitCode::usage, why_locked(path));
}

// The path, or the nearest folder above it that exists.
fs::path existing_part(fs::path path) {
  std::error_code error;
  while (!fs::exists(path, error) && path.has_parent_path() && path.parent_path() != path) path = path.parent_path();
  return path;
}

void check_folder(const fs::path& path) {
  std::error_code unseen, error;
  const auto folder = path.parent_path();
  if (folder.empty() || fs::is_directory(folder, error)) return;
  if (!fs::exists(folder, unseen) && unseen) cannot_write(path, why_not_written(unseen.value()));
  const auto part = existing_part(folder);
  const bool in_file = fs::exists(part, error) && !fs::is_directory(part, error);
  cannot_write(path, in_file ? in_line(part) + " is not a folder; choose another place"
                             : "there is no folder " + in_line(folder) + "; create it first");
}

// Empty where links lead in a circle: there is no file, which is for whoever opens it to say.
fs::path whole_path(const fs::path& path) {
  std::error_code circle, error;
  const auto file = behind_links(path, circle);
  return circle ? fs::path() : fs::weakly_canonical(fs::absolute(file, error), error);
}

}  // namespace

std::string inode_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return std::to_string(status.st_dev) + ' ' + std::to_string(status.st_ino);
}

std::string place_of(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return {};
  return whole_path(path).string();
}

bool same_file(const fs::path& one, const fs::path& other) {
  const auto same = [&](const auto& property) {
    const auto of_one = property(one);
    return !of_one.empty() && of_one == property(other);
  };
  return same(inode_of) || same([](const fs::path& path) { return place_of(path); });
}

fs::path behind_links(fs::path path, std::error_code& error) {
  constexpr int most_links = 40;  // as in the kernel
  std::error_code ignored;
  error.clear();
  for (int i = 0; fs::is_symlink(path, ignored); ++i) {
    if (i == most_links) {
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
      return {};
    }
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  return path;
}

fs::path behind_links(const fs::path& path) {
  std::error_code error;
  auto file = behind_links(path, error);
  if (error) fail(path, error.value());
  return file;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::create_directories(folder, error) && error)
    throw std::runtime_error("cannot make the folder " + folder.string() + ": " + why_not_written(error.value()));
}

fs::path beside(const fs::path& target, const std::string& ending) {
  constexpr std::size_t longest = 255;  // bytes of a name
  const auto name = target.filename().string();
  return target.parent_path() / (std::string(beginning_of(name, longest - ending.size())) + ending);
}

int open_to_write(const fs::path& path, const std::stop_token& hurry) {
  constexpr auto silent = 500ms;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0, in_place = exists && !S_ISREG(status.st_mode);
  const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | (in_place ? 0 : O_CREAT);
  const auto start = Clock::now();
  for (bool told = false;; std::this_thread::sleep_for(20ms)) {
    if (const int descriptor = ::open(path.c_str(), flags, 0666); descriptor >= 0) {
      if (!in_place) empty_ours(descriptor, path);
      note_written(path);
      return descriptor;
    }
    if (errno != ENXIO || !S_ISFIFO(status.st_mode)) fail(path, errno);
    const bool is_long = Clock::now() - start > silent;
    if (interrupted() || (is_long && hurry.stop_requested()))
      throw std::runtime_error("cannot write " + path.string() +
                               ": nobody reads this pipe; start a program that does, or name a file");
    if (is_long && !std::exchange(told, true))
      tell(path.string() + " is a pipe that nobody reads: waiting for a program that does; Ctrl-C ends");
  }
}

bool await_room(int descriptor, const std::stop_token& hurry) {
  constexpr auto patience = 1s;
  pollfd waiting{descriptor, POLLOUT, 0};
  for (auto since = Clock::now(); ::poll(&waiting, 1, 100) <= 0;)
    if (!interrupted() && !hurry.stop_requested())
      since = Clock::now();
    else if (Clock::now() - since > patience)
      return false;
  return true;
}

std::size_t write_bytes(int descriptor, std::string_view bytes, int& error, const std::stop_token& hurry) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && (errno == EINTR || (errno == EAGAIN && await_room(descriptor, hurry)))) continue;
    error = written < 0 ? errno : EIO;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

fs::path place_of(int descriptor, const fs::path& path) {
  struct stat status {};
  std::error_code ignored;
  if (::fstat(descriptor, &status) != 0 || status.st_nlink == 0) return {};
  const auto place = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored);
  return place.empty() ? path : place;
}

void check_place(int descriptor, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  if (::fstat(descriptor, &open) != 0 || !S_ISREG(open.st_mode)) return;
  if (::stat(path.c_str(), &named) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino) return;
  const auto place = place_of(descriptor, path);
  throw std::runtime_error(path.string() + " was " +
                           (place.empty() ? "removed while it was written; run again"
                                          : "moved while it was written; it is now " + place.string()));
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(path, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_in_place(path, bytes);
  NewFile file(behind_links(path));
  write_all(file.descriptor(), bytes, path);
  file.become_target();
  note_written(path);
}

int open_new(const std::function<fs::path(int)>& name, fs::path& path) {
  for (int number = 1;; ++number) {
    path = name(number);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);  // less the umask
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor >= 0) note_written(path);
    return descriptor;
  }
}

fs::path take_name(const fs::path& path, std::error_code& error) {
  fs::path name;
  const int descriptor = open_new(
      [&](int number) {
        const auto other = path.stem().string() + '-' + std::to_string(number) + path.extension().string();
        return number == 1 ? path : path.parent_path() / other;
      },
      name);
  error.assign(descriptor < 0 ? errno : 0, std::generic_category());
  if (descriptor < 0) return {};
  ::close(descriptor);
  return name;
}

fs::path write_new_file(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  std::error_code error;
  const auto name = take_name(path, error);
  if (error) fail(path, error.value());
  const RemovedWhenKilled reserved(name, RemovedWhenKilled::If::empty);
  try {
    write(name);
  } catch (...) {
    fs::remove(name, error);
    throw;
  }
  return name;
}

fs::path with_home(const fs::path& path) {
  const auto text = path.string(), home = environment("HOME");
  return !home.empty() && (text == "~" || text.starts_with("~/")) ? fs::path(home + text.substr(1)) : path;
}

std::string why_not_written(int error) {
  const auto cause = std::generic_category().message(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT: return cause + "; free some space, or write to another disk";
    case EFBIG: return cause + "; raise the limit (ulimit -f), or write to another disk";
    case EMFILE: return cause + "; raise the limit (ulimit -n)";
    case ENFILE: return cause + "; close other programs";
    case ENAMETOOLONG: return cause + "; give a shorter name";
    case EISDIR: return cause + "; give the name of a file";
    case EAGAIN: return "its reader has stopped reading; end it, or name a file";
    case EPIPE: return "its reader has ended; start it again, or name a file";
    default: return cause + "; choose another place";
  }
}

std::string set_aside(const fs::path& path) {
  constexpr int most_copies = 100;
  for (int copy = 1; copy <= most_copies; ++copy) {
    auto aside = path;
    aside += copy == 1 ? ".broken" : ".broken." + std::to_string(copy);
    std::error_code error;
    if (fs::exists(fs::symlink_status(aside, error))) continue;  // an older one stays what it is
    fs::rename(path, aside, error);
    if (!error) return "it is now " + aside.filename().string();
  }
  return "and it could not be renamed: remove it";
}

std::string why_no_new_files(const fs::path& folder) {
  std::error_code error;
  const auto part = existing_part(fs::absolute(folder, error));
  if (!fs::is_directory(part, error)) return in_line(part) + " is not a folder; choose another place";
  const auto cannot = [&](int cause) {
    // There is such a folder: it does not take what one tried to make.
    const auto why = cause == ENOENT ? "no file can be created in it; choose another place" : why_not_written(cause);
    return "cannot write to " + in_line(part) + ": " + why;
  };
  if (::faccessat(AT_FDCWD, part.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return cannot(errno);
  if (::access(folder.c_str(), F_OK) != 0 && (errno == ENAMETOOLONG || errno == ELOOP)) return cannot(errno);
  if (::geteuid() != 0) return {};
  // Root passes every such check, also where nobody can make anything (/proc): there a folder is tried.
  auto name = (part / ".satscope-XXXXXX").string();
  if (!::mkdtemp(name.data())) return errno == ENOSPC || errno == EDQUOT ? std::string() : cannot(errno);
  ::rmdir(name.c_str());
  return {};
}

void check_result(const fs::path& path, const fs::path& source, std::span<const fs::path> others) {
  std::error_code error;
  const auto file = behind_links(path, error);
  if (error) cannot_write(path, why_not_written(error.value()));
  check_folder(file);
  if (fs::is_directory(path, error)) cannot_write(path, "it is a folder; give the name of a file");
  // Before the work, not after it: a file without write permission, or a folder in which no file can be created.
  const bool exists = fs::exists(path, error);
  if (error) cannot_write(path, why_not_written(error.value()));
  const auto target = exists ? path : file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::access(target.c_str(), exists ? W_OK : W_OK | X_OK) != 0) cannot_write(path, why_not_written(errno));
  if (same_file(path, source)) throw ExitError(ExitCode::usage, in_line(path) + " is the source itself: give another name");
  check_no_other(path, others);
  check_not_locked(path);  // last: this run may have locked the others
}

void check_no_other(const fs::path& result, std::span<const fs::path> others) {
  for (const auto& other : others)
    if (same_file(result, other))
      throw ExitError(ExitCode::usage, in_line(result) + " is the file of another result: give another name");
}

void check_not_read(const fs::path& result, std::span<const fs::path> read) {
  for (const auto& file : read)
    if (same_file(result, file))
      throw ExitError(ExitCode::usage, in_line(result) + " is a file that this run reads: give another name");
}

void check_results(std::span<const fs::path> paths, const fs::path& source) {
  for (std::size_t i = 0; i < paths.size(); ++i) check_result(paths[i], source, paths.first(i));
}

std::vector<std::filesystem::path> asset_folders(const std::filesystem::path& executable) {
  std::vector<std::filesystem::path> folders;
  if (const char* chosen = std::getenv("SATSCOPE_ASSETS"); chosen && *chosen) folders.emplace_back(chosen);
  if (executable.empty()) return folders;
  const auto here = executable.parent_path();
  folders.push_back((here / SATSCOPE_ASSETS_FROM_BIN).lexically_normal());
  std::error_code none;
  if (const auto source_tree = std::filesystem::read_symlink(here / "assets", none); !none) folders.push_back(source_tree);
  return folders;
}

std::filesystem::path find_asset(std::string_view name, std::span<const std::filesystem::path> folders) {
  std::error_code ignored;  // an unreadable folder counts as empty
  for (const auto& folder : folders) {
    if (std::filesystem::exists(folder / name, ignored)) return folder / name;
  }
  return folders.empty() ? std::filesystem::path(name) : folders.front() / name;
}

std::filesystem::path asset(std::string_view name) {
  std::error_code ignored;
  return find_asset(name, asset_folders(std::filesystem::read_symlink("/proc/self/exe", ignored)));
}

}  // namespace app
