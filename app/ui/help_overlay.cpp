// What the keys do, from the table of keys.
#include <algorithm>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Group {
  std::string_view name;
  std::vector<const Key*> keys;  // one for each action
};

std::vector<Group> groups() {
  std::vector<Group> all;
  for (const auto& key : keys()) {
    if (all.empty() || all.back().name != key.group) all.push_back({key.group, {}});
    auto& list = all.back().keys;
    const auto same = [&](const Key* other) {
      return other->action == key.action && other->description == key.description;
    };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back(&key);
  }
  return all;
}

std::string labels_of(const Key& key) {
  std::string all;
  for (const auto& other : keys())
    if (other.action == key.action && other.description == key.description)
      all += (all.empty() ? "" : ", ") + label(other);
  return all;
}

void group(const Group& group) {
  {
    const WithFont bold(Font::bold);
    text(group.name, colour::accent);
  }
  for (const auto* key : group.keys) {
    const auto start = ImGui::GetCursorPosX();
    text(labels_of(*key));
    ImGui::SameLine(start + ImGui::GetFontSize() * 6.4f);
    text(key->description, colour::dim);
  }
  ImGui::Dummy({0, ImGui::GetFontSize() * 0.3f});
}

}  // namespace

void help_overlay(Panel& panel, const Rect& rect) {
  if (!panel.settings.help) return;
  const auto width = std::min(rect.width - 20 * panel.scale, 46 * ImGui::GetFontSize());
  ImGui::SetNextWindowPos({rect.x + rect.width / 2, rect.y + rect.height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, rect.height - 10 * panel.scale});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6 * panel.scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {20 * panel.scale, 16 * panel.scale});
  const bool shown = ImGui::Begin("help", nullptr,
                                  ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
  if (shown && ImGui::BeginTable("groups", 2, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings)) {
    const auto all = groups();
    ImGui::TableNextColumn();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == (all.size() + 1) / 2 - 1) ImGui::TableNextColumn();
      group(all[i]);
    }
    ImGui::EndTable();
  }
  ImGui::End();
}

}  // namespace app::ui
