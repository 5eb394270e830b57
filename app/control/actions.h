// Actions: the table of what a key, a button, the palette or a script can do, each with one name; and of the lines that have a
// name of their own in the help and in the palette. command.h adds what they take.
#pragma once

#include <span>
#include <string_view>

namespace app {

enum class Action {
  pause,
  resume,
  toggle_pause,
  step,
  seek,
  open,
  reopen,
  matrix,
  toggle_cards,
  search_cards,
  toggle_compare,
  swap_sides,
  toggle_difference,
  new_kernel,
  edit_kernel,
  show_feature,
  next_feature,
  previous_feature,
  next_stage,
  previous_stage,
  fit,
  actual_size,
  zoom_in,
  zoom_out,
  measure,
  ui_larger,
  ui_smaller,
  screenshot,
  save_picture,
  copy_picture,
  record,
  stop_record,
  toggle_record,
  record_clip,
  open_folder,
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
  clear_frames,
  set,
  add,
  multiply,
  cycle,
  toggle,
  reset,
  undo,
  redo,
  show_hints,
  reset_everything,
  close,
  quit,
};

// What an action works on, for which a line of a script waits.
enum class Needs {
  nothing,
  source,   // a picture of the one that the settings name
  picture,  // the same, with everything that was set
  any,      // the same, or that none will come
  set,      // the same, where a line has set something: a recording may begin with the first picture
  trace,    // that was asked for last
};

struct ActionInfo {
  Action action;
  std::string_view name;           // "toggle_pause", or a line: "toggle loop"; blanks and _ are alike
  std::string_view group;          // "Settings", "Source", "Table and effect", "View", "Results", "Program"
  std::string_view description;    // "Pause or resume"
  std::string_view old_name = {};  // of an earlier version, which keys and scripts of users have; empty if it has none
  // What else a command has to give: "SECONDS"; empty if it needs nothing.
  std::string_view takes = {};
  Needs needs = Needs::nothing;
  // Endings of the file that it writes, whose path a command can give; empty if it writes none.
  std::string_view ending = {}, other_ending = {};
  // What it does in a script only; empty if it is the same there.
  std::string_view in_scripts = {};

  constexpr bool is_line() const { return name.find(' ') != name.npos; }  // of an action that takes something, with that
  bool writes() const { return !ending.empty(); }
};

std::span<const ActionInfo> actions();
const ActionInfo& info(Action action);  // its own, not that of a line

}  // namespace app
