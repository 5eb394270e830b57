#include "app/ui/matrix_areas.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/theme.h"

namespace app::ui {
namespace {

// Both as they are where there is room; otherwise an equal share, and what one does not need is the other's.
std::pair<float, float> shares(float first, float second, float room) {
  if (first + second <= room) return {first, second};
  const auto half = std::floor(room / 2);
  if (first < half) return {first, room - first};
  if (second < half) return {room - second, second};
  return {half, half};
}

// The same in both grids; that of other text where even smaller digits have no room.
ImFont* digits_for(const std::string& of_matrix, ImVec2 matrix_cell, const std::string& of_table, ImVec2 table_cell) {
  constexpr float filled = 0.8f;  // of a cell, at the most
  auto* a = fitting_font(of_matrix, matrix_cell.x * filled, matrix_cell.y * filled);
  auto* b = fitting_font(of_table, table_cell.x * filled, table_cell.y * filled);
  auto* usual = font(Font::regular);
  if (!a || !b) return usual;
  auto* smaller = a->FontSize < b->FontSize ? a : b;
  return smaller->FontSize < usual->FontSize ? usual : smaller;
}

}  // namespace

GridPlaces grid_places(gpu::Size size, const std::string& of_matrix, const std::string& of_table, ImVec2 room) {
  const auto matrix_text = ImGui::CalcTextSize(of_matrix.c_str()).x, table_text = ImGui::CalcTextSize(of_table.c_str()).x;
  const auto em = ImGui::GetFontSize(), bar = ImGui::GetStyle().ScrollbarSize, gap = em;
  const auto columns = static_cast<float>(size.width), rows = static_cast<float>(size.height);
  const auto bars = em * 1.4f * rows > room.y ? 2 * bar : 0;  // of what scrolls down
  const auto free = (room.x - gap - bars) / columns - matrix_text - table_text;
  const auto margins = std::floor(std::clamp(free / 2 - 1, em * 0.5f, em * 8));  // 1: cells are rounded up
  const auto matrix_cell = std::ceil(matrix_text + margins), table_cell = std::ceil(table_text + margins);
  const bool wide = (matrix_cell + table_cell) * columns + gap > room.x;
  const auto height = std::floor(
      std::clamp((room.y - (wide ? bar : 0)) / rows, em * 1.4f, std::max(em * 2.6f, matrix_cell)));
  const auto beside = height * rows > room.y - (wide ? bar : 0) ? bar : 0;  // of what scrolls down
  const auto [first, second] = shares(matrix_cell * columns + beside, table_cell * columns + beside, room.x - gap);
  // Whole cells at first.
  const auto fitted = [&](float share, float cell) {
    return beside + cell * std::clamp(std::floor((share - beside) / cell), 1.f, columns);
  };
  const auto start = ImGui::GetCursorPos();
  const auto matrix_width = fitted(first, matrix_cell);
  return {{start, {matrix_width, room.y}, {matrix_cell, height}},
          {{start.x + matrix_width + gap, start.y}, {fitted(second, table_cell), room.y}, {table_cell, height}},
          digits_for(of_matrix, {matrix_cell, height}, of_table, {table_cell, height})};
}

GridArea::GridArea(const char* name, const GridPlace& place) : cell_(place.cell) {
  ImGui::SetCursorPos(place.at);
  ImGui::BeginChild(name, place.size, false, ImGuiWindowFlags_HorizontalScrollbar);
}

ScrolledGrid GridArea::scrolled() const { return {ImGui::GetCurrentWindow(), cell_}; }

void bring_into_view(ImVec2 from, ImVec2 to) {
  const auto at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const auto bar = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 end(at.x + size.x - (ImGui::GetScrollMaxY() > 0 ? bar : 0),
                   at.y + size.y - (ImGui::GetScrollMaxX() > 0 ? bar : 0));
  const auto by = [](float low, float high, float first, float last) {
    return first < low ? first - low : std::max(0.f, last - high);
  };
  ImGui::SetScrollX(ImGui::GetScrollX() + by(at.x, end.x, from.x, to.x));
  ImGui::SetScrollY(ImGui::GetScrollY() + by(at.y, end.y, from.y, to.y));
}

void scroll_together(const ScrolledGrid& a, const ScrolledGrid& b) {
  for (const ImGuiAxis axis : {ImGuiAxis_X, ImGuiAxis_Y}) {
    // Where each was, or will be because it follows.
    auto before = [axis](const ScrolledGrid& grid) -> float& { return *grid.area->StateStorage.GetFloatRef(axis + 1u); };
    const auto now = [axis](const ScrolledGrid& grid) { return grid.area->Scroll[axis]; };
    const auto moved = [&](const ScrolledGrid& grid) { return std::abs(now(grid) - before(grid)) > 0.5f; };
    const bool a_leads = moved(a), follows = a_leads || moved(b);
    before(a) = now(a);
    before(b) = now(b);
    if (!follows) continue;
    const auto &leader = a_leads ? a : b, &follower = a_leads ? b : a;
    const auto cells = now(leader) / (axis == ImGuiAxis_X ? leader.cell.x : leader.cell.y);
    const auto there = std::clamp(std::floor(cells * (axis == ImGuiAxis_X ? follower.cell.x : follower.cell.y)), 0.f,
                                  follower.area->ScrollMax[axis]);
    axis == ImGuiAxis_X ? ImGui::SetScrollX(follower.area, there) : ImGui::SetScrollY(follower.area, there);
    before(follower) = there;
  }
}

}  // namespace app::ui
