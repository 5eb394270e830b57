// Actions: what can be done, by a key, a button or a script, under one name. Some are changes of settings; the others are
// the session's or the window's.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/control/change.h"

namespace app {

enum class Action {
  pause,
  resume,
  toggle_pause,
  reopen,
  toggle_loop,
  next_algorithm,
  previous_algorithm,
  next_effect,
  previous_effect,
  next_device,
  fit,
  actual_size,
  zoom_in,
  zoom_out,
  toggle_panels,
  screenshot,
  record,
  stop_record,
  toggle_record,
  export_timings,
  reset_statistics,
  toggle_vsync,
  toggle_help,
  quit,
};

struct ActionInfo {
  Action action;
  std::string_view name;         // in scripts: "toggle_pause"
  std::string_view group;        // "Source", "Table and effect", "View", "Results", "Program"
  std::string_view description;  // "Pause or resume"
  std::string_view ending = {},
                   other_ending = {};  // of the file that it writes, whose path a script may give; empty: it writes none

  bool writes() const { return !ending.empty(); }
};

std::span<const ActionInfo> actions();  // in the order of the enumeration
const ActionInfo& info(Action action);
inline std::string_view description(Action action) { return info(action).description; }
// Throws std::invalid_argument with the nearest right name.
Action action_named(std::string_view name);

// The changes of settings that an action is; nullopt where it is none. Throws std::invalid_argument where it cannot be done
// (next_device where there is only the host).
std::optional<std::vector<Change>> changes_of(Action action, const Settings& settings, const ChangeContext& context);
// Applies them. False where the action is no change of settings: the caller's. Throws as above, and as apply() does.
bool apply(Action action, Settings& settings, const ChangeContext& context);

}  // namespace app
