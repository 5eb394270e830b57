#include "gpu/simulated/place.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace gpu::simulated {
namespace {

constexpr std::string_view unknown_place = "an unknown place";

// The output of the program with the command line `words`; empty if it is missing or fails. No shell is involved, which
// would interpret characters of paths.
std::string output_of(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  const bool started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char piece[1024];
  for (ssize_t got; started && ((got = read(ends[0], piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR));)
    if (got > 0) output.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return output;
}

// The program or library that contains an address, and the offset in it.
struct InFile {
  std::string file;  // empty: in none
  std::uintptr_t offset = 0;
};
InFile file_of(const void* address) {
  Dl_info info{};
  void* extra = nullptr;
  if (!dladdr1(address, &info, &extra, RTLD_DL_LINKMAP)) return {};
  const auto* map = static_cast<link_map*>(extra);
  // The program itself has no name there, and argv[0] need not be a path.
  const bool library = map->l_name && map->l_name[0] != '\0';
  return {library ? map->l_name : "/proc/" + std::to_string(getpid()) + "/exe",
          reinterpret_cast<std::uintptr_t>(address) - map->l_addr};
}

using Lines = std::vector<std::string>;

// The output of addr2line for each offset: function and source line in turn, the innermost inlined function first. Fewer
// if addr2line is missing.
std::vector<Lines> ask(const std::string& file, const std::vector<std::uintptr_t>& offsets) {
  std::vector<std::string> words = {"addr2line", "-aifCs", "-e", file};
  for (const auto offset : offsets) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
    words.emplace_back(text);
  }
  const auto output = output_of(std::move(words));
  std::vector<Lines> answers;
  for (std::size_t begin = 0; begin < output.size();) {
    const auto end = std::min(output.find('\n', begin), output.size());
    std::string_view line(output.data() + begin, end - begin);
    begin = end + 1;
    if (line.starts_with("0x")) {  // the next address
      answers.emplace_back();
      continue;
    }
    line = line.substr(0, line.find(" (discriminator"));  // "tile.cuh:120 (discriminator 3)"
    if (!answers.empty()) answers.back().emplace_back(line);
  }
  return answers;
}

bool is_device_file(std::string_view place) { return place.find(".cu") != place.npos; }

std::string place_in(const Lines& lines) {
  std::string inner, outer;
  for (std::size_t i = 1; i < lines.size(); i += 2) {
    if (!is_device_file(lines[i]) || lines[i].find(":?") != std::string::npos) continue;
    if (inner.empty()) inner = lines[i];
    outer = lines[i];
  }
  if (inner.empty()) {
    for (std::size_t i = 1; i < lines.size(); i += 2)
      if (lines[i].find('?') == std::string::npos) return lines[i];
    return std::string(unknown_place);
  }
  return inner == outer ? inner : inner + " in " + outer;
}

std::mutex known_mutex;
std::map<const void*, std::string> known;

}  // namespace

void learn_places(std::span<const void* const> addresses) {
  constexpr std::size_t at_once = 1000;  // arguments that every system allows
  const std::lock_guard lock(known_mutex);
  std::map<std::string, std::vector<std::pair<std::string*, std::uintptr_t>>> by_file;
  for (const void* address : addresses) {
    const auto [at, is_new] = known.try_emplace(address, unknown_place);
    if (!is_new) continue;
    // A return address is that of the instruction after the call.
    if (const auto [file, offset] = file_of(address); !file.empty()) by_file[file].emplace_back(&at->second, offset - 1);
  }
  for (const auto& [file, wanted] : by_file)
    for (std::size_t first = 0; first < wanted.size(); first += at_once) {
      std::vector<std::uintptr_t> offsets;
      for (auto i = first; i < std::min(first + at_once, wanted.size()); ++i) offsets.push_back(wanted[i].second);
      const auto answers = ask(file, offsets);
      for (std::size_t i = 0; i < std::min(answers.size(), offsets.size()); ++i)
        *wanted[first + i].first = place_in(answers[i]);
    }
}

std::string place_of(const void* address) {
  learn_places({&address, 1});
  const std::lock_guard lock(known_mutex);
  return known.at(address);
}

bool is_host_code(const void* address) {
  const auto place = place_of(address);
  return place != unknown_place && !is_device_file(place);
}

std::string place_of(const std::source_location& source) {
  const std::string_view file = source.file_name();
  return std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(source.line());
}

bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

std::string function_at(const void* address) {
  const auto [file, offset] = file_of(address);
  if (file.empty()) return "an unknown kernel";
  const auto answers = ask(file, {offset});
  return answers.empty() || answers[0].empty() || answers[0][0].find('?') != std::string::npos ? "an unknown kernel"
                                                                                               : answers[0][0];
}

}  // namespace gpu::simulated
