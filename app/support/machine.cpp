#include "app/support/machine.h"

#include <cuda_runtime_api.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "app/support/exit_code.h"
#include "app/support/text.h"

namespace app {
namespace {

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

}  // namespace

std::string processor_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "unknown processor";
}

std::string nvidia_driver_version() {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:15:02 UTC 2025"
  std::ifstream stream("/proc/driver/nvidia/version");
  std::string line;
  std::getline(stream, line);
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) return word;
  return {};
}

std::string cuda_versions() {
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  return (runtime ? "runtime " + version(runtime) : "built without") +
         (driver ? ", driver supports " + version(driver) : ", no driver");
}

namespace {

namespace fs = std::filesystem;

// A line of /proc/meminfo in bytes; 0: there is none.
std::uint64_t memory_line(const fs::path& root, const std::string& name) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (unsigned long long kilobytes = 0;
        line.starts_with(name) && std::sscanf(line.c_str() + name.size(), ": %llu kB", &kilobytes) == 1)
      return std::uint64_t{kilobytes} * 1024;
  return 0;
}

// The least that a group, or one above it, may have; the largest number where there is no limit ("max").
std::uint64_t least_limit(const fs::path& mounted, fs::path group, const char* file) {
  auto least = std::numeric_limits<std::uint64_t>::max();
  for (group = group.relative_path();; group = group.parent_path()) {
    std::uint64_t limit = 0;
    if (std::ifstream stream(mounted / group / file); stream >> limit) least = std::min(least, limit);
    if (group.empty()) return least;
  }
}

// "0::/user.slice" of version 2 of control groups, "9:memory:/docker/12" of version 1. In a container the group may be the root
// of what is mounted.
std::uint64_t group_limit(const fs::path& root) {
  auto least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, least_limit(root / "sys/fs/cgroup", group, "memory.max"));
    else if (controllers.find(",memory,") != controllers.npos)
      least = std::min(least, least_limit(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

std::uint64_t machine_memory(const fs::path& root) {
  const auto memory = memory_line(root, "MemTotal");
  return std::min(memory > 0 ? memory : std::numeric_limits<std::uint64_t>::max(), group_limit(root));
}

namespace {

// What the limit of its address space (ulimit -v) leaves this process.
std::uint64_t address_space_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 1;
}

}  // namespace

std::uint64_t available_memory() {
  return std::min({memory_line("/", "MemAvailable"), group_limit("/"), address_space_left()});
}

void require_memory(double needed, const std::string& what, const std::string& instead) {
  const auto available = static_cast<double>(available_memory());
  if (available > 0 && needed > available)
    throw ExitError(ExitCode::failed, what + " takes " + memory_text(needed) + " of memory, and " + memory_text(available) +
                                          " are available: " + instead);
}

namespace {

constexpr const char* opener = "xdg-open";

bool is_on_path(std::string_view program) {
  const auto path = environment("PATH");
  for (std::string_view rest = path; !rest.empty();) {
    const auto end = rest.find(':');
    const auto file = fs::path(rest.substr(0, end)) / program;
    if (::access(file.c_str(), X_OK) == 0) return true;
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return false;
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string why_no_folder() {
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return "there is no desktop here";
  if (!is_on_path(opener)) return "xdg-open is missing here; install xdg-utils";
  return {};
}

// A shell starts it in the background and ends at once, so that nobody has to wait for the file manager, nor ends it.
void open_folder(const fs::path& folder) {
  if (const auto why = why_no_folder(); !why.empty())
    throw std::invalid_argument("cannot open the folder " + folder.string() + ": " + why);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw std::invalid_argument("cannot make the folder " + folder.string() + ": " + error.message());
  const auto path = fs::absolute(folder, error).string();
  constexpr const char* command = "setsid xdg-open \"$0\" >/dev/null 2>&1 </dev/null &";
  const char* words[] = {"sh", "-c", command, path.c_str(), nullptr};
  // This program may ignore a closed pipe (outlive_readers()); others do not expect that.
  sigset_t closed_pipe;
  sigemptyset(&closed_pipe);
  sigaddset(&closed_pipe, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &closed_pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, "sh", nullptr, &attributes, const_cast<char**>(words), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    throw std::invalid_argument("cannot open the folder " + folder.string() + ": " +
                                std::generic_category().message(failed));
  ::waitpid(child, nullptr, 0);
}

}  // namespace app
