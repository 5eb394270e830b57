#include "gpu/simulated/place.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace gpu::simulated {
namespace {

struct Close {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

// What addr2line prints of an address: function and place in turn, the innermost inlined function first.
std::vector<std::string> ask(const void* address, bool call) {
  Dl_info info{};
  void* extra = nullptr;
  if (!dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) || !info.dli_fname) return {};
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - static_cast<link_map*>(extra)->l_addr - (call ? 1 : 0);
  char command[4096];
  const int length = std::snprintf(command, sizeof command, "addr2line -ifCse '%s' 0x%llx 2>/dev/null", info.dli_fname,
                                   static_cast<unsigned long long>(offset));
  if (length <= 0 || length >= static_cast<int>(sizeof command)) return {};
  const std::unique_ptr<std::FILE, Close> pipe(popen(command, "r"));
  std::vector<std::string> lines;
  char line[4096];
  while (pipe && std::fgets(line, sizeof line, pipe.get())) {
    lines.emplace_back(line);
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
    // "tile.cuh:120 (discriminator 3)"
    if (const auto extra_words = lines.back().find(" (discriminator"); extra_words != std::string::npos)
      lines.back().resize(extra_words);
  }
  return lines;
}

bool in_gpu_source(const std::string& place) {
  return place.find(".cu") != std::string::npos && place.find(":?") == std::string::npos;
}

std::string find_place(const void* address) {
  const auto lines = ask(address, true);
  std::string inner, outer;
  for (std::size_t i = 1; i < lines.size(); i += 2) {
    if (!in_gpu_source(lines[i])) continue;
    if (inner.empty()) inner = lines[i];
    outer = lines[i];
  }
  if (inner.empty()) {
    for (std::size_t i = 1; i < lines.size(); i += 2)
      if (lines[i].find('?') == std::string::npos) return lines[i];
    return "an unknown place";
  }
  return inner == outer ? inner : inner + " in " + outer;
}

}  // namespace

std::string place_of(const void* address) {
  static std::mutex mutex;
  static std::map<const void*, std::string> known;
  const std::lock_guard lock(mutex);
  auto [at, is_new] = known.try_emplace(address);
  if (is_new) at->second = find_place(address);
  return at->second;
}

std::string place_of(const std::source_location& source) {
  const std::string_view file = source.file_name();
  return std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(source.line());
}

bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

std::string function_at(const void* address) {
  const auto lines = ask(address, false);
  return lines.empty() || lines[0].find('?') != std::string::npos ? "an unknown kernel" : lines[0];
}

}  // namespace gpu::simulated
