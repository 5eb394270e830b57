// What the keys do, from the key table.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Group {
  std::string_view name;
  std::vector<const Key*> keys;  // one per action
};

std::vector<Group> groups() {
  std::vector<Group> all;
  for (const auto& key : keys()) {
    if (all.empty() || all.back().name != info(key.action).group) all.push_back({info(key.action).group, {}});
    auto& list = all.back().keys;
    const auto same = [&](const Key* other) { return other->action == key.action && other->description == key.description; };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back(&key);
  }
  return all;
}

// The first group of the second column, such that both have about the same number of rows.
std::size_t second_column(const std::vector<Group>& all) {
  const auto rows = [&](std::size_t from, std::size_t to) {
    std::size_t sum = 0;
    for (auto i = from; i < to; ++i) sum += all[i].keys.size() + 1;
    return sum;
  };
  std::size_t at = 0;
  while (at < all.size() && rows(0, at) < rows(at, all.size())) ++at;
  return at;
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

void key_row(const Key& key) {
  const auto em = ImGui::GetFontSize();
  const auto start = ImGui::GetCursorPosX();
  for (const auto& other : keys())
    if (other.action == key.action && other.description == key.description) {
      cap(label(other));
      ImGui::SameLine(0, em * 0.3f);
    }
  ImGui::SetCursorPosX(start + em * 7.4f);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::round(em * 0.15f));
  wrapped(key.description, colour::dim);
}

void group(const Group& group) {
  {
    const WithFont bold(Font::bold);
    text(group.name, colour::accent);
  }
  for (const auto* key : group.keys) key_row(*key);
  ImGui::Dummy({0, ImGui::GetFontSize() * 0.5f});
}

}  // namespace

void help_overlay(PanelContext& ui, const Rect& rect) {
  if (!ui.settings.help) return;
  const auto width = std::min(rect.width - 20 * ui.scale, 50 * ImGui::GetFontSize());
  ImGui::SetNextWindowPos({rect.x + rect.width / 2, rect.y + rect.height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, rect.height - 10 * ui.scale});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6 * ui.scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {20 * ui.scale, 16 * ui.scale});
  const bool shown = ImGui::Begin("help", nullptr,
                                  ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
  if (shown && ImGui::BeginTable("groups", 2, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings)) {
    const auto all = groups();
    const auto half = second_column(all);
    ImGui::TableNextColumn();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == half) ImGui::TableNextColumn();
      group(all[i]);
    }
    ImGui::EndTable();
    const WithFont small(Font::small);
    wrapped(
        "The wheel zooms at the mouse, dragging moves the picture. Files can be dropped on the window. "
        "The value beside a slider can also be typed.",
        colour::dim);
  }
  ImGui::End();
}

}  // namespace app::ui
