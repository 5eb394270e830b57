#include "app/ui/figures_line.h"

#include <imgui.h>

namespace app::ui {

std::string line_of(std::span<const std::string> figures, std::string_view between, float room) {
  std::string line;
  for (const auto& figure : figures) {
    const auto longer = line + std::string(line.empty() ? "" : between) + figure;
    if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
    line = longer;
  }
  return line;
}

}  // namespace app::ui
