#include "gpu/simulated/place.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "gpu/execution/child_process.h"

namespace gpu::simulated {
namespace {

constexpr std::string_view unknown_place = "an unknown place";

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
  std::string output;
  run_child({.words = std::move(words), .output = [&](std::string_view piece) { output += piece; }});
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
