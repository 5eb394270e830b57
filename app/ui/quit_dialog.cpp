// Asks before the program quits while something is recorded: once more means yes.
#include <algorithm>

#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {

void quit_dialog(PanelContext& ui, const Rect& rect) {
  auto& asked = ui.drafts.quit_asked;
  if (!asked) return;
  if (!ui.state.recording) {  // it ended meanwhile
    asked = false;
    return ui.act(Action::quit);
  }
  const auto em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({rect.x + rect.width / 2, rect.y + rect.height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(rect.width, em * 27), 0});
  ImGui::SetNextWindowFocus();
  const OverlayWindow window("quit", ui.scale, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_AlwaysAutoResize,
                             ImVec2(20, 16));
  if (window.visible()) {
    {
      const WithFont bold(Font::bold);
      text("Recording: " + seconds(ui.state.recorded_seconds), colour::accent);
    }
    wrapped("Quitting ends the video here and saves it.", colour::text);
    ImGui::Dummy({0, em * 0.4f});
    if (button("Stop and quit", "Save the video and quit   " + labels(Action::quit) + ", Enter") ||
        imgui::is_pressed(imgui::KeyCode::enter)) {
      asked = false;
      ui.act(Action::quit);
    }
    ImGui::SameLine();
    if (button("Keep recording", "Esc")) asked = false;
  }
}

}  // namespace app::ui
