// Actions: the table of what a key, a button, the palette or a script can do, each with one name. command.h adds what they take.
#pragma once

#include <span>
#include <string_view>

namespace app {

enum class Action {
  pause,
  resume,
  toggle_pause,
  step,
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
  open,
  reopen,
  matrix,
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
  measure,
  presentation,
  toggle_fullscreen,
  toggle_theme,
  ui_larger,
  ui_smaller,
  ui_default,
  screenshot,
  save_picture,
  copy_picture,
  record,
  stop_record,
  toggle_record,
  record_clip,
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
  start_study,
  stop_study,
  export_study,
  save_table,
  save_matrix,
  save_wrong_frame,
  toggle_graph,
  clear_frames,
  set,
  add,
  multiply,
  cycle,
  toggle,
  reset,
  undo,
  redo,
  toggle_vsync,
  toggle_palette,
  preferences,
  show_hints,
  toggle_help,
  reset_everything,
  close,
  quit,
};

struct ActionInfo {
  Action action;
  std::string_view name;         // "toggle_pause"; in a line also "toggle pause"
  std::string_view group;        // "Settings", "Source", "Table and effect", "View", "Results", "Program"
  std::string_view description;  // "Pause or resume"
  // The command that it is another name for: "seek -5"; empty if it is none.
  std::string_view stands_for = {};
  // Endings of the file that it writes, whose path a command can give; empty if it writes none.
  std::string_view ending = {}, other_ending = {};
  // What else a command has to give: "SECONDS"; empty if it needs nothing.
  std::string_view takes = {};
  // What it does in a script only; empty if it is the same there.
  std::string_view in_scripts = {};

  bool writes() const { return !ending.empty(); }
};

std::span<const ActionInfo> actions();  // in the order of the enumeration
const ActionInfo& info(Action action);
inline std::string_view description(Action action) { return info(action).description; }
// Throws std::invalid_argument that suggests the nearest name, or the command that lists them.
Action action_named(std::string_view name);

}  // namespace app
