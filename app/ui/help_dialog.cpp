// What the keys do, from the key table.
#include "app/ui/panel.h"

namespace app::ui {
namespace {

constexpr float least_column = 21, caps_width = 7.4f;  // em

struct HelpRow {
  std::vector<std::string> keys;
  std::string_view description;
};
struct Group {
  std::string_view name;
  std::vector<HelpRow> rows;
};

// The table's, a row per command; and the user's own, which replace some of the table's keys.
std::vector<Group> groups(const OwnKeys& own) {
  std::vector<Group> all;
  const Key* before = nullptr;
  for (const auto& key : app::keys()) {
    if (key.where == Key::Where::highgui || own.contains(label(key.press))) continue;
    const auto group = info(key.command).group;
    if (all.empty() || all.back().name != group) all.push_back({group, {}});
    if (!before || before->command != key.command) all.back().rows.push_back({{}, key.description});
    all.back().rows.back().keys.push_back(label(key.press));
    before = &key;
  }
  if (!own.empty()) all.push_back({"Your own", {}});
  for (const auto& [key, line] : own) all.back().rows.push_back({{key}, line});
  return all;
}

// Draws the label of a key as a key cap.
void cap(const std::string& label) {
  const auto width = text_width(label), thick = std::round(em() * 0.12f);
  const ImVec2 box(std::max(width + em() * 0.7f, em() * 1.5f), std::round(em() * 1.4f));
  const auto at = ImGui::GetCursorScreenPos();
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + box.x, at.y + box.y}, colour::active, em() * 0.25f);
  draw.AddRectFilled(at, {at.x + box.x, at.y + box.y - thick}, colour::control, em() * 0.25f);
  draw.AddText({at.x + std::round((box.x - width) / 2), at.y + thick}, colour::text, label.c_str());
  ImGui::Dummy(box);
}

void key_row(const HelpRow& row) {
  const auto start = ImGui::GetCursorPosX();
  for (const auto& key : row.keys) {
    cap(key);
    ImGui::SameLine(0, em() * 0.3f);
  }
  ImGui::SetCursorPosX(start + caps_width * em());
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::round(em() * 0.15f));
  wrapped(row.description, colour::dim);
}

void group(const Group& group) {
  {
    const WithFont bold(Font::bold);
    text(group.name, colour::accent);
  }
  for (const auto& row : group.rows) key_row(row);
  ImGui::Dummy({0, em() * 0.5f});
}

// In as many columns as there is room for: each group goes into the one that is shortest so far.
void all_groups(std::span<const Group> all) {
  struct Column {
    std::size_t rows = 0;
    std::vector<const Group*> groups = {};
  };
  std::vector<Column> columns(std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / (least_column * em()))));
  for (const auto& each : all) {
    auto& shortest = *std::ranges::min_element(columns, {}, &Column::rows);
    shortest.groups.push_back(&each);
    shortest.rows += each.rows.size() + 2;  // with its title, and the space below
  }
  constexpr auto flags = ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("groups", static_cast<int>(columns.size()), flags)) return;
  for (const auto& column : columns) {
    ImGui::TableNextColumn();
    for (const auto* each : column.groups) group(*each);
  }
  ImGui::EndTable();
}

}  // namespace

void help_dialog(PanelContext& ui) {
  constexpr auto title = "Keys and help";
  follow_popup(title, ui.settings.help);
  const Dialog dialog(title, 70);
  if (!dialog.visible()) return;
  all_groups(groups(ui.settings.keys));
  wrapped(
      "The wheel zooms at the mouse, dragging moves the picture, Shift+drag draws the rectangle whose sum is worked out. "
      "Files can be dropped on the window. A value is typed after a click on its slider with Ctrl.",
      colour::dim);
}

}  // namespace app::ui
