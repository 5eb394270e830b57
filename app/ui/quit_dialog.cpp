// Asks before the program quits while something is recorded, or a matrix was changed and not saved: once more means to save it,
// and to quit.
#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"

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
  // The question covers messages.
  if (state.matrix_unsaved && !state.matrix_problem.empty())
    wrapped("It could not be saved: " + state.matrix_problem, colour::bad);
}

struct Answer {
  const char* text;
  std::string help;
  bool quits, saves;
};

// "Save and quit" quits once the file is there: where it cannot be written, the question stays.
std::vector<Answer> answers(const PanelContext& ui) {
  const bool save = ui.state.matrix_unsaved;
  std::vector<Answer> all{
      {save ? "Save and quit" : "Stop and quit",
       std::string(save ? "Save the matrix" : "Save the video") + " and quit   " + ui.keys(Action::quit) + ", Enter", !save,
       save}};
  if (save) all.push_back({"Quit", "Quit without these numbers", true, false});
  all.push_back({save ? "Cancel" : "Keep recording", "Esc", false, false});
  return all;
}

void give(PanelContext& ui, const Answer& answer) {
  ui.drafts.quit = {.asked = answer.saves, .saving = answer.saves};
  if (answer.saves) ui.act(Action::save_matrix);
  if (answer.quits) ui.act(Action::quit);
}

// ImGui moves between them by the arrows, from the first one on, and Enter gives the one that is marked: always one is.
void buttons(PanelContext& ui) {
  imgui::show_focus(true);
  const auto all = answers(ui);
  const Answer *given = nullptr, *marked = all.data();
  for (const auto& answer : all) {
    if (&answer != all.data()) ImGui::SameLine();
    if (button(answer.text, answer.help)) given = &answer;
    if (ImGui::IsItemFocused()) marked = &answer;
  }
  if (imgui::is_pressed(imgui::KeyCode::pad_enter)) given = marked;
  if (ui.drafts.quit.confirmed) given = all.data();
  if (given) give(ui, *given);
}

// What would end or be lost.
bool asks_before_quitting(const State& state) { return state.recording || state.matrix_unsaved; }

}  // namespace

// A video would end without a word, or numbers would be lost: the user is asked once. Once more means that nothing is lost:
// the video ends here, the matrix is saved.
bool may_quit(QuitDraft& quit, const State& state) {
  if (quit.asked && state.matrix_unsaved) {
    quit.confirmed = true;
    return false;
  }
  const bool asks = asks_before_quitting(state);
  return std::exchange(quit, {.asked = asks && !quit.asked}).asked || !asks;
}

void quit_dialog(PanelContext& ui) {
  constexpr auto title = "Quit?";
  auto& quit = ui.drafts.quit;
  follow_popup(title, quit.asked);
  if (!quit.asked) return;
  // The recording ended meanwhile, or the matrix was saved.
  if (!asks_before_quitting(ui.state) || (quit.saving && !ui.state.matrix_unsaved)) {
    quit = {};
    return ui.act(Action::quit);
  }
  const Dialog dialog(title, 27);
  if (!dialog.visible()) return;
  question(ui.state);
  ImGui::Dummy({0, em() * 0.4f});
  buttons(ui);
}

}  // namespace app::ui
