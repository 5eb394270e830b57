// What the bar shows of the checks of tables.
#pragma once

#include <cstdint>
#include <string>

namespace app::ui {

struct CheckState {
  std::uint64_t checked = 0, wrong = 0;  // pictures since the last reset
  std::string first_wrong;               // one line; empty if none was wrong
};

}  // namespace app::ui
