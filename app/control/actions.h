// Actions: what a key, a button or a script can do, each with one name. Some change settings; the session or the window
// carries out the others.
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
  step_back,
  step_forward,
  seek,
  seek_near_back,
  seek_near_forward,
  seek_back,
  seek_forward,
  seek_far_back,
  seek_far_forward,
  to_start,
  slower,
  faster,
  slightly_slower,
  slightly_faster,
  normal_speed,
  toggle_loop,
  browse,
  reopen,
  toggle_matrix,
  next_algorithm,
  previous_algorithm,
  toggle_cards,
  search_cards,
  next_effect,
  previous_effect,
  next_device,
  toggle_compare,
  swap_sides,
  toggle_difference,
  toggle_check,
  show_feature,
  next_feature,
  previous_feature,
  next_stage,
  previous_stage,
  fit,
  actual_size,
  zoom_in,
  zoom_out,
  toggle_rectangle,
  remove_rectangle,
  toggle_panels,
  toggle_simple,
  toggle_statistics,
  toggle_fullscreen,
  toggle_theme,
  ui_larger,
  ui_smaller,
  ui_default,
  screenshot,
  save_picture,
  record,
  stop_record,
  toggle_record,
  open_folder,
  toggle_export_menu,
  export_timings,
  export_csv,
  export_frames,
  export_timeline,
  reset_statistics,
  trace_tiles,
  export_trace,
  start_race,
  stop_race,
  toggle_race,
  export_race,
  save_matrix,
  save_wrong_frame,
  toggle_graph,
  clear_frames,
  toggle_vsync,
  toggle_palette,
  show_hints,
  toggle_help,
  reset_everything,
  close,
  quit,
};

struct ActionInfo {
  Action action;
  std::string_view name;         // as scripts write it: "toggle_pause"
  std::string_view group;        // "Source", "Table and effect", "View", "Results", "Program"
  std::string_view description;  // "Pause or resume"
  // Endings of the file that it writes, whose path a script can give; empty if it writes none.
  std::string_view ending = {}, other_ending = {};
  // What a script gives instead, a number: "seconds"; empty if it needs none.
  std::string_view number = {};
  // What it does in a script only; empty if it is the same there.
  std::string_view in_scripts = {};

  bool writes() const { return !ending.empty(); }
};

std::span<const ActionInfo> actions();  // in the order of the enumeration
const ActionInfo& info(Action action);
inline std::string_view description(Action action) { return info(action).description; }
// Throws std::invalid_argument that suggests the nearest name, or the command that lists them.
Action action_named(std::string_view name);

// The changes of settings that an action stands for; nullopt if it changes none. Throws std::invalid_argument if it is not
// possible now (next_device if the host is the only device).
std::optional<std::vector<Change>> changes_of(Action action, const Settings& settings, const ChangeContext& context);
// The changes after which the panels show this tab of the dock; panels that are hidden stay so.
std::vector<Change> changes_to_show(Dock tab);
// Applies them; Action::reset_everything is more than a batch of changes. False if the action changes no settings: then the
// caller carries it out. Throws as above, and as apply().
bool apply(Action action, Settings& settings, const ChangeContext& context);

}  // namespace app
