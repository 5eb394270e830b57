// What is opened over the panels: lists, dialogs and the palette, all of them popups of ImGui. Whose the keys are, and what
// Escape closes.
#include <imgui_internal.h>

#include "app/control/command.h"
#include "app/control/imgui_keys.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

int open_popups() { return ImGui::GetCurrentContext()->OpenPopupStack.Size; }

// The presentation covers the panels, and no key.
bool covers(const OverlaySetting& overlay, const Settings& settings) {
  return overlay.open != &Settings::presentation && settings.*overlay.open;
}

// Escape closes what is on top. It never ends the program.
void close_top(PanelContext& ui) {
  if (ui.drafts.quit.asked)
    ui.drafts.quit = {};
  else if (open_popups() > 0)  // also a list within a list: first that one
    ImGui::ClosePopupToLevel(open_popups() - 1, true);
  else
    ui.change(*changes_of(Action::close, ui.settings, ui.context));
}

// Whether the command closes what it has opened.
bool closes(const PanelContext& ui, const Command& command) try {
  const auto changes = changes_of(command, ui.settings, ui.context);
  if (!changes || ui.settings.palette) return false;
  return std::ranges::any_of(overlay_settings, [&](const OverlaySetting& overlay) {
    return covers(overlay, ui.settings) && std::ranges::any_of(*changes, [&](const Change& change) {
             return change.path == overlay.path && change.text == "off";
           });
  });
} catch (const std::invalid_argument&) {  // not now
  return false;
}

// By a key. A number that is being typed counts; whether it is in a file is known when the next frame is drawn.
bool quits(PanelContext& ui) {
  const auto before = ui.settings.matrix;
  accept_valid_number(ui);
  const bool presented = std::exchange(ui.settings.presentation, false);  // it may have replaced numbers that are not saved
  if (ui.settings.matrix == before && !presented) return may_quit(ui.drafts.quit, ui.state);
  ui.drafts.quit.accepted = true;
  return false;
}

// The hints go with the first click or key, which does what it always does; Escape closes them alone. False: the keys are
// used.
bool dismiss_hints(PanelContext& ui) {
  bool clicked = false;
  for (const auto button : {ImGuiMouseButton_Left, ImGuiMouseButton_Right, ImGuiMouseButton_Middle})
    clicked = clicked || ImGui::IsMouseClicked(button);
  if (!ui.settings.hints || (!clicked && !imgui::any_key_is_pressed())) return true;
  ui.settings.hints = false;
  return !imgui::is_pressed(imgui::KeyCode::escape);
}

// What an open dialog or list leaves of a command: keys have their meaning where nothing is open.
void do_command(PanelContext& ui, const Command& command, bool covered) {
  if (command.action == Action::quit) {
    const bool help_alone = ui.settings.help && open_popups() <= 1;  // in which nothing is typed
    if ((!covered || ui.drafts.quit.asked || help_alone) && quits(ui)) ui.act(command);
  } else if (!covered && command.action == Action::close) {
    close_top(ui);
  } else if (!ui.drafts.quit.asked && (!covered || closes(ui, command))) {
    ui.act(command);
  }
}

}  // namespace

void follow_popup(const char* popup, bool& on) {
  auto& storage = *ImGui::GetStateStorage();
  const auto id = ImGui::GetID(popup);
  const bool open = ImGui::IsPopupOpen(popup), was_open = storage.GetBool(id);
  if (was_open && !open) on = false;  // ImGui has closed it
  if (on && !open) ImGui::OpenPopup(popup);
  if (!on && open && was_open) ImGui::ClosePopupToLevel(0, true);
  storage.SetBool(id, ImGui::IsPopupOpen(popup));
}

bool is_covered(const PanelContext& ui) {
  return ui.drafts.quit.asked || open_popups() > 0 ||
         std::ranges::any_of(overlay_settings, [&](const OverlaySetting& overlay) { return covers(overlay, ui.settings); });
}

void handle_keys(PanelContext& ui) {
  if (!dismiss_hints(ui)) return;
  if (std::exchange(ui.drafts.quit.accepted, false) && may_quit(ui.drafts.quit, ui.state)) ui.act(Action::quit);
  const bool list = ui.drafts.open_lists > 0,
             closed_by_imgui = open_popups() < ui.drafts.open_lists;  // where Escape was pressed
  // Escape leaves a field that is typed in, and what has that field only with the next one; a line that searches goes with its list.
  const auto& drafts = ui.drafts;
  const bool searches = drafts.palette.active || drafts.cards.active || drafts.browser.line.active;
  const bool typing = ImGui::GetIO().WantTextInput && !searches;
  if (is_covered(ui) && !closed_by_imgui && !typing && imgui::is_pressed(imgui::KeyCode::escape)) return close_top(ui);
  const bool covered = is_covered(ui) || list;
  std::vector<imgui::KeyCode> taken;
  const bool offered = ui.settings.presentation && ui.drafts.matrix.offered;  // the arrows are the lessons'
  if (!offered && take_matrix_keys(ui, taken)) return;
  if (ui.settings.presentation) take_presentation_keys(ui, taken, covered);
  for (const auto& command : pressed(ImGui::GetIO(), ui.settings.keys, taken)) do_command(ui, command, covered);
}

void dialogs(PanelContext& ui) {
  palette(ui);
  help_dialog(ui);
  file_browser(ui);
  quit_dialog(ui);
}

void settle_keyboard(PanelContext& ui) {
  ui.drafts.open_lists = open_popups();
  // These move between their entries by keys of their own. A list that is opened within one of them has none.
  const bool own = !ui.drafts.quit.asked && (ui.settings.palette || ui.settings.browse || ui.settings.cards) &&
                   open_popups() <= 1;
  const bool navigates = ui.drafts.open_lists > 0 && !own;
  imgui::navigate(navigates);
  if (!navigates) imgui::show_focus(false);
}

}  // namespace app::ui
