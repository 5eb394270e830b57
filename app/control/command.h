// Commands: what a key, a button, the palette or a script asks for, as a line of text: the name of an action and what that takes.
// Some change settings; the session or the window carries out the others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/control/actions.h"
#include "app/control/change.h"

namespace app {

struct Command {
  Action action;
  std::filesystem::path to;           // of an action that writes a file; empty: a new one in the folder of saved files
  std::optional<double> number = {};  // of seek, seconds; of step, pictures
  bool relative = false;              // the number of seek: from where it is
  // A path of change.h, and what is done with it; open: the source is the text, edit_kernel: the file; new_kernel: "effect", or empty.
  std::string setting = {}, text = {};

  Command(Action action, std::filesystem::path to = {}) : action(action), to(std::move(to)) {}
  Command(const char* line);  // parse_command(): of the program's own lines, "toggle loop"
  friend bool operator==(const Command&, const Command&) = default;
};

// "seek 3.5" or "seek 1:30", "seek -5", "step 10", "set effect haar", "add haar.x 8", "multiply speed 2" or "speed *2" ("speed /2"),
// "cycle device", "cycle effect back", "toggle panels", "reset speed", "open clip.mp4", "export csv to t.csv", "race"; and names
// of earlier versions. Throws std::invalid_argument with one line that suggests the nearest word. Whether the setting is there
// is found out by changes_of().
Command parse_command(std::string_view line);
// The action, whose result goes to that file; throws the same where it writes none, or none of that ending.
Command saved_to(Action action, const std::string& path);
Command command_of(const ActionInfo& row);  // of the action, without what it takes; or the whole line
// The row of the table: that of the whole line, where it has one, else of its action.
const ActionInfo& info(const Command& command);
inline std::string_view description(const Command& command) { return info(command).description; }

// The changes of settings that a command stands for; nullopt if it changes none. Throws std::invalid_argument if it is not
// possible now (cycle device if the host is the only one).
std::optional<std::vector<Change>> changes_of(const Command& command, const Settings& settings,
                                              const ChangeContext& context);
// Whether those start from a value that the picture decides: 8 is added to the width of a feature that nobody chose.
bool starts_from_picture(const Command& command, const Settings& settings, const ChangeContext& context);
// The settings that open what lies over the panels, from the bottom up: Action::close closes the last that is open.
struct OverlaySetting {
  std::string_view path;
  bool Settings::*open;
};
inline constexpr OverlaySetting overlay_settings[] = {{"presentation", &Settings::presentation},
                                                      {"export_menu", &Settings::export_menu},
                                                      {"cards", &Settings::cards},
                                                      {"preferences", &Settings::preferences},
                                                      {"help", &Settings::help},
                                                      {"palette", &Settings::palette},
                                                      {"browse", &Settings::browse}};
// The changes after which the panels show this tab of the dock; panels that are hidden stay so.
std::vector<Change> changes_to_show(Dock tab);
// Applies them; Action::reset_everything is more than a batch of changes. False if the command changes no settings: then the
// caller carries it out. Throws as above, and as apply().
bool apply(const Command& command, Settings& settings, const ChangeContext& context);

}  // namespace app
