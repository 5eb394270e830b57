// Key table: the one table of what the keyboard does. Key handling (the window's and highgui's), the help overlay and the
// README's list come from it.
//
// Printable keys are matched by the character they type, so that the table holds on every keyboard layout; the others
// by name.
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
enum class NamedKey { none, tab, escape, f1, page_up, page_down, home };

struct Key {
  char character = 0;               // printable keys; lower and upper case are two keys
  NamedKey named = NamedKey::none;  // the others
  Action action;
  std::string_view description = info(action).description;
  std::string_view in_highgui = description;  // what it does in highgui's window; empty: nothing
};
std::span<const Key> keys();
std::vector<std::string> highgui_help();  // a line for each action of highgui's window: "E  Next effect"
std::string label(const Key& key);        // "Space", "E", "Shift+E", "Page up"
std::string labels(Action action);        // "H, F1": every key of an action; empty where it has none

// The actions of the keys pressed since the frame before, in order; none while a text field has the keyboard. `io` is the
// current context's.
std::vector<Action> pressed(const ImGuiIO& io);
// What cv::waitKeyEx() returned; nullopt for no key, or one that does nothing.
std::optional<Action> from_highgui(int code);

}  // namespace app
