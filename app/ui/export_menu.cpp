// The choice of what to save of the timings: a small menu over the picture, at its lower edge.
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Entry {
  Action action;
  const char* text;
  const char* help;
};
constexpr Entry entries[] = {
    {Action::export_timings, "Timings as JSON", "Means, percentiles and lows of frames and kernels, with the selection"},
    {Action::export_csv, "Timings as CSV", "The same as a table, a row per kernel"},
    {Action::export_frames, "Frames as CSV", "A row per frame, as far as the graph keeps them"},
    {Action::export_timeline, "Timeline for Perfetto",
     "The latest frames span by span, for ui.perfetto.dev or about:tracing: their way from capture to screen, what the CPU "
     "queued, what the device did"},
};

}  // namespace

void export_menu(PanelContext& ui, const Rect& rect) {
  if (!ui.settings.export_menu) return;
  ImGui::SetNextWindowPos({rect.x + rect.width / 2, rect.y + rect.height - 8 * ui.scale}, ImGuiCond_Always, {0.5f, 1});
  const OverlayWindow window("export", ui.scale, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_AlwaysAutoResize);
  if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();  // it has the arrows
  if (window.visible()) {
    {
      const WithFont bold(Font::bold);
      text("Save");
    }
    const WithFont small(Font::small);
    text("of " + frames_text(ui.state.graph.of), colour::dim);
    for (const auto& entry : entries) {
      if (ImGui::Selectable(entry.text)) {
        ui.act(entry.action);
        ui.change("export_menu", false);
      }
      tooltip(entry.help);
    }
  }
  // A click elsewhere closes it, as that of a menu.
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
      !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && !ImGui::IsWindowAppearing())
    ui.change("export_menu", false);
}

}  // namespace app::ui
