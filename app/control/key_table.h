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

#include "app/control/actions.h"

struct ImGuiIO;

namespace app {

// Keys that type no character.
enum class NamedKey { none, tab, escape, f1, f11, page_up, page_down, home, left, right, up, down, backspace, del };

struct Key {
  char character = 0;               // of printable keys; lower and upper case are two keys
  NamedKey named = NamedKey::none;  // the others
  Action action;
  std::string_view description = info(action).description;
  std::string_view in_highgui = description;  // what it does in highgui's window; empty: nothing
  bool control = false;                       // with Ctrl
  bool shift = false;                         // with Shift, of keys that type no character
};
std::span<const Key> keys();
std::vector<std::string> highgui_help();  // a line per action of highgui's window: "E  Next effect"
std::string label(const Key& key);        // "Space", "E", "Shift+E", "Shift+Left", "Ctrl+P"
std::string labels(Action action);        // "H, F1": every key of an action; empty if it has none
// The same of those that type no character, but for the `taken` ones: where a panel uses the others itself.
std::string named_labels(Action action, std::span<const NamedKey> taken);

// The actions of the keys pressed since the previous frame, in order; none while a text field has the keyboard. `io` is
// that of the current context; `taken`: keys that a panel uses itself.
std::vector<Action> pressed(const ImGuiIO& io, std::span<const NamedKey> taken = {});
// The action for a result of cv::waitKeyEx(); nullopt for no key, or a key that does nothing.
std::optional<Action> from_highgui(int code);

}  // namespace app
