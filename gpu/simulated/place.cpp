#include "gpu/simulated/place.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
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

struct InlinedLine : SourceLine {
  std::string folder;  // of the file, as the compiler knew it, with the / at its end
};

// The source lines of an address, the innermost inlined function first; those that are unknown are left out. And the innermost
// function.
struct Chain {
  std::vector<InlinedLine> lines;
  std::string function;
};

// "./gpu/tile.cuh:120 (discriminator 3)"; an unknown one is "??:0" or "tile.cuh:?".
InlinedLine parsed_line(std::string_view text) {
  text = text.substr(0, text.find(" (discriminator"));
  const auto colon = text.rfind(':');
  InlinedLine line;
  if (colon == text.npos) return line;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), line.line);
  const auto path = text.substr(0, colon);
  const auto name = path.rfind('/') + 1;
  line.file = path.substr(name);
  line.folder = path.substr(0, name);
  return line;
}

// The answer of addr2line for each offset. Fewer if it is missing.
std::vector<Chain> ask(const std::string& file, const std::vector<std::uintptr_t>& offsets) {
  std::vector<std::string> words = {"addr2line", "-aifC", "-e", file};
  for (const auto offset : offsets) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
    words.emplace_back(text);
  }
  std::string output;
  run_child({.words = std::move(words), .output = [&](std::string_view piece) { output += piece; }});
  std::vector<Chain> answers;
  bool is_function = true;  // functions and source lines come in turn
  for (std::size_t begin = 0; begin < output.size();) {
    const auto end = std::min(output.find('\n', begin), output.size());
    const std::string_view text(output.data() + begin, end - begin);
    begin = end + 1;
    if (text.starts_with("0x")) {  // the next address
      answers.emplace_back();
      is_function = true;
      continue;
    }
    if (answers.empty()) continue;
    auto& [lines, function] = answers.back();
    if (is_function && function.empty()) function = text;
    if (!is_function)
      if (auto line = parsed_line(text); line.line > 0) lines.push_back(std::move(line));
    is_function = !is_function;
  }
  return answers;
}

bool in_device_file(const SourceLine& line) { return line.file.find(".cu") != line.file.npos; }

std::string text_of(const SourceLine& line) { return line.file + ':' + std::to_string(line.line); }

std::string place_in(const std::vector<InlinedLine>& lines) {
  if (lines.empty()) return std::string(unknown_place);
  const auto inner = std::ranges::find_if(lines, in_device_file);
  if (inner == lines.end()) return text_of(lines.front());
  const auto outer = std::find_if(lines.rbegin(), lines.rend(), in_device_file);
  return text_of(*inner) == text_of(*outer) ? text_of(*inner) : text_of(*inner) + " in " + text_of(*outer);
}

std::mutex known_mutex;
std::map<const void*, std::vector<InlinedLine>> known;  // of Chain

}  // namespace

void learn_places(std::span<const void* const> addresses) {
  constexpr std::size_t at_once = 1000;  // arguments that every system allows
  const std::lock_guard lock(known_mutex);
  std::map<std::string, std::vector<std::pair<std::vector<InlinedLine>*, std::uintptr_t>>> by_file;
  for (const void* address : addresses) {
    const auto [at, is_new] = known.try_emplace(address);
    if (!is_new) continue;
    // A return address is that of the instruction after the call.
    if (const auto [file, offset] = file_of(address); !file.empty()) by_file[file].emplace_back(&at->second, offset - 1);
  }
  for (const auto& [file, wanted] : by_file)
    for (std::size_t first = 0; first < wanted.size(); first += at_once) {
      std::vector<std::uintptr_t> offsets;
      for (auto i = first; i < std::min(first + at_once, wanted.size()); ++i) offsets.push_back(wanted[i].second);
      auto answers = ask(file, offsets);
      for (std::size_t i = 0; i < std::min(answers.size(), offsets.size()); ++i)
        *wanted[first + i].first = std::move(answers[i].lines);
    }
}

namespace {

const std::vector<InlinedLine>& lines_at(const void* address) {
  learn_places({&address, 1});
  const std::lock_guard lock(known_mutex);
  return known.at(address);  // which stays as it is
}

// Of a file, or a folder, as line_of() takes it.
bool is_of(const InlinedLine& line, const std::string& file) {
  if (file.ends_with('/')) return line.folder.find(file) != line.folder.npos;
  return file.find('/') == file.npos ? line.file == file : (line.folder + line.file).ends_with('/' + file);
}

}  // namespace

std::string place_of(const void* address) { return place_in(lines_at(address)); }

SourceLine line_of(const void* address, std::span<const std::string> files) {
  const auto& lines = lines_at(address);
  for (const auto& line : lines) {
    const std::string* best = nullptr;  // the longest: of "sums.cuh" and "parts/sums.cuh" it may be both
    for (const auto& file : files)
      if (is_of(line, file) && (!best || best->size() < file.size())) best = &file;
    if (best) return {best->ends_with('/') ? line.file : *best, line.line};
  }
  auto found = std::ranges::find_if(lines, in_device_file);
  if (found == lines.end()) found = lines.begin();
  if (found == lines.end()) return {};
  return *found;
}

bool is_host_code(const void* address) {
  const auto& lines = lines_at(address);
  return !lines.empty() && std::ranges::none_of(lines, in_device_file);
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
  const bool found = !answers.empty() && !answers[0].function.empty() && answers[0].function.find('?') == std::string::npos;
  return found ? answers[0].function : "an unknown kernel";
}

}  // namespace gpu::simulated
