// Numbers of things as text: "1 frame", "12 345 frames".
#pragma once

#include <cstdint>
#include <string>

#include "app/support/text_table.h"

namespace app {

// `thing` in the singular, of those that take an s.
inline std::string counted(std::uint64_t count, const std::string& thing) {
  return grouped(count) + ' ' + thing + (count == 1 ? "" : "s");
}

}  // namespace app
