#include "app/control/actions.h"

#include <array>
#include <iterator>

namespace app {
namespace {

constexpr std::string_view settings = "Settings", source = "Source", compute = "Table and effect", view = "View",
                           results = "Results", program = "Program";

constexpr auto shown = Needs::picture;
constexpr auto waits = "waits until it has finished";

constexpr ActionInfo all_actions[] = {
    {Action::pause, "pause", source, "Pause"},
    {Action::resume, "resume", source, "Resume"},
    {Action::toggle_pause, "toggle_pause", source, "Pause or resume"},
    {Action::step, "step", source, "Step a number of frames, and pause", {}, "FRAMES", Needs::source},
    {Action::step, "step -1", source, "Previous frame, and pause", "step_back"},
    {Action::step, "step 1", source, "Next frame, and pause", "step_forward"},
    {Action::seek, "seek", source, "Go to a time", {}, "SECONDS", Needs::source},
    {Action::seek, "seek -1", source, "1 second back", "seek_near_back"},
    {Action::seek, "seek +1", source, "1 second forward", "seek_near_forward"},
    {Action::seek, "seek -5", source, "5 seconds back", "seek_back"},
    {Action::seek, "seek +5", source, "5 seconds forward", "seek_forward"},
    {Action::seek, "seek -60", source, "A minute back", "seek_far_back"},
    {Action::seek, "seek +60", source, "A minute forward", "seek_far_forward"},
    {Action::seek, "seek 0", source, "Back to the start", "to_start"},
    {Action::multiply, "multiply speed 0.5", source, "Half the speed", "slower"},
    {Action::multiply, "multiply speed 2", source, "Twice the speed", "faster"},
    {Action::multiply, "speed /1.1", source, "9% slower: undoes 10% faster", "slightly_slower"},
    {Action::multiply, "multiply speed 1.1", source, "10% faster", "slightly_faster"},
    {Action::reset, "reset speed", source, "Normal speed", "normal_speed"},
    {Action::toggle, "toggle loop", source, "Toggle looping of files"},
    {Action::toggle, "toggle browse", source, "Choose a file to open", "browse"},
    {Action::open, "open", source, "Open a source", {}, "SOURCE"},
    {Action::reopen, "reopen", source, "Reopen the source"},
    {Action::matrix, "matrix", source, "Matrix of 8 x 8 numbers beside its table, or back"},
    {Action::toggle, "toggle matrix_editor", source, "A matrix as numbers or as a picture", "toggle_matrix"},
    {Action::cycle, "cycle algorithm", compute, "Next algorithm", "next_algorithm"},
    {Action::cycle, "cycle algorithm back", compute, "Previous algorithm", "previous_algorithm"},
    {Action::toggle_cards, "toggle_cards", compute, "Show or hide the list of algorithms"},
    {Action::search_cards, "search_cards", compute, "Search the list of algorithms"},
    {Action::cycle, "cycle effect", compute, "Next effect", "next_effect"},
    {Action::cycle, "cycle effect back", compute, "Previous effect", "previous_effect"},
    {Action::cycle, "cycle device", compute, "Next device: GPU, CPU, simulated GPU", "next_device"},
    {Action::toggle_compare, "toggle_compare", compute, "Compare or show the result"},
    {Action::swap_sides, "swap_sides", compute, "Swap the sides of the comparison"},
    {Action::toggle_difference, "toggle_difference", compute, "Wipe or difference"},
    {Action::toggle, "toggle check", compute, "Check every table, or stop"},
    {Action::new_kernel,
     "new_kernel",
     compute,
     "New kernel of your own: a file to begin with",
     {},
     {},
     Needs::nothing,
     ".cu",
     {},
     "waits until it is compiled"},
    {Action::edit_kernel, "edit_kernel", compute, "Open the kernel of your own in an editor"},
    {Action::show_feature, "show_feature", compute, "Show the chosen feature, and its tab", {}, {}, Needs::source},
    {Action::next_feature, "next_feature", compute, "Next feature of the window of 24 x 24", {}, {}, Needs::source},
    {Action::previous_feature, "previous_feature", compute, "Previous feature", {}, {}, Needs::source},
    {Action::next_stage, "next_stage", compute, "Next stage of the cascade's window", {}, {}, shown},
    {Action::previous_stage, "previous_stage", compute, "Previous stage", {}, {}, shown},
    {Action::fit, "fit", view, "Fit the picture"},
    {Action::actual_size, "actual_size", view, "Actual size (1:1)"},
    {Action::zoom_in, "zoom_in", view, "Zoom in (wheel: at the mouse)"},
    {Action::zoom_out, "zoom_out", view, "Zoom out"},
    {Action::toggle, "toggle rectangle_tool", view, "Toggle the rectangle tool", "toggle_rectangle"},
    {Action::reset, "reset rectangle", view, "Remove the rectangle", "remove_rectangle"},
    {Action::toggle, "toggle panels", view, "Show or hide the panels", "toggle_simple"},
    {Action::measure, "measure", view, "Measure: show or hide what a frame costs", "toggle_statistics"},
    {Action::toggle, "toggle presentation", view, "Presentation and lessons", "presentation"},
    {Action::toggle, "toggle fullscreen", view, "Fullscreen"},
    {Action::cycle, "cycle theme", view, "Dark or light theme", "toggle_theme"},
    {Action::ui_larger, "ui_larger", view, "Larger text and controls"},
    {Action::ui_smaller, "ui_smaller", view, "Smaller text and controls"},
    {Action::reset, "reset ui_scale", view, "Use the display's scale", "ui_default"},
    {Action::screenshot, "screenshot", results, "Save a screenshot of the window", "save_window", {}, Needs::any, ".png"},
    {Action::save_picture, "save_picture", results, "Save the picture, in the source's resolution", {}, {}, shown, ".png"},
    {Action::copy_picture, "copy_picture", results, "Copy the picture to the clipboard", {}, {}, shown},
    {Action::record, "record", results, "Start recording", {}, {}, Needs::set, ".mp4"},
    {Action::stop_record, "stop_record", results, "Stop recording"},
    {Action::toggle_record, "toggle_record", results, "Start or stop recording"},
    {Action::record_clip, "record_clip", results, "Record 5 seconds as WebP or GIF", {}, {}, Needs::set, ".webp", ".gif"},
    {Action::open_folder, "open_folder", results, "Open the folder of saved files"},
    {Action::toggle, "toggle export_menu", results, "Open the menu of what can be saved", "export_menu"},
    {Action::export_timings, "export", results, "Save the timings", {}, {}, shown, ".json", ".csv"},
    {Action::export_csv, "export_csv", results, "Save the timings as CSV", {}, {}, shown, ".csv"},
    {Action::export_frames, "export_frames", results, "Save a row per frame", {}, {}, shown, ".csv"},
    {Action::export_timeline,
     "export_timeline",
     results,
     "Save the frames, span by span, for Perfetto",
     {},
     {},
     shown,
     ".json"},
    {Action::reset_statistics, "reset_statistics", results, "Reset the statistics"},
    {Action::trace_tiles, "trace", results, "Trace the tiles of the next picture", {}, {}, Needs::set},
    {Action::export_trace, "export_trace", results, "Save the tile trace, for Perfetto", {}, {}, Needs::trace, ".json"},
    {Action::start_race, "race", results, "Start the race", "start_race", {}, Needs::source, {}, {}, waits},
    {Action::stop_race, "stop_race", results, "Stop the race"},
    {Action::toggle_race, "toggle_race", results, "Start or stop the race of all algorithms"},
    {Action::export_race, "export_race", results, "Save the race", {}, {}, {}, ".json", ".csv"},
    {Action::start_study, "study", results, "Study the algorithms over sizes", {}, {}, Needs::source, {}, {}, waits},
    {Action::stop_study, "stop_study", results, "Stop the study"},
    {Action::export_study, "export_study", results, "Save the study", {}, {}, {}, ".json", ".csv"},
    {Action::save_table, "save_table", results, "Save the table of the frame", {}, {}, shown, ".npy"},
    {Action::save_matrix, "save_matrix", results, "Save the matrix", {}, {}, Needs::source, ".csv"},
    {Action::save_wrong_frame, "save_wrong_frame", results, "Save the frame whose table was wrong", {}, {}, {}, ".png"},
    {Action::toggle, "toggle graph_paused", results, "Pause or resume the frame graph", "toggle_graph"},
    {Action::clear_frames, "clear_frames", results, "Clear the range and the pinned frame"},
    {Action::set, "set", settings, "Set a setting", {}, "SETTING VALUE"},
    {Action::add, "add", settings, "Add to a number", {}, "SETTING NUMBER"},
    {Action::multiply, "multiply", settings, "Multiply a number; also: speed *2, speed /2", {}, "SETTING FACTOR"},
    {Action::cycle, "cycle", settings, "The next of a setting's values, or with back the previous", {}, "SETTING [back]"},
    {Action::toggle, "toggle", settings, "Turn a setting on or off", {}, "SETTING"},
    {Action::reset, "reset", settings, "A setting's default", {}, "SETTING"},
    {Action::undo, "undo", settings, "Undo a change of settings or of the matrix"},
    {Action::redo, "redo", settings, "Redo what was undone"},
    {Action::toggle, "toggle vsync", program, "Toggle vsync"},
    {Action::toggle, "toggle palette", program, "Find any command or setting"},
    {Action::toggle, "toggle preferences", program, "Preferences", "preferences"},
    {Action::show_hints, "show_hints", program, "Show the hints of the first start"},
    {Action::toggle, "toggle help", program, "Show or hide the help"},
    {Action::reset_everything, "reset_everything", program, "Reset everything: all settings as at the first start"},
    {Action::close, "close", program, "Close what is on top, or leave fullscreen"},
    {Action::quit, "quit", program, "Quit"},
};

// Of each action the place of its own row: one of the others that do it, too, has its arguments in the name.
constexpr auto places = [] {
  std::array<std::size_t, static_cast<std::size_t>(Action::quit) + 1> all{};
  for (std::size_t i = 0; i < std::size(all_actions); ++i)
    if (!all_actions[i].is_line()) all[static_cast<std::size_t>(all_actions[i].action)] = i;
  return all;
}();

}  // namespace

std::span<const ActionInfo> actions() { return all_actions; }

const ActionInfo& info(Action action) { return all_actions[places[static_cast<std::size_t>(action)]]; }

}  // namespace app
