#include "app/support/machine.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "app/support/exit_code.h"
#include "app/support/text.h"
#include "app/support/threads.h"

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

// A line of /proc/meminfo in bytes.
std::optional<std::uint64_t> memory_line(const fs::path& root, const std::string& name) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (unsigned long long kilobytes = 0;
        line.starts_with(name) && std::sscanf(line.c_str() + name.size(), ": %llu kB", &kilobytes) == 1)
      return std::uint64_t{kilobytes} * 1024;
  return {};
}

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

// Where version 1 or 2 of control groups has them, its files, and its name of what the groups below have, too.
struct GroupFiles {
  const char *folder, *limit, *use, *with_below;
};
constexpr GroupFiles version_1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"};
constexpr GroupFiles version_2{"sys/fs/cgroup", "memory.max", "memory.current", ""};

enum class Part { all, available };

// What a group cannot give back at once: what it uses, but for pages of files of the disk, as MemAvailable counts.
std::uint64_t used_by(const fs::path& folder, const GroupFiles& files) {
  std::uint64_t used = 0, cached = 0, bytes = 0;
  std::ifstream(folder / files.use) >> used;
  std::ifstream statistics(folder / "memory.stat");
  const auto prefix = std::string(files.with_below);
  for (std::string name; statistics >> name >> bytes;)
    if (name == prefix + "active_file" || name == prefix + "inactive_file") cached += bytes;
  return used - std::min(used, cached);
}

// The least that a group, or one above it, may have, or has left; `unlimited` where there is no limit ("max").
std::uint64_t least_of(const fs::path& root, fs::path group, const GroupFiles& files, Part part) {
  auto least = unlimited;
  for (group = group.relative_path();; group = group.parent_path()) {
    const auto folder = root / files.folder / group;
    std::uint64_t limit = 0;
    if (std::ifstream stream(folder / files.limit); stream >> limit) {
      const auto used = part == Part::available ? used_by(folder, files) : 0;
      least = std::min(least, limit - std::min(limit, used));
    }
    if (group.empty()) return least;
  }
}

// "0::/user.slice" of version 2 of control groups, "9:memory:/docker/12" of version 1. In a container the group may be the root
// of what is mounted.
std::uint64_t of_group(const fs::path& root, Part part) {
  auto least = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, least_of(root, group, version_2, part));
    else if (controllers.find(",memory,") != controllers.npos)
      least = std::min(least, least_of(root, group, version_1, part));
  }
  return least;
}

}  // namespace

std::uint64_t machine_memory(const fs::path& root) {
  return std::min(memory_line(root, "MemTotal").value_or(unlimited), of_group(root, Part::all));
}

namespace {

// What the limit of its address space (ulimit -v) leaves this process.
std::uint64_t address_space_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const fs::path& root) {
  const auto least = std::min(
      {memory_line(root, "MemAvailable").value_or(unlimited), of_group(root, Part::available), address_space_left()});
  return least == unlimited ? std::nullopt : std::optional(least);
}

void require_memory(double needed, const std::string& what, const std::string& instead) {
  const auto available = available_memory();
  if (available && needed > static_cast<double>(*available))
    throw ExitError(ExitCode::failed, what + " takes " + memory_text(needed) + " of memory, and " +
                                          memory_text(static_cast<double>(*available)) + " are available: " + instead);
}

namespace {

constexpr const char* opener = "xdg-open";

}  // namespace

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

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string why_no_folder() {
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return "there is no desktop here";
  if (!is_on_path(opener)) return "xdg-open is missing here; install xdg-utils";
  return {};
}

namespace {

// Waits for the end of `child`, which leads a process group: as run_program().
int status_of(pid_t child, std::optional<std::chrono::milliseconds> longest) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pause(5);
  const auto end = Clock::now() + longest.value_or(std::chrono::milliseconds(0));
  int status = 0;
  for (bool killed = false;;) {
    const auto ended = ::waitpid(child, &status, longest && !killed ? WNOHANG : 0);
    if (ended == child) return killed ? program_took_too_long : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended < 0 && errno != EINTR) return -1;
    if (ended != 0) continue;
    if (Clock::now() < end) {
      std::this_thread::sleep_for(pause);
    } else {
      ::kill(-child, SIGKILL);
      killed = true;
    }
  }
}

}  // namespace

int run_program(std::span<const std::string> words, int input, std::optional<std::chrono::milliseconds> longest) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (input >= 0)
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  // This program may ignore a closed pipe (outlive_readers()); others do not expect that.
  sigset_t closed_pipe;
  sigemptyset(&closed_pipe);
  sigaddset(&closed_pipe, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &closed_pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return -1;
  return status_of(child, longest);
}

