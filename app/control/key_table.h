// Key table: what each key does. Key handling (of the window and of highgui), the help overlay and the manual's list come
// from it. Some actions have no key (pause, resume, record, stop_record): keys toggle instead; seek needs a time.
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

// Keys that type no character.
enum class NamedKey {
  none,
  tab,
  escape,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
  page_up,
  page_down,
  home,
  end,
  left,
  right,
  up,
  down,
  backspace,
  del
};

struct KeyPress {
  char character = 0;               // of printable keys; lower and upper case are two keys; with Ctrl a capital
  NamedKey named = NamedKey::none;  // the others
  bool control = false;             // with Ctrl
  bool shift = false;               // with Shift, of keys that type no character, and with Ctrl
  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};
std::string label(const KeyPress& key);  // "Space", "E", "Shift+E", "Shift+Left", "Ctrl+P"
// The key of such a label, also in small letters. Throws std::invalid_argument with one line where there is none, or where it
// cannot be the user's own.
KeyPress parse_key(std::string_view label);

struct Key {
  KeyPress press;
  Action action;
  std::string_view description = info(action).description;
  std::string_view in_highgui = description;  // what it does in highgui's window; empty: nothing
};
std::span<const Key> keys();
std::vector<std::string> highgui_help();  // a line per action of highgui's window: "E  Next effect"
// "H, F1": every key of an action, of the `own` ones, too, which replace the table's; empty if it has none.
std::string labels(Action action, const OwnKeys& own = {});
// The same of those that type no character, but for the `taken` ones: where a panel uses the others itself.
std::string named_labels(Action action, std::span<const NamedKey> taken);

// The commands of the keys pressed since the previous frame, in order; none while a text field has the keyboard. `own`: the
// user's keys, which replace those of the table; `io` is that of the current context; `taken`: keys that a panel uses itself.
std::vector<Command> pressed(const ImGuiIO& io, const OwnKeys& own = {}, std::span<const NamedKey> taken = {});
// The command for a result of cv::waitKeyEx(); nullopt for no key, or a key that does nothing.
std::optional<Command> from_highgui(int code, const OwnKeys& own = {});

}  // namespace app
