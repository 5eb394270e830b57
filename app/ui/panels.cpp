// What Panels::draw() does, in order: keys, then every panel at its place.
#include <imgui.h>
#include <imgui_internal.h>

#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// Escape closes what lies on top first.
bool closed_something(Settings& settings) {
  if (settings.help) {
    settings.help = false;
    return true;
  }
  if (ImGui::IsPopupOpen(static_cast<const char*>(nullptr), ImGuiPopupFlags_AnyPopup)) {
    ImGui::ClosePopupToLevel(0, true);
    return true;
  }
  return false;
}

void left_column(Panel& panel, const Rect& rect) {
  const PanelWindow window("choices", rect, 0, true);
  if (!window.visible()) return;
  hairline({rect.x + rect.width - 1, rect.y}, {rect.x + rect.width, rect.y + rect.height});
  source_section(panel);
  algorithm_section(panel);
  effect_section(panel);
  display_section(panel);
}

}  // namespace

Panels::Panels() : drafts_(std::make_unique<Drafts>()) {}
Panels::~Panels() = default;

Result Panels::draw(const State& state, Settings& settings) {
  Result asked, result;
  Panel panel{state, settings, asked, *drafts_, display_scale()};
  for (const auto action : pressed(ImGui::GetIO()))
    if (action != Action::quit || !imgui::is_pressed(imgui::KeyCode::escape) || !closed_something(settings))
      panel.act(action);

  const auto& display = ImGui::GetIO().DisplaySize;
  const auto places = layout(settings, static_cast<int>(display.x), static_cast<int>(display.y));
  bar(panel, places.bar);
  left_column(panel, places.left);
  timings_panel(panel, places.timings);
  frame_graph_panel(panel, places.graph);
  status_line(panel, places.status);
  messages(panel, places.picture);
  help_overlay(panel, {0, 0, display.x, display.y});

  const ActionContext context{state.device, state.gpu.has_value(), state.no_simulated.empty(), state.zoom};
  for (const auto action : asked.actions)
    if (!apply(action, settings, context)) result.actions.push_back(action);
  return result;
}

}  // namespace app::ui
