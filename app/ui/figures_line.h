// Figures in one line, whole ones alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace app::ui {

// As many from the first on as fit into `room`.
std::string line_of(std::span<const std::string> figures, std::string_view between, float room);

}  // namespace app::ui
