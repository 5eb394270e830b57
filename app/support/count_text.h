// Numbers of things as text: "1 frame", "2 frames".
#pragma once

#include <cstdint>
#include <string>

namespace app {

// `thing` in the singular, of those that take an s.
inline std::string counted(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

}  // namespace app
