#include "app/ui/kernel_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/ui/widgets.h"

namespace app::ui {
namespace {

std::optional<double> stated(const KernelRow& row, KernelSort by) {
  const auto& stage = row.stage;
  switch (by) {
    case KernelSort::launches: return stage.launches;
    case KernelSort::last: return stage.last;
    case KernelSort::mean: return stage.mean;
    case KernelSort::p50: return stage.p50;
    case KernelSort::p90: return stage.p90;
    case KernelSort::p99: return stage.p99;
    case KernelSort::p999: return stage.p999;
    case KernelSort::max: return stage.max;
    case KernelSort::share: return row.computes() ? std::optional(stage.share) : std::nullopt;
    case KernelSort::rate: return row.gb_per_s;
    case KernelSort::bound: return row.of_bound;
    case KernelSort::run:
    case KernelSort::name: break;
  }
  return {};
}

std::optional<double> figure(const KernelRow& row, KernelSort by) {
  const auto value = stated(row, by);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

void number_colours(std::span<KernelRow> rows) {
  std::size_t next = 0;
  for (auto& row : rows)
    if (has_colour(row)) row.colour = next++;
}

std::vector<const KernelRow*> ordered(std::span<const KernelRow> rows, KernelSort by, bool descending) {
  std::vector<const KernelRow*> order;
  for (const auto& row : rows) order.push_back(&row);
  if (by == KernelSort::run) return order;
  std::ranges::stable_sort(order, [&](const KernelRow* a, const KernelRow* b) {
    if (a->computes() != b->computes()) return a->computes();
    if (by == KernelSort::name) return descending ? b->stage.name < a->stage.name : a->stage.name < b->stage.name;
    const auto left = figure(*a, by), right = figure(*b, by);
    if (!left || !right) return left.has_value() && !right;
    return descending ? *left > *right : *left < *right;
  });
  return order;
}

KernelOrder after_click(const KernelOrder& now, KernelSort column) {
  const bool first = column != KernelSort::name;  // names: from A on
  if (now.by != column) return {column, first};
  if (now.descending == first) return {column, !first};
  return {KernelSort::run, true};
}

namespace {

float swatch_side() { return std::round(ImGui::GetFontSize() * 0.5f); }

// The indent of a row's name: by its depth in the tree, and by the swatch, which groups do not have.
float indent(const KernelRow& row, bool tree) {
  return (tree ? static_cast<float>(row.stage.depth) * swatch_side() : 0) +
         (row.stage.leaf ? swatch_side() + std::round(ImGui::GetFontSize() * 0.4f) : 0);
}

}  // namespace

ImU32 row_colour(const KernelRow& row) {
  if (has_colour(row)) return colour::row(row.colour);
  return row.computes() ? colour::dim : colour::faint;
}

ImU32 path_colour(std::span<const KernelRow> rows, std::string_view path) {
  const auto row = std::ranges::find_if(rows, [&](const KernelRow& each) { return each.stage.name == path; });
  return row == rows.end() ? colour::row(std::hash<std::string_view>()(path)) : row_colour(*row);
}

float name_width(const KernelRow& row, bool tree) {
  return indent(row, tree) + ImGui::CalcTextSize(row.title(tree).c_str()).x;
}

void name_cell(const KernelRow& row, bool tree) {
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const auto side = swatch_side(), top = std::round(at.y + (em - side) / 2);
  const auto left = at.x + indent(row, tree);
  if (row.stage.leaf) {
    const auto swatch = at.x + (tree ? static_cast<float>(row.stage.depth) * side : 0);
    ImGui::GetWindowDrawList()->AddRectFilled({swatch, top}, {swatch + side, top + side}, row_colour(row), 1);
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left - at.x);
  text(shortened(row.title(tree), ImGui::GetContentRegionAvail().x), row.computes() ? colour::text : colour::dim);
}

void share_cell(const KernelRow& row) {
  if (!row.computes()) return;
  const auto at = ImGui::GetCursorScreenPos();
  const auto em = ImGui::GetFontSize(), number_width = em * 2.4f;
  const auto width = ImGui::GetContentRegionAvail().x - number_width;
  const auto top = at.y + std::round(em * 0.35f), bottom = at.y + std::round(em * 0.75f);
  if (width > em) {
    auto& draw = *ImGui::GetWindowDrawList();
    const auto part = static_cast<float>(std::clamp(row.stage.share, 0.0, 1.0));
    draw.AddRectFilled({at.x, top}, {at.x + width, bottom}, colour::control);
    draw.AddRectFilled({at.x, top}, {at.x + width * part, bottom}, row_colour(row));
  }
  right_aligned(number(row.stage.share * 100, 0) + "%");
}

void sparkline(std::span<const float> values, ImU32 colour) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto em = ImGui::GetFontSize(), width = ImGui::GetContentRegionAvail().x, height = std::round(em * 0.85f);
  ImGui::Dummy({width, em});
  if (values.size() < 2) return;
  const auto largest = std::max(*std::ranges::max_element(values), 1e-6f);
  const auto bottom = at.y + em - std::round(em * 0.05f);
  ImVec2 points[StageStatistics::recent_frames];
  const auto count = std::min(values.size(), std::size(points));
  const auto latest = values.last(count);
  const auto step = width / static_cast<float>(StageStatistics::recent_frames - 1);
  const auto first = at.x + width - step * static_cast<float>(count - 1);  // the latest at the right
  for (std::size_t i = 0; i < count; ++i)
    points[i] = {first + step * static_cast<float>(i), bottom - height * latest[i] / largest};
  ImGui::GetWindowDrawList()->AddPolyline(points, static_cast<int>(count), colour, 0, 1);
}

}  // namespace app::ui
