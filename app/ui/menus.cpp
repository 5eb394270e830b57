// The lists that open below a control, and two of them: the menus of what can be saved, and of the window.
#include <imgui.h>

#include <string>
#include <utility>

#include "app/control/change.h"
#include "app/control/names.h"
#include "app/support/text.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// `note`: the ending of the file, where no key is shown.
struct Saved {
  Action action;
  const char* text;
  const char* note = nullptr;
  const char* help = nullptr;  // null: the action's
};
constexpr Saved separator{Action::close, nullptr};
constexpr Saved entries_of_save_menu[] = {
    {Action::save_picture, "Save picture"},
    {Action::copy_picture, "Copy picture"},
    {Action::screenshot, "Save window"},
    separator,
    {Action::toggle_record, "Record video"},
    {Action::record_clip, "Record 5 seconds as WebP or GIF", nullptr,
     "A small animation for a page or a message, of 15 pictures per second; it stops by itself"},
    separator,
    {Action::save_table, "Table", ".npy", "All entries of the frame's table, for NumPy: as many as the picture has pixels"},
    {Action::save_matrix, "Matrix", ".csv"},
    {Action::export_timings, "Timings", ".json", "Means, percentiles and lows of frames and kernels, with the selection"},
    {Action::export_csv, "Timings as a table", ".csv", "The same as a table, a row per kernel"},
    {Action::export_frames, "All frames", ".csv", "A row per frame, as far as the graph keeps them"},
    {Action::export_timeline, "Timeline for Perfetto", ".json",
     "The latest frames span by span, for ui.perfetto.dev or about:tracing: their way from capture to screen, what the CPU "
     "queued, what the device did"},
    {Action::export_race, "Race", ".json"},
    {Action::export_study, "Study", ".json"},
    {Action::export_trace, "Trace", ".json"},
    {Action::save_wrong_frame, "Frame whose table was wrong", ".png"},
    separator,
    {Action::open_folder, "Show folder"},
};

std::string note_of(const PanelContext& ui, const Saved& saved) {
  if (saved.action == Action::open_folder) return shortened(ui.settings.output_folder, em() * 14);
  if (!saved.note || why_not(saved.action, ui.state, ui.settings).empty()) return saved.note ? saved.note : "";
  return saved.action == Action::save_matrix ? "not a matrix" : "none yet";
}

void save_entry(PanelContext& ui, const Saved& saved) {
  const bool records = saved.action == Action::toggle_record;
  const auto at = ImGui::GetCursorScreenPos();
  const auto words = std::string(6, ' ') + (records && ui.state.recording ? "Stop recording" : saved.text);
  menu_item(ui, saved.action, {words, note_of(ui, saved), saved.help ? saved.help : ""});
  if (records) draw_icon(*ImGui::GetWindowDrawList(), Icon::record, {at.x + em() * 0.5f, at.y + em() / 2}, colour::bad);
}

void save_menu(PanelContext& ui) {
  const MenuStyle style;
  for (const auto& saved : entries_of_save_menu) {
    if (!saved.text)
      ImGui::Separator();
    else if (saved.action != Action::save_wrong_frame || ui.state.check.wrong > 0)
      save_entry(ui, saved);
  }
  const auto& of = ui.state.graph.of;
  if (of.selected) text("Timings are of " + frames_text(of), colour::dim);
}

struct MenuLine {
  const char *command, *text;  // null: a line between groups; of the command alone: what is the window's alone
};
constexpr MenuLine menu_lines[] = {
    {"toggle palette", "Find a command"},
    {},
    {"undo", "Undo"},
    {"redo", "Redo"},
    {},
    {"toggle fullscreen", "Full screen"},
    {"toggle panels", "Picture alone"},
    {"toggle presentation", "Presentation and lessons"},
    {"ui_larger", "Larger text"},
    {"ui_smaller", "Smaller text"},
    {},
    {"toggle preferences", "Preferences"},
    {nullptr, "Copy as command"},
    {"toggle help", "Keys and help"},
    {"show_hints", "Where to begin"},
    {"quit", "Quit"},
};

