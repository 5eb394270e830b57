// The menu at the right end of the bar.
#include <imgui.h>

#include <string>

#include "app/control/change.h"
#include "app/control/names.h"
#include "app/support/text.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct MenuLine {
  Action action;
  const char* text;  // null: a line between groups
};
constexpr const char* copy_command = "Copy as command";  // no action: it is the window's alone
constexpr MenuLine menu_lines[] = {
    {Action::toggle_palette, "Find a command"},
    {Action::close, nullptr},
    {Action::undo, "Undo"},
    {Action::redo, "Redo"},
    {Action::close, nullptr},
    {Action::toggle_fullscreen, "Full screen"},
    {Action::toggle_panels, "Picture alone"},
    {Action::presentation, "Presentation and lessons"},
    {Action::ui_larger, "Larger text"},
    {Action::ui_smaller, "Smaller text"},
    {Action::close, nullptr},
    {Action::preferences, "Preferences"},
    {Action::set, copy_command},
    {Action::toggle_help, "Keys and help"},
    {Action::show_hints, "Where to begin"},
    {Action::quit, "Quit"},
};

// "Undo: Window": with the name of the setting.
std::string words_of(const PanelContext& ui, Action action, const char* words) {
  const auto& path = action == Action::undo ? ui.state.undoes : action == Action::redo ? ui.state.redoes : std::string();
  if (path.empty()) return words;
  const auto dot = path.rfind('.');
  return words + std::string(": ") + (dot == path.npos ? title_of_setting(path) : label_of(path.substr(dot + 1)));
}

}  // namespace

void main_menu(PanelContext& ui) {
  const MenuStyle style;
  for (const auto& [action, words] : menu_lines) {
    if (!words) {
      ImGui::Separator();
    } else if (words == copy_command) {
      const auto line = command_line_of(ui.settings);
      if (ImGui::MenuItem(words)) ImGui::SetClipboardText(line.c_str());
      tooltip("Copies a command line that starts the program with these settings:\n" + line);
    } else {
      const bool on = action == Action::toggle_fullscreen && ui.settings.fullscreen;
      menu_item(ui, action, {words_of(ui, action, words), {}, {}, on});
    }
  }
}

}  // namespace app::ui
