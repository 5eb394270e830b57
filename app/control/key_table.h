// Key table: what each key does. Key handling (of the window and of highgui), the help overlay and the manual's list come
// from it. Keys hold command lines. Some actions have no key (pause, resume, record, stop_record): keys toggle instead.
//
// Printable keys are matched by the character that they type, so that the table is valid for every keyboard layout; the
// others by name. With Ctrl a key types no character: it is matched by its place on a US keyboard.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/command.h"

struct ImGuiIO;

namespace app {

namespace imgui {
enum class KeyCode : int;
}

struct KeyPress {
  char character = 0;      // of printable keys; lower and upper case are two keys; with Ctrl a capital
  imgui::KeyCode named{};  // the others; {}: none
  bool control = false;    // with Ctrl
  bool shift = false;      // with Shift, of keys that type no character, and with Ctrl
  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};
std::string label(const KeyPress& key);  // "Space", "E", "Shift+E", "Shift+Left", "Ctrl+P"
// The key of such a label, also in small letters. Throws std::invalid_argument with one line where there is none, or where it
// cannot be the user's own.
KeyPress parse_key(std::string_view label);

struct Key {
  enum class Where { everywhere, window, highgui };
  KeyPress press;
  Command command;
  Where where;                   // it has this meaning
  std::string_view description;  // of the command, or what it does there
};
std::span<const Key> keys();
std::vector<std::string> highgui_help();  // a line per command of highgui's window: "E  Next effect"
// "H, F1": every key of a command, of the `own` ones, too, which replace the table's; empty if it has none.
std::string labels(const Command& command, const OwnKeys& own = {});

// The commands of the keys pressed since the previous frame, in order; none while a text field has the keyboard. `own`: the
// user's keys, which replace those of the table; `io` is that of the current context; `taken`: keys that a panel uses itself.
std::vector<Command> pressed(const ImGuiIO& io, const OwnKeys& own = {}, std::span<const imgui::KeyCode> taken = {});
// The command for a result of cv::waitKeyEx(); nullopt for no key, or a key that does nothing.
std::optional<Command> from_highgui(int code, const OwnKeys& own = {});

}  // namespace app
