// Asks before the program quits while something is recorded, or a matrix was changed and not saved: once more means to save it,
// and to quit.
#include <algorithm>

#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

void question(const State& state) {
  {
    const WithFont bold(Font::bold);
    if (state.recording) text("Recording: " + seconds(state.recorded_seconds), colour::accent);
    if (state.matrix_unsaved) text("The matrix was changed and not saved.", colour::accent);
  }
  if (state.recording) wrapped("Quitting ends the video here and saves it.", colour::text);
  if (state.matrix_unsaved)
    wrapped("Saving writes its numbers to a new CSV file in the folder of saved files.", colour::text);
}

// "Save and quit" quits once the file is there: where it cannot be written, the question stays.
void answers(PanelContext& ui) {
  auto& quit = ui.drafts.quit;
  const bool save = ui.state.matrix_unsaved;
  ImGui::PushStyleColor(ImGuiCol_Button, colour::active);  // what Enter does
  const bool yes = button(
      save ? "Save and quit" : "Stop and quit",
      std::string(save ? "Save the matrix" : "Save the video") + " and quit   " + labels(Action::quit) + ", Enter");
  ImGui::PopStyleColor();
  if (yes || imgui::enter_is_pressed() || std::exchange(quit.confirmed, false)) {
    ui.act(save ? Action::save_matrix : Action::quit);
    quit = {.asked = save, .saving = save};
  }
  ImGui::SameLine();
  if (save) {
    if (button("Quit", "Quit without these numbers")) {
      quit = {};
      ui.act(Action::quit);
    }
    ImGui::SameLine();
  }
  if (button(save ? "Cancel" : "Keep recording", "Esc")) quit = {};
}

}  // namespace

bool asks_before_quitting(const State& state) { return state.recording || state.matrix_unsaved; }

void quit_dialog(PanelContext& ui, const Rect& rect) {
  auto& quit = ui.drafts.quit;
  if (!quit.asked) return;
  // The recording ended meanwhile, or the matrix was saved.
  if (!asks_before_quitting(ui.state) || (quit.saving && !ui.state.matrix_unsaved)) {
    quit = {};
    return ui.act(Action::quit);
  }
  const auto em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({rect.x + rect.width / 2, rect.y + rect.height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(rect.width, em * 27), 0});
  ImGui::SetNextWindowFocus();
  const OverlayWindow window("quit", ui.scale, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_AlwaysAutoResize,
                             ImVec2(20, 16));
  if (!window.visible()) return;
  question(ui.state);
  ImGui::Dummy({0, em * 0.4f});
  answers(ui);
}

}  // namespace app::ui
