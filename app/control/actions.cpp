#include "app/control/actions.h"

#include <stdexcept>
#include <vector>

#include "app/support/text.h"

namespace app {
namespace {

constexpr std::string_view of_settings = "Settings", source = "Source", compute = "Table and effect", view = "View",
                           results = "Results", program = "Program";

constexpr ActionInfo all_actions[] = {
    {Action::pause, "pause", source, "Pause"},
    {Action::resume, "resume", source, "Resume"},
    {Action::toggle_pause, "toggle_pause", source, "Pause or resume"},
    {Action::step, "step", source, "Step a number of frames, and pause", {}, {}, {}, "FRAMES"},
    {Action::step_back, "step_back", source, "Previous frame, and pause", "step -1"},
    {Action::step_forward, "step_forward", source, "Next frame, and pause", "step 1"},
    {Action::seek, "seek", source, "Go to a time", {}, {}, {}, "SECONDS"},
    {Action::seek_near_back, "seek_near_back", source, "1 second back", "seek -1"},
    {Action::seek_near_forward, "seek_near_forward", source, "1 second forward", "seek +1"},
    {Action::seek_back, "seek_back", source, "5 seconds back", "seek -5"},
    {Action::seek_forward, "seek_forward", source, "5 seconds forward", "seek +5"},
    {Action::seek_far_back, "seek_far_back", source, "A minute back", "seek -60"},
    {Action::seek_far_forward, "seek_far_forward", source, "A minute forward", "seek +60"},
    {Action::to_start, "to_start", source, "Back to the start", "seek 0"},
    {Action::slower, "slower", source, "Half the speed", "multiply speed 0.5"},
    {Action::faster, "faster", source, "Twice the speed", "multiply speed 2"},
    {Action::slightly_slower, "slightly_slower", source, "9% slower: undoes 10% faster", "speed /1.1"},
    {Action::slightly_faster, "slightly_faster", source, "10% faster", "multiply speed 1.1"},
    {Action::normal_speed, "normal_speed", source, "Normal speed", "reset speed"},
    {Action::toggle_loop, "toggle_loop", source, "Toggle looping of files", "toggle loop"},
    {Action::browse, "browse", source, "Choose a file to open", "toggle browse"},
    {Action::open, "open", source, "Open a source", {}, {}, {}, "SOURCE"},
    {Action::reopen, "reopen", source, "Reopen the source"},
    {Action::matrix, "matrix", source, "Matrix of 8 x 8 numbers beside its table, or back"},
    {Action::toggle_matrix, "toggle_matrix", source, "A matrix as numbers or as a picture", "toggle matrix_editor"},
    {Action::next_algorithm, "next_algorithm", compute, "Next algorithm", "cycle algorithm"},
    {Action::previous_algorithm, "previous_algorithm", compute, "Previous algorithm", "cycle algorithm back"},
    {Action::toggle_cards, "toggle_cards", compute, "Show or hide the list of algorithms"},
    {Action::search_cards, "search_cards", compute, "Search the list of algorithms"},
    {Action::next_effect, "next_effect", compute, "Next effect", "cycle effect"},
    {Action::previous_effect, "previous_effect", compute, "Previous effect", "cycle effect back"},
    {Action::next_device, "next_device", compute, "Next device: GPU, CPU, simulated GPU", "cycle device"},
    {Action::toggle_compare, "toggle_compare", compute, "Compare or show the result"},
    {Action::swap_sides, "swap_sides", compute, "Swap the sides of the comparison"},
    {Action::toggle_difference, "toggle_difference", compute, "Wipe or difference"},
    {Action::toggle_check, "toggle_check", compute, "Check every table, or stop", "toggle check"},
    {Action::show_feature, "show_feature", compute, "Show the chosen feature, and its tab"},
    {Action::next_feature, "next_feature", compute, "Next feature of the window of 24 x 24"},
    {Action::previous_feature, "previous_feature", compute, "Previous feature"},
    {Action::next_stage, "next_stage", compute, "Next stage of the cascade's window"},
    {Action::previous_stage, "previous_stage", compute, "Previous stage"},
    {Action::fit, "fit", view, "Fit the picture"},
    {Action::actual_size, "actual_size", view, "Actual size (1:1)"},
    {Action::zoom_in, "zoom_in", view, "Zoom in (wheel: at the mouse)"},
    {Action::zoom_out, "zoom_out", view, "Zoom out"},
    {Action::toggle_rectangle, "toggle_rectangle", view, "Toggle the rectangle tool", "toggle rectangle_tool"},
    {Action::remove_rectangle, "remove_rectangle", view, "Remove the rectangle", "reset rectangle"},
    {Action::toggle_panels, "toggle_panels", view, "Show or hide the panels", "toggle panels"},
    {Action::measure, "measure", view, "Measure: show or hide what a frame costs"},
    {Action::presentation, "presentation", view, "Presentation and lessons", "toggle presentation"},
    {Action::toggle_fullscreen, "toggle_fullscreen", view, "Fullscreen", "toggle fullscreen"},
    {Action::toggle_theme, "toggle_theme", view, "Dark or light theme", "cycle theme"},
    {Action::ui_larger, "ui_larger", view, "Larger text and controls"},
    {Action::ui_smaller, "ui_smaller", view, "Smaller text and controls"},
    {Action::ui_default, "ui_default", view, "Use the display's scale", "reset ui_scale"},
    {Action::screenshot, "screenshot", results, "Save a screenshot of the window", {}, ".png", {}},
    {Action::save_picture, "save_picture", results, "Save the picture, in the source's resolution", {}, ".png", {}},
    {Action::copy_picture, "copy_picture", results, "Copy the picture to the clipboard"},
    {Action::record, "record", results, "Start recording", {}, ".mp4", {}},
    {Action::stop_record, "stop_record", results, "Stop recording"},
    {Action::toggle_record, "toggle_record", results, "Start or stop recording"},
    {Action::record_clip, "record_clip", results, "Record 5 seconds as WebP or GIF", {}, ".webp", ".gif"},
    {Action::open_folder, "open_folder", results, "Open the folder of saved files"},
    {Action::toggle_export_menu, "export_menu", results, "Open the menu of what can be saved", "toggle export_menu"},
    {Action::export_timings, "export", results, "Save the timings", {}, ".json", ".csv"},
    {Action::export_csv, "export_csv", results, "Save the timings as CSV", {}, ".csv", {}},
    {Action::export_frames, "export_frames", results, "Save a row per frame", {}, ".csv", {}},
    {Action::export_timeline, "export_timeline", results, "Save the frames, span by span, for Perfetto", {}, ".json", {}},
    {Action::reset_statistics, "reset_statistics", results, "Reset the statistics"},
    {Action::trace_tiles, "trace", results, "Trace the tiles of the next picture"},
    {Action::export_trace, "export_trace", results, "Save the tile trace, for Perfetto", {}, ".json", {}},
    {Action::start_race, "race", results, "Start the race", {}, {}, {}, {}, "waits until it has finished"},
    {Action::stop_race, "stop_race", results, "Stop the race"},
    {Action::toggle_race, "toggle_race", results, "Start or stop the race of all algorithms"},
    {Action::export_race, "export_race", results, "Save the race", {}, ".json", ".csv"},
    {Action::start_study,
     "study",
     results,
     "Study the algorithms over sizes",
     {},
     {},
     {},
     {},
     "waits until it has finished"},
    {Action::stop_study, "stop_study", results, "Stop the study"},
    {Action::export_study, "export_study", results, "Save the study", {}, ".json", ".csv"},
    {Action::save_table, "save_table", results, "Save the table of the frame", {}, ".npy", {}},
    {Action::save_matrix, "save_matrix", results, "Save the matrix", {}, ".csv", {}},
    {Action::save_wrong_frame, "save_wrong_frame", results, "Save the frame whose table was wrong", {}, ".png", {}},
    {Action::toggle_graph, "toggle_graph", results, "Pause or resume the frame graph", "toggle graph_paused"},
    {Action::clear_frames, "clear_frames", results, "Clear the range and the pinned frame"},
    {Action::set, "set", of_settings, "Set a setting", {}, {}, {}, "SETTING VALUE"},
    {Action::add, "add", of_settings, "Add to a number", {}, {}, {}, "SETTING NUMBER"},
    {Action::multiply, "multiply", of_settings, "Multiply a number; also: speed *2, speed /2", {}, {}, {}, "SETTING FACTOR"},
    {Action::cycle,
     "cycle",
     of_settings,
     "The next of a setting's values, or with back the previous",
     {},
     {},
     {},
     "SETTING [back]"},
    {Action::toggle, "toggle", of_settings, "Turn a setting on or off", {}, {}, {}, "SETTING"},
    {Action::reset, "reset", of_settings, "A setting's default", {}, {}, {}, "SETTING"},
    {Action::undo, "undo", of_settings, "Undo a change of settings or of the matrix"},
    {Action::redo, "redo", of_settings, "Redo what was undone"},
    {Action::toggle_vsync, "toggle_vsync", program, "Toggle vsync", "toggle vsync"},
    {Action::toggle_palette, "toggle_palette", program, "Find any command or setting", "toggle palette"},
    {Action::preferences, "preferences", program, "Preferences", "toggle preferences"},
    {Action::show_hints, "show_hints", program, "Show the hints of the first start"},
    {Action::toggle_help, "toggle_help", program, "Show or hide the help", "toggle help"},
    {Action::reset_everything, "reset_everything", program, "Reset everything: all settings as at the first start"},
    {Action::close, "close", program, "Close what is on top, or leave fullscreen"},
    {Action::quit, "quit", program, "Quit"},
};

}  // namespace

std::span<const ActionInfo> actions() { return all_actions; }

const ActionInfo& info(Action action) { return all_actions[static_cast<std::size_t>(action)]; }

Action action_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& entry : all_actions) {
    if (entry.name == name) return entry.action;
    names.push_back(entry.name);
  }
  throw std::invalid_argument(no_such("command", name, names));
}

}  // namespace app
