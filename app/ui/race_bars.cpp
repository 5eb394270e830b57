#include "app/ui/race_bars.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr double whole = 6;  // bars up to so many times the shortest are never clipped

// A gap of three lines at the end of the bar: it goes on.
void clip_mark(ImDrawList& draw, float end, float top, float bottom, const std::string& value) {
  const auto em = ImGui::GetFontSize();
  for (int i = 0; i < 3; ++i) {
    const auto x = end - em * (0.4f + 0.3f * static_cast<float>(i));
    draw.AddRectFilled({x, top}, {x + std::max(1.f, std::round(em * 0.12f)), bottom}, colour::panel);
  }
  draw.AddText({std::round(end - em * 1.3f - ImGui::CalcTextSize(value.c_str()).x), std::round((top + bottom - em) / 2)},
               colour::background, value.c_str());
}

}  // namespace

RaceScale race_scale(const RaceFigures& race) {
  RaceScale scale;
  std::vector<double> costs;
  for (const auto& row : race.rows) {
    const auto cost = race.cost(row);
    if (cost <= 0) continue;
    if (row.label == race.bound) scale.bound = cost;
    if (!row.bound) costs.push_back(cost);
  }
  std::ranges::sort(costs);
  if (!costs.empty()) {
    const auto slow = costs[std::min(costs.size() * 3 / 4, costs.size() - 1)];
    scale.full = std::min(costs.back(), std::max(whole * costs.front(), slow * 1.2));
  }
  scale.full = std::max({scale.full, scale.bound, 1e-9});
  return scale;
}

void race_bar(const RaceFigures& race, const RaceRow& row, const RaceScale& scale) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, em = ImGui::GetFontSize();
  const auto top = at.y + std::round(em * 0.1f), bottom = at.y + std::round(em * 0.95f);
  auto& draw = *ImGui::GetWindowDrawList();
  if (const auto cost = race.cost(row); cost > 0) {
    const auto end = at.x + width * static_cast<float>(std::min(cost / scale.full, 1.0));
    const auto fill = !row.problem.empty() ? colour::bad : row.bound ? colour::faint : colour::accent;
    draw.AddRectFilled({at.x, top}, {std::max(end, at.x + 1), bottom}, fill);
    const auto value = race.by_traffic() ? number(cost, 0) + " bytes"
                                         : narrow_microseconds(cost) + (cost < 1e6 ? " µs" : "");
    const bool fits = width > ImGui::CalcTextSize(value.c_str()).x + em * 1.6f;
    if (scale.clips(cost)) clip_mark(draw, end, top, bottom, fits ? value : std::string());
  }
  if (scale.bound > 0) {
    const auto x = std::round(at.x + width * static_cast<float>(scale.bound / scale.full));
    draw.AddRectFilled({x, at.y - 2}, {x + 1, at.y + em + 2}, colour::warning);
  }
  ImGui::Dummy({width, em});
}

}  // namespace app::ui
