// The lists that open below a control, and two of them: the menus of what can be saved, and of the window.

#include "app/control/names.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"

namespace app::ui {
namespace {

struct MenuLine {
  const char *command, *text;  // null: a line between groups; of the command alone: what is the window's alone
  const char* note = nullptr;  // the ending of the file, where no key is shown
  const char* help = "";       // empty: the command's
};
constexpr MenuLine save_lines[] = {
    {"save_picture", "Save picture"},
    {"copy_picture", "Copy picture"},
    {"screenshot", "Save window"},
    {},
    {"toggle_record", "Record video"},
    {"record_clip", "Record 5 seconds as WebP or GIF", nullptr,
     "A small animation for a page or a message, of 15 pictures per second; it stops by itself"},
    {},
    {"save_table", "Table", ".npy", "All entries of the frame's table, for NumPy: as many as the picture has pixels"},
    {"save_matrix", "Matrix", ".csv"},
    {"export", "Timings", ".json", "Means, percentiles and lows of frames and kernels, with the selection"},
    {"export_csv", "Timings as a table", ".csv", "The same as a table, a row per kernel"},
    {"export_frames", "All frames", ".csv", "A row per frame, as far as the graph keeps them"},
    {"export_timeline", "Timeline for Perfetto", ".json",
     "The latest frames span by span, for ui.perfetto.dev or about:tracing: their way from capture to screen, what the CPU "
     "queued, what the device did"},
    {"export_race", "Race", ".json"},
    {"export_study", "Study", ".json"},
    {"export_trace", "Trace", ".json"},
    {"save_wrong_frame", "Frame whose table was wrong", ".png"},
    {},
    {"open_folder", "Show folder"},
};
constexpr MenuLine main_lines[] = {
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
  if (action == Action::toggle_record && ui.state.recording) return "Stop recording";
  const auto& path = action == Action::undo ? ui.state.undoes : action == Action::redo ? ui.state.redoes : std::string();
  return path.empty() ? words : words + std::string(": ") + title_of_setting(path);
}

std::string note_of(const PanelContext& ui, Action action, const char* ending) {
  if (action == Action::open_folder) return shortened(ui.settings.output_folder, em() * 14);
  if (!ending || why_not(action, ui.state, ui.settings).empty()) return ending ? ending : "";
  return action == Action::save_matrix ? "not a matrix" : "none yet";
}

void copy_as_command(const Settings& settings, const std::string& words) {
  const auto copied = command_line_of(settings);
  if (menu_entry(words, {})) ImGui::SetClipboardText(copied.c_str());
  tooltip("Copies a command line that starts the program with these settings:\n" + copied);
}

// Their words begin behind the place of a sign.
void menu(PanelContext& ui, std::span<const MenuLine> lines) {
  const MenuStyle style;
  const std::string sign(6, ' ');
  for (const auto& [line, words, note, help] : lines) {
    if (!words) {
      ImGui::Separator();
    } else if (!line) {
      copy_as_command(ui.settings, sign + words);
    } else if (const Command command(line); command.action != Action::save_wrong_frame || ui.state.check.wrong > 0) {
      const auto at = ImGui::GetCursorScreenPos();
      menu_item(ui, command,
                {sign + words_of(ui, command.action, words), note_of(ui, command.action, note), help,
                 command.setting == "fullscreen" && ui.settings.fullscreen});
      if (command.action == Action::toggle_record)
        draw_icon(*ImGui::GetWindowDrawList(), Icon::record, {at.x + em() / 2, at.y + em() / 2}, colour::bad);
    }
  }
}

void main_menu(PanelContext& ui) { menu(ui, main_lines); }
void save_menu(PanelContext& ui) {
  menu(ui, save_lines);
  const auto& of = ui.state.graph.of;
  if (of.selected) text("Timings are of " + frames_text(of), colour::dim);
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
  if (const auto* list = std::exchange(ui.drafts.list_to_open, nullptr)) ImGui::OpenPopup(list);
  follow_popup("algorithm", ui.settings.cards);
  follow_popup("save", ui.settings.export_menu);
  follow_popup("Preferences", ui.settings.preferences);
  const auto& targets = ui.drafts.targets;
  const auto list = [&](const char* id, const Rect& below, bool at_right, void (*draw)(PanelContext&), float widest = 0) {
    if (!begin_popup_below(id, below, at_right, widest)) return;
    draw(ui);
    ImGui::EndPopup();
  };
  list("source", targets.source, false, source_list, em() * 22);
  if (!ImGui::IsPopupOpen("algorithm")) ui.drafts.cards = {};
  list("algorithm", targets.algorithm, false, algorithm_list, width_of_algorithm_list());
  list("effect", targets.effect, false, effect_list);
  list("save", targets.save, true, save_menu);
  list("menu", targets.menu, true, main_menu);
  list("parameters", targets.more, false, parameter_list, em() * 26);
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
