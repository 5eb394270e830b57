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

#include "app/control/settings.h"
#include "gpu/device.h"

struct ImGuiIO;

namespace app {

enum class Action {
  pause, reopen, toggle_loop,
  next_algorithm, previous_algorithm, next_effect, previous_effect, switch_device,
  fit, actual_size, zoom_in, zoom_out,
  toggle_panels, toggle_help, toggle_vsync,
  screenshot, record, export_timings, reset_statistics,
  quit,
};

// Keys that type no character.
enum class NamedKey { none, tab, escape, f1, page_up, page_down, home };

struct Key {
  char character = 0;                // printable keys; lower and upper case are two keys
  NamedKey named = NamedKey::none;   // the others
  Action action;
  std::string_view group;            // "Source", "Table and effect", "View", "Results", "Program"
  std::string_view description;      // "Pause or resume"
  std::string_view in_highgui = description;  // what it does in highgui's window; empty: nothing
};
std::span<const Key> keys();
std::vector<std::string> highgui_help();     // a line for each action of highgui's window: "E  Next effect"
std::string label(const Key& key);                 // "Space", "E", "Shift+E", "Page up"
std::string labels(Action action);                 // "H, F1": every key of an action; empty where it has none
std::string_view description(Action action);

// The actions of the keys pressed since the frame before, in order; none while a text field has the keyboard. `io` is the
// current context's.
std::vector<Action> pressed(const ImGuiIO& io);
// What cv::waitKeyEx() returned; nullopt for no key, or one that does nothing.
std::optional<Action> from_highgui(int code);

// Does the actions that are a change of settings. False where the action is none (pause, reopen, screenshot, record,
// export_timings, reset_statistics, quit) or cannot be done (switch_device where there is only the host): the caller's, who says why.
struct ActionContext {
  gpu::Device device = gpu::Device::host;  // in use
  bool cuda = false, simulated = false;    // there is a GPU; there is the simulated one
  double zoom = 1;                         // as drawn, also where Settings::zoom is 0 (fit)
};
bool apply(Action action, Settings& settings, const ActionContext& context);

}  // namespace app