namespace {

// In the background: a file manager may stay until its window is closed. Nobody waits for it, nor ends it.
bool open_by_desktop(const fs::path& folder) {
  const std::string words[] = {"setsid", "--fork", opener, folder.string()};
  return run_program(words) == 0;
}

// As a URI, in which a comma would separate two files for dbus-send.
std::string uri_of(const fs::path& path) {
  constexpr std::string_view plain = "-._~/";
  std::string uri = "file://";
  for (const unsigned char c : path.string())
    if (c < 128 && (std::isalnum(c) || plain.find(static_cast<char>(c)) != plain.npos)) {
      uri += static_cast<char>(c);
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", c);
      uri += code;
    }
  return uri;
}

}  // namespace

void open_folder(const fs::path& folder) {
  if (const auto why = why_no_folder(); !why.empty())
    throw std::invalid_argument("cannot open the folder " + folder.string() + ": " + why);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw std::invalid_argument("cannot make the folder " + folder.string() + ": " + error.message());
  if (!open_by_desktop(fs::absolute(folder, error)))
    throw std::invalid_argument("cannot open the folder " + folder.string() + ": " + opener + " could not be started");
}

void show_file(const fs::path& file) {
  if (const auto why = why_no_folder(); !why.empty())
    throw std::invalid_argument("cannot show " + file.string() + ": " + why);
  std::error_code error;
  const auto path = fs::absolute(file, error);
  if (!fs::exists(path, error)) throw std::invalid_argument("cannot show " + file.string() + ": it is not there any more");
  // A file manager that does not run yet takes a while to answer.
  const auto show = [path] {
    const std::string marked[] = {"dbus-send",
                                  "--session",
                                  "--print-reply",
                                  "--reply-timeout=5000",
                                  "--dest=org.freedesktop.FileManager1",
                                  "/org/freedesktop/FileManager1",
                                  "org.freedesktop.FileManager1.ShowItems",
                                  "array:string:" + uri_of(path),
                                  "string:"};
    if (run_program(marked) != 0) open_by_desktop(path.parent_path());
  };
  try {
    start_detached(show);
  } catch (const std::runtime_error& none) {
    throw std::invalid_argument("cannot show " + file.string() + ": " + none.what());
  }
}

std::vector<std::string> editor_words(std::string_view visual, const fs::path& file, int line) {
  constexpr std::string_view of_terminals[] = {"ed",   "hx", "helix", "jed",  "joe", "kak",  "mcedit", "mg",  "micro",
                                               "nano", "ne", "nvim",  "pico", "vi",  "view", "vim",    "zile"};
  constexpr std::string_view with_g[] = {"code", "code-insiders", "codium", "cursor", "vscodium"};  // -g FILE:LINE
  constexpr std::string_view with_colon[] = {"subl", "sublime_text", "zed", "zeditor"};             // FILE:LINE
  constexpr std::string_view with_plus[] = {"emacs", "emacsclient", "gedit", "gnome-text-editor",
                                            "gvim",  "mousepad",    "pluma", "xed"};  // +LINE FILE
  constexpr std::string_view with_line[] = {"kate", "kwrite", "geany"};               // --line LINE FILE
  std::vector<std::string> words;
  for (auto rest = visual; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (end > 0) words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (words.empty()) return {};
  const auto program = fs::path(words.front()).filename().string();
  const auto is_of = [&](const auto& all) { return std::ranges::find(all, program) != std::end(all); };
  const bool in_terminal = std::ranges::any_of(words, [](const auto& word) { return word == "-nw" || word == "-t"; });
  if (is_of(of_terminals) || (program.starts_with("emacs") && in_terminal)) return {};
  const auto number = std::to_string(line);
  if (line > 0 && is_of(with_g)) {
    words.insert(words.end(), {"-g", file.string() + ':' + number});
  } else if (line > 0 && is_of(with_colon)) {
    words.push_back(file.string() + ':' + number);
  } else {
    if (line > 0 && is_of(with_plus)) words.push_back('+' + number);
    if (line > 0 && is_of(with_line)) words.insert(words.end(), {"--line", number});
    words.push_back(file.string());
  }
  return words;
}

std::string why_no_editor() {
  const auto words = editor_words(environment("VISUAL"), {}, 0);
  if (words.empty()) return why_no_folder();
  const auto& program = words.front();
  const bool is_there = program.find('/') == program.npos ? is_on_path(program) : ::access(program.c_str(), X_OK) == 0;
  return is_there ? "" : "the environment's VISUAL names '" + program + "', which is not there";
}

void open_in_editor(const fs::path& file, int line) {
  std::error_code error;
  const auto path = fs::absolute(file, error);
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("cannot open " + file.string() + " in an editor: " + why);
  };
  if (!fs::exists(path, error)) refuse("it is not there any more");
  if (const auto why = why_no_editor(); !why.empty()) refuse(why + "; VISUAL can name an editor with a window of its own");
  auto words = editor_words(environment("VISUAL"), path, line);
  if (words.empty()) words = {opener, path.string()};
  words.insert(words.begin(), {"setsid", "--fork"});  // it stays when this program ends
  if (run_program(words) != 0) refuse(words[2] + " could not be started");
}

}  // namespace app
