#include "app/support/machine.h"

#include <cuda_runtime_api.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

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
