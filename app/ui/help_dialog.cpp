// What the keys do, from the key table.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using Columns = std::vector<std::vector<std::size_t>>;

float height(std::span<const float> heights, const std::vector<std::size_t>& column) {
  return std::accumulate(column.begin(), column.end(), 0.f, [&](float sum, auto group) { return sum + heights[group]; });
}
float highest(std::span<const float> heights, const Columns& columns) {
  float most = 0;
  for (const auto& column : columns) most = std::max(most, height(heights, column));
  return most;
}

// Column after column, each no higher than `most` unless a single group is.
Columns filled(std::span<const float> heights, float most) {
  Columns columns;
  float used = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (i == 0 || used + heights[i] > most) {
      columns.emplace_back();
      used = 0;
    }
    columns.back().push_back(i);
    used += heights[i];
  }
  return columns;
}

// In the groups' order. The highest column is a run of groups: the lowest of all runs in which the others fit, too.
Columns in_order(std::span<const float> heights, std::size_t count) {
  std::vector<float> runs;
  for (std::size_t first = 0; first < heights.size(); ++first) {
    float sum = 0;
    for (std::size_t last = first; last < heights.size(); ++last) runs.push_back(sum += heights[last]);
  }
  std::sort(runs.begin(), runs.end());
  constexpr float rounding = 0.5f;  // sums of one run differ by the order in which they are added
  for (const auto most : runs)
    if (auto columns = filled(heights, most + rounding); columns.size() <= count) return columns;
  return {};
}

// The largest first, each into the lowest column.
Columns by_size(std::span<const float> heights, std::size_t count) {
  std::vector<std::size_t> groups(heights.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  std::stable_sort(groups.begin(), groups.end(), [&](auto a, auto b) { return heights[a] > heights[b]; });
  Columns columns(std::min(count, heights.size()));
  for (const auto group : groups)
    std::min_element(columns.begin(), columns.end(), [&](const auto& a, const auto& b) {
      return height(heights, a) < height(heights, b);
    })->push_back(group);
  for (auto& column : columns) std::sort(column.begin(), column.end());
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace

Columns balanced_columns(std::span<const float> heights, std::size_t columns) {
  constexpr float clearly = 0.95f;
  const auto count = std::max<std::size_t>(columns, 1);
  auto ordered = in_order(heights, count), sorted = by_size(heights, count);
  return highest(heights, sorted) < clearly * highest(heights, ordered) ? sorted : ordered;
}

namespace {

constexpr float least_column = 21;  // em

struct HelpRow {
  std::vector<std::string> keys;
  std::string_view description;
};
struct Group {
  std::string_view name;
  std::vector<HelpRow> rows;
};

// The table's, a row per action; and the user's own, which replace some of the table's keys.
std::vector<Group> groups(const OwnKeys& own) {
  std::vector<Group> all;
  const Key* before = nullptr;
  for (const auto& key : app::keys()) {
    if (own.contains(label(key.press))) continue;
    if (all.empty() || all.back().name != info(key.action).group) all.push_back({info(key.action).group, {}});
    if (!before || before->action != key.action || before->description != key.description)
      all.back().rows.push_back({{}, key.description});
    all.back().rows.back().keys.push_back(label(key.press));
    before = &key;
  }
  if (!own.empty()) all.push_back({"Your own", {}});
  for (const auto& [key, line] : own) all.back().rows.push_back({{key}, line});
  return all;
}

// Draws the label of a key as a key cap.
void cap(const std::string& label) {
  const auto em = ImGui::GetFontSize();
  const auto size = ImGui::CalcTextSize(label.c_str());
  const ImVec2 box(std::max(size.x + em * 0.7f, em * 1.5f), std::round(em * 1.4f));
  const auto at = ImGui::GetCursorScreenPos();
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + box.x, at.y + box.y}, colour::active, em * 0.25f);
  draw.AddRectFilled(at, {at.x + box.x, at.y + box.y - std::round(em * 0.12f)}, colour::control, em * 0.25f);
  draw.AddText({at.x + std::round((box.x - size.x) / 2), at.y + std::round(em * 0.12f)}, colour::text, label.c_str());
  ImGui::Dummy(box);
}

float caps_width() { return ImGui::GetFontSize() * 7.4f; }

void key_row(const HelpRow& row) {
  const auto em = ImGui::GetFontSize();
  const auto start = ImGui::GetCursorPosX();
  for (const auto& key : row.keys) {
    cap(key);
    ImGui::SameLine(0, em * 0.3f);
  }
  ImGui::SetCursorPosX(start + caps_width());
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::round(em * 0.15f));
  wrapped(row.description, colour::dim);
}

void group(const Group& group) {
  {
    const WithFont bold(Font::bold);
    text(group.name, colour::accent);
  }
  for (const auto& row : group.rows) key_row(row);
  ImGui::Dummy({0, ImGui::GetFontSize() * 0.5f});
}

// As group() draws it in a column of this width.
float height_of(const Group& group, float width) {
  const auto em = ImGui::GetFontSize(), spacing = ImGui::GetStyle().ItemSpacing.y;
  auto height = ImGui::GetTextLineHeight() + spacing + em * 0.5f + spacing;
  for (const auto& [keys, text] : group.rows) {
    const auto lines = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, width - caps_width()).y;
    height += std::max(std::round(em * 1.4f), std::round(em * 0.15f) + lines) + spacing;
  }
  return height;
}

// As many columns as there is room for.
void all_groups(const std::vector<Group>& all) {
  const auto em = ImGui::GetFontSize(), width = ImGui::GetContentRegionAvail().x, gaps = ImGui::GetStyle().CellPadding.x * 2;
  const auto count = static_cast<std::size_t>(std::max(1.f, std::floor(width / (least_column * em))));
  std::vector<float> heights;
  for (const auto& group : all) heights.push_back(height_of(group, width / static_cast<float>(count) - gaps));
  const auto columns = balanced_columns(heights, count);
  if (!ImGui::BeginTable("groups", static_cast<int>(columns.size()),
                         ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings))
    return;
  for (const auto& column : columns) {
    ImGui::TableNextColumn();
    for (const auto index : column) group(all[index]);
  }
  ImGui::EndTable();
}

}  // namespace

void help_dialog(PanelContext& ui) {
  constexpr auto title = "Keys and help";
  follow_setting(ui, title, "help", ui.settings.help);
  const Dialog dialog(title, 70);
  if (!dialog.visible()) return;
  all_groups(groups(ui.settings.keys));
  wrapped(
      "The wheel zooms at the mouse, dragging moves the picture, Shift+drag draws the rectangle whose sum is worked out. "
      "Files can be dropped on the window. A value is typed after a click on its slider with Ctrl.",
      colour::dim);
}

}  // namespace app::ui
