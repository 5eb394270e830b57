// The dock beside the picture: a line of tabs, and the tab that Settings::dock chooses.
#include <iterator>

#include "app/control/feature_gallery.h"
#include "app/control/names.h"
#include "app/ui/panel.h"
#include "app/ui/tool_button.h"

namespace app::ui {
namespace {

bool detects(const State& state) {
  return state.cascade.available || (state.selection.effect && state.selection.effect->name == feature_effect);
}

bool has_kernels(const State& state) { return !state.own_kernels.empty(); }

struct Tab {
  const char* title;
  const char* help;
  void (*draw)(PanelContext& ui);
  bool (*offered)(const State& state) = nullptr;  // else it has a title only while it is shown; null: always
};
constexpr Tab tabs[] = {
    {"Frame", "Where the time of a frame goes", frame_tab},
    {"Race", "The time of every algorithm on the picture shown", race_tab},
    {"Tiles", "When and where every tile of the picture was computed", tiles_tab},
    {"Detector", "How an object is found, stage by stage, and the features of a window", detector_tab, detects},
    {"Kernel", "Your own kernel: its source, and what each line costs", kernel_tab, has_kernels},
    {"Study", "The time of the algorithms by the size of the picture", study_tab},
};
static_assert(std::size(tabs) == std::size(dock_names));  // both are in the order of the enumeration

// ImGui's tab bar has a selection of its own: where another one was set, the bar follows; else the setting follows the bar.
void line_of_tabs(PanelContext& ui) {
  if (!ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyScroll | ImGuiTabBarFlags_NoTooltip)) return;
  const auto shown = static_cast<int>(ui.settings.dock);
  auto& storage = *ImGui::GetStateStorage();
  const auto key = ImGui::GetID("shown");
  const bool moved = storage.GetInt(key, -1) != shown;
  std::optional<int> chosen;
  for (int i = 0; i < static_cast<int>(std::size(tabs)); ++i) {
    const auto& tab = tabs[i];
    if (tab.offered && !tab.offered(ui.state) && i != shown) continue;
    const bool open = ImGui::BeginTabItem(tab.title, nullptr, moved && i == shown ? ImGuiTabItemFlags_SetSelected : 0);
    if (!open) {
      tooltip(tab.help, TooltipSide::above);  // what the tab shows stays in sight
      continue;
    }
    if (!moved && i != shown) chosen = i;
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
  storage.SetInt(key, chosen.value_or(shown));
  if (chosen) ui.settings.dock = static_cast<Dock>(*chosen);
  // Whoever opens the tab of the tiles wants to see them.
  const bool tiles = chosen && static_cast<Dock>(*chosen) == Dock::tiles;
  if (tiles && !ui.state.trace.history && why_not(Action::trace_tiles, ui.state, ui.settings).empty())
    ui.act(Action::trace_tiles);
}

// The left edge beside the picture, dragged by the mouse; a double click gives its width back to the window.
void edge(PanelContext& ui, const Rect& rect) {
  const auto inside = ImGui::GetCursorPos();
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  // It lies at the margin of the window, where ImGui's own clipping takes the mouse from items.
  ImGui::PushClipRect({rect.x, rect.y}, {rect.x + rect.width, rect.y + rect.height}, false);
  ImGui::InvisibleButton("edge", {std::round(6 * ui.scale), rect.height});
  ImGui::PopClipRect();
  ImGui::SetCursorPos(inside);
  const bool active = ImGui::IsItemActive();
  if (!active && !ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  ImGui::GetWindowDrawList()->AddRectFilled({rect.x, rect.y}, {rect.x + 2, rect.y + rect.height}, colour::accent);
  const auto& io = ImGui::GetIO();
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    ui.settings.dock_width = 0;
  else if (active && io.MouseDelta.x != 0)
    ui.settings.dock_width = static_cast<int>(std::max(1.f, std::round((rect.x + rect.width - io.MousePos.x) / ui.scale)));
}

}  // namespace

void dock(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("dock", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + 1, rect.y + rect.height});
  if (rect.x > 0) edge(ui, rect);
  const ToolButton close{"close", Icon::close, {}, "Close   " + ui.keys(Action::measure)};
  const auto right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const auto room = ImGui::GetContentRegionAvail().x - width_of(close) - ImGui::GetStyle().ItemSpacing.x;
  if (ImGui::BeginChild("tabs", {std::max(room, 1.f), ImGui::GetFrameHeight() + 1})) line_of_tabs(ui);
  ImGui::EndChild();
  // ImGui's line below the tabs ends where their bar does: it goes on below the button.
  const auto bar = last_item();
  const auto line = bar.y + ImGui::GetFrameHeight() - 1;
  ImGui::GetWindowDrawList()->AddRectFilled({bar.x + bar.width, line}, {right, line + 1}, colour::chosen);
  ImGui::SameLine();
  if (tool_button(close)) ui.settings.dock_open = false;
  if (ImGui::BeginChild("tab")) tabs[static_cast<std::size_t>(ui.settings.dock)].draw(ui);
  ImGui::EndChild();
}

}  // namespace app::ui
