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

}  // namespace

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

}  // namespace app::ui