// "Undo: Window": with the name of the setting.
std::string words_of(const PanelContext& ui, Action action, const char* words) {
  const auto& path = action == Action::undo ? ui.state.undoes : action == Action::redo ? ui.state.redoes : std::string();
  if (path.empty()) return words;
  const auto dot = path.rfind('.');
  return words + std::string(": ") + (dot == path.npos ? title_of_setting(path) : label_of(path.substr(dot + 1)));
}

void main_menu(PanelContext& ui) {
  const MenuStyle style;
  for (const auto& [line, words] : menu_lines) {
    if (!words) {
      ImGui::Separator();
    } else if (!line) {
      const auto copied = command_line_of(ui.settings);
      if (ImGui::MenuItem(words)) ImGui::SetClipboardText(copied.c_str());
      tooltip("Copies a command line that starts the program with these settings:\n" + copied);
    } else {
      const Command command(line);
      menu_item(ui, command,
                {words_of(ui, command.action, words), {}, {}, command.setting == "fullscreen" && ui.settings.fullscreen});
    }
  }
}

void zoom_list(PanelContext& ui) {
  const MenuStyle style;
  for (const auto action : {Action::fit, Action::actual_size, Action::zoom_in, Action::zoom_out})
    menu_item(ui, action, {std::string(description(action))});
  ImGui::Separator();
  text("Values of pixels, where they are large", colour::dim);
  setting_entries(ui, "cells");
}

}  // namespace

// They are here also while the bar is not: keys and scripts open some of them. A window without a place of its own has them.
void lists(PanelContext& ui) {
  ImGui::SetNextWindowPos({-10, -10});
  ImGui::SetNextWindowSize({1, 1});
  ImGui::Begin("lists", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  if (auto* opened = std::exchange(ui.drafts.opened, nullptr)) ImGui::OpenPopup(opened);
  follow_popup("algorithm", ui.settings.cards);
  follow_popup("save", ui.settings.export_menu);
  follow_popup("Preferences", ui.settings.preferences);
  const auto& targets = ui.drafts.targets;
  const auto list = [&](const char* id, const Rect& below, bool at_right, void (*draw)(PanelContext&), float widest = 0) {
    if (!begin_popup_below(id, below, at_right, widest)) return;
    draw(ui);
    ImGui::EndPopup();
  };
  list("source", targets.source, false, source_list);
  if (!ImGui::IsPopupOpen("algorithm")) ui.drafts.cards = {};
  list("algorithm", targets.algorithm, false, algorithm_list, width_of_algorithm_list());
  list("effect", targets.effect, false, effect_list);
  list("save", targets.save, true, save_menu);
  list("menu", targets.menu, true, main_menu);
  list("parameters", targets.more, false, parameter_list);
  list("comparison", targets.compare, true, comparison);
  list("zoom", targets.zoom, true, zoom_list);
  preferences(ui);
  dialogs(ui);
  ImGui::End();
}

void command_button(PanelContext& ui, const char* text, const Command& command) {
  if (button(text, ui.help_of(command), why_not(command, ui.state, ui.settings))) ui.act(command);
}

bool menu_item(PanelContext& ui, const Command& command, const MenuEntry& entry) {
  const auto why = why_not(command, ui.state, ui.settings), keys = ui.keys(command);
  const auto note = entry.note.empty() ? keys.substr(0, keys.find(", ")) : entry.note;
  const std::string what(description(command));
  const bool chosen = menu_entry(entry.text + "###" + what, note, entry.on, why.empty());
  tooltip(!why.empty() ? why : !entry.help.empty() ? entry.help : what);
  if (chosen && (command.action != Action::quit || may_quit(ui.drafts.quit, ui.state)))
    ui.act(command);  // else the user is asked first
  return chosen;
}

}  // namespace app::ui
