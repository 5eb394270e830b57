#include "app/control/actions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "app/control/comparison.h"
#include "app/control/fields.h"
#include "app/control/key_table.h"
#include "app/control/names.h"
#include "app/control/settings_file.h"
#include "app/support/near_name.h"
#include "gpu/sat.h"
#include "gpu/sat_card.h"

namespace app {
namespace {

using Changes = std::vector<Change>;

constexpr std::string_view source = "Source", compute = "Table and effect", view = "View", results = "Results",
                           program = "Program";

constexpr ActionInfo all_actions[] = {
    {Action::pause, "pause", source, "Pause"},
    {Action::resume, "resume", source, "Resume"},
    {Action::toggle_pause, "toggle_pause", source, "Pause or resume"},
    {Action::step_back, "step_back", source, "Previous frame, and pause"},
    {Action::step_forward, "step_forward", source, "Next frame, and pause"},
    {Action::seek, "seek", source, "Go to a time", {}, {}, "seconds"},
    {Action::seek_near_back, "seek_near_back", source, "1 second back"},
    {Action::seek_near_forward, "seek_near_forward", source, "1 second forward"},
    {Action::seek_back, "seek_back", source, "5 seconds back"},
    {Action::seek_forward, "seek_forward", source, "5 seconds forward"},
    {Action::seek_far_back, "seek_far_back", source, "A minute back"},
    {Action::seek_far_forward, "seek_far_forward", source, "A minute forward"},
    {Action::to_start, "to_start", source, "Back to the start"},
    {Action::slower, "slower", source, "Half the speed"},
    {Action::faster, "faster", source, "Twice the speed"},
    {Action::slightly_slower, "slightly_slower", source, "9% slower: undoes 10% faster"},
    {Action::slightly_faster, "slightly_faster", source, "10% faster"},
    {Action::normal_speed, "normal_speed", source, "Normal speed"},
    {Action::toggle_loop, "toggle_loop", source, "Toggle looping of files"},
    {Action::browse, "browse", source, "Choose a file to open"},
    {Action::reopen, "reopen", source, "Reopen the source"},
    {Action::toggle_matrix, "toggle_matrix", source, "Show or hide the matrix and its table"},
    {Action::next_algorithm, "next_algorithm", compute, "Next algorithm"},
    {Action::previous_algorithm, "previous_algorithm", compute, "Previous algorithm"},
    {Action::toggle_cards, "toggle_cards", compute, "Show or hide the list of algorithms"},
    {Action::search_cards, "search_cards", compute, "Search the list of algorithms"},
    {Action::next_effect, "next_effect", compute, "Next effect"},
    {Action::previous_effect, "previous_effect", compute, "Previous effect"},
    {Action::next_device, "next_device", compute, "Next device: GPU, CPU, simulated GPU"},
    {Action::toggle_compare, "toggle_compare", compute, "Compare or show the result"},
    {Action::swap_sides, "swap_sides", compute, "Swap the sides of the comparison"},
    {Action::toggle_difference, "toggle_difference", compute, "Wipe or difference"},
    {Action::toggle_check, "toggle_check", compute, "Check every table, or stop"},
    {Action::show_feature, "show_feature", compute, "Show the chosen feature, and its tab"},
    {Action::next_feature, "next_feature", compute, "Next feature of the window of 24 x 24"},
    {Action::previous_feature, "previous_feature", compute, "Previous feature"},
    {Action::next_stage, "next_stage", compute, "Next stage of the cascade's window"},
    {Action::previous_stage, "previous_stage", compute, "Previous stage"},
    {Action::fit, "fit", view, "Fit the picture"},
    {Action::actual_size, "actual_size", view, "Actual size (1:1)"},
    {Action::zoom_in, "zoom_in", view, "Zoom in (wheel: at the mouse)"},
    {Action::zoom_out, "zoom_out", view, "Zoom out"},
    {Action::toggle_rectangle, "toggle_rectangle", view, "Toggle the rectangle tool"},
    {Action::remove_rectangle, "remove_rectangle", view, "Remove the rectangle"},
    {Action::toggle_panels, "toggle_panels", view, "Show or hide the panels"},
    {Action::toggle_simple, "toggle_simple", view, "Simple or full layout"},
    {Action::toggle_statistics, "toggle_statistics", view, "Show or hide kernel statistics"},
    {Action::toggle_fullscreen, "toggle_fullscreen", view, "Fullscreen"},
    {Action::toggle_theme, "toggle_theme", view, "Dark or light theme"},
    {Action::ui_larger, "ui_larger", view, "Larger text and controls"},
    {Action::ui_smaller, "ui_smaller", view, "Smaller text and controls"},
    {Action::ui_default, "ui_default", view, "Text as large as the display asks for"},
    {Action::screenshot, "screenshot", results, "Save a screenshot of the window", ".png", {}},
    {Action::save_picture, "save_picture", results, "Save the picture, in the source's resolution", ".png", {}},
    {Action::record, "record", results, "Start recording", ".mp4", {}},
    {Action::stop_record, "stop_record", results, "Stop recording"},
    {Action::toggle_record, "toggle_record", results, "Start or stop recording"},
    {Action::open_folder, "open_folder", results, "Open the folder of saved files"},
    {Action::toggle_export_menu, "export_menu", results, "Choose what to save: timings, frames"},
    {Action::export_timings, "export", results, "Save the timings", ".json", ".csv"},
    {Action::export_csv, "export_csv", results, "Save the timings as CSV", ".csv", {}},
    {Action::export_frames, "export_frames", results, "Save a row per frame", ".csv", {}},
    {Action::export_timeline, "export_timeline", results, "Save the frames, span by span, for Perfetto", ".json", {}},
    {Action::reset_statistics, "reset_statistics", results, "Reset the statistics"},
    {Action::trace_tiles, "trace", results, "Trace the tiles of the next picture"},
    {Action::export_trace, "export_trace", results, "Save the tile trace, for Perfetto", ".json", {}},
    {Action::start_race, "start_race", results, "Start the race", {}, {}, {}, "waits until it has finished"},
    {Action::stop_race, "stop_race", results, "Stop the race"},
    {Action::toggle_race, "toggle_race", results, "Start or stop the race of all algorithms"},
    {Action::export_race, "export_race", results, "Save the race", ".json", ".csv"},
    {Action::save_matrix, "save_matrix", results, "Save the matrix", ".csv", {}},
    {Action::save_wrong_frame, "save_wrong_frame", results, "Save the frame whose table was wrong", ".png", {}},
    {Action::toggle_graph, "toggle_graph", results, "Pause or resume the frame graph"},
    {Action::clear_frames, "clear_frames", results, "Statistics of all frames again, no frame pinned"},
    {Action::toggle_vsync, "toggle_vsync", program, "Toggle vsync"},
    {Action::toggle_palette, "toggle_palette", program, "Find any command or setting"},
    {Action::show_hints, "show_hints", program, "Show the hints of the first start"},
    {Action::toggle_help, "toggle_help", program, "Show or hide the help"},
    {Action::reset_everything, "reset_everything", program, "Reset everything: all settings as at the first start"},
    {Action::close, "close", program, "Close what is on top, or leave fullscreen"},
    {Action::quit, "quit", program, "Quit"},
};

// The name `step` places after `current`, cyclically; the first one if `current` is not in the list.
std::string next_name(std::span<const std::string_view> names, const std::string& current, int step) {
  if (names.empty()) return current;
  const auto at = std::find(names.begin(), names.end(), current);
  if (at == names.end()) return std::string(names.front());
  const auto count = static_cast<int>(names.size());
  return std::string(names[static_cast<std::size_t>((static_cast<int>(at - names.begin()) + step + count) % count)]);
}

Change next_algorithm(const Settings& settings, gpu::Device device, int step) {
  std::vector<std::string_view> names;  // in the order of the list of algorithms
  for (const auto family : gpu::sat_families())
    for (const auto* algorithm : gpu::algorithms_of(family))
      if (gpu::runs_on(*algorithm, device) && gpu::why_unavailable(*algorithm).empty()) names.push_back(algorithm->name);
  return device == gpu::Device::host ? Change{"host_algorithm", next_name(names, settings.host_algorithm, step)}
                                     : Change{"cuda_algorithm", next_name(names, settings.cuda_algorithm, step)};
}

// Cyclically: the GPU, the host, the simulated GPU; only the host is always available.
Change next_device(const Settings& settings, const ChangeContext& context) {
  const bool cuda = context.no_cuda.empty(), simulated = context.no_simulated.empty();
  if (!cuda && !simulated) throw std::invalid_argument("no other device: " + context.no_cuda);
  auto next = DeviceChoice::host;
  switch (device_for(settings, context)) {
    case gpu::Device::cuda: break;
    case gpu::Device::host: next = simulated ? DeviceChoice::simulated : DeviceChoice::cuda; break;
    case gpu::Device::simulated: next = cuda ? DeviceChoice::cuda : DeviceChoice::host; break;
  }
  return {"device", std::string(name_of(device_choice_names, next))};
}

// The list opens at the algorithm in use.
Change card_of_algorithm(const Settings& settings, const ChangeContext& context) {
  const auto device = device_for(settings, context);
  return {"card", device == gpu::Device::host ? settings.host_algorithm : settings.cuda_algorithm};
}

// In hundredths, for which the transport has room; steps up and as many down end at the same number.
Changes at_speed(double speed) { return {{"speed", number_as_text(std::round(std::clamp(speed, 0.25, 4.0) * 100) / 100)}}; }

// Steps of half an octave that reach the powers of two: 50%, 71%, 100%, 141%, 200%.
double zoomed(double zoom, int steps) {
  const auto place = std::log2(zoom) * 2;
  const auto next = steps > 0 ? std::floor(place + 1e-6) + steps : std::ceil(place - 1e-6) + steps;
  return std::exp2(std::clamp(next, -10.0, 14.0) / 2);
}

// Steps of a quarter, from 0.5 to 4 or what the window has room for, which may be less than the setting.
Change ui_scaled(const Settings& settings, const ChangeContext& context, int steps) {
  const auto asked = settings.ui_scale > 0 ? settings.ui_scale : context.display_scale;
  const auto scale = std::min(asked, context.most_scale) * 4;
  const auto next = steps > 0 ? std::floor(scale + 1e-6) + steps : std::ceil(scale - 1e-6) + steps;
  if (steps > 0 && next > context.most_scale * 4 && next <= 16)
    throw std::invalid_argument("larger text has no room in this window: enlarge the window first");
  return {"ui_scale", number_as_text(std::clamp(next, 2.0, 16.0) / 4)};
}

// Hides the dock where it is those statistics that it shows; everything else stays.
Changes toggle_statistics(const Settings& settings) {
  if (shows(settings, Dock::kernels)) return {{"dock_open", "off"}};
  auto changes = changes_to_show(Dock::kernels);
  changes.push_back({"panels", "on"});
  return changes;
}

// One thing at a time, from the top down; none where nothing is open.
Changes close_top(const Settings& settings) {
  for (const auto& [path, open] : {std::pair{"browse", settings.browse},
                                   {"palette", settings.palette},
                                   {"help", settings.help},
                                   {"cards", settings.cards},
                                   {"export_menu", settings.export_menu}})
    if (open) return {{path, "off"}};
  if (settings.rectangle_tool) return {settings.rectangle ? Change{"rectangle", ""} : Change{"rectangle_tool", "off"}};
  if (settings.cascade_at && shows(settings, Dock::cascade)) return {{"cascade_at", ""}};
  if (settings.graph_range || settings.graph_pinned > 0) return {{"graph_range", ""}, {"graph_pinned", "0"}};
  if (settings.fullscreen) return {{"fullscreen", "off"}};
  return {};
}

// The names of both sides stay while nothing is compared.
Changes toggle_compare(const Settings& settings) {
  auto sides = settings.compare;
  sides.on = !sides.on;
  return {{"compare", text_of(sides)}};
}

Changes swap_sides(const Settings& settings) {
  if (!settings.compare.on)
    throw std::invalid_argument("nothing is compared: switch compare on first (key " + labels(Action::toggle_compare) +
                                ", or the action toggle_compare)");
  return {{"compare", text_of(Sides{true, settings.compare.b, settings.compare.a})}};
}

// Starts the comparison if there is none.
Changes toggle_difference(const Settings& settings) {
  using Mode = gpu::Composition::Mode;
  const bool difference = !settings.compare.on || settings.compare_mode == Mode::wipe;
  const auto mode = name_of(compare_mode_names, difference ? Mode::difference : Mode::wipe);
  auto sides = settings.compare;
  sides.on = true;
  return {{"compare", text_of(sides)}, {"compare_mode", std::string(mode)}};
}

Change toggled(std::string_view path, bool value) { return {std::string(path), value ? "off" : "on"}; }

}  // namespace

std::span<const ActionInfo> actions() { return all_actions; }

const ActionInfo& info(Action action) { return all_actions[static_cast<std::size_t>(action)]; }

Action action_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& entry : all_actions) {
    if (entry.name == name) return entry.action;
    names.push_back(entry.name);
  }
  throw std::invalid_argument(no_such("action", name, names));
}

std::optional<std::vector<Change>> changes_of(Action action, const Settings& settings, const ChangeContext& context) {
  const auto algorithm = [&](int step) { return Changes{next_algorithm(settings, device_for(settings, context), step)}; };
  const auto effect = [&](int step) { return Changes{{"effect", next_name(effect_names(), settings.effect, step)}}; };
  const auto zoom = [&](double to) {
    Changes changes{{"zoom", number_as_text(to)}};
    if (to == 0 || settings.zoom == 0)
      changes.insert(changes.end(), {{"centre_x", "0.5"}, {"centre_y", "0.5"}});  // where it fits
    return changes;
  };
  switch (action) {
    case Action::slower: return at_speed(settings.speed / 2);
    case Action::faster: return at_speed(settings.speed * 2);
    case Action::slightly_slower: return at_speed(settings.speed / 1.1);
    case Action::slightly_faster: return at_speed(settings.speed * 1.1);
    case Action::normal_speed: return at_speed(1);
    case Action::browse: return Changes{toggled("browse", settings.browse)};
    case Action::toggle_loop: return Changes{toggled("loop", settings.loop)};
    case Action::next_algorithm: return algorithm(1);
    case Action::previous_algorithm: return algorithm(-1);
    case Action::toggle_cards:
      return Changes{toggled("cards", settings.cards), card_of_algorithm(settings, context), {"cards_search", "off"}};
    case Action::search_cards:
      if (settings.cards) return Changes{{"cards_search", "on"}};
      return Changes{{"cards", "on"}, card_of_algorithm(settings, context), {"cards_search", "on"}};
    case Action::next_effect: return effect(1);
    case Action::previous_effect: return effect(-1);
    case Action::next_device: return Changes{next_device(settings, context)};
    case Action::toggle_compare: return toggle_compare(settings);
    case Action::swap_sides: return swap_sides(settings);
    case Action::toggle_difference: return toggle_difference(settings);
    case Action::fit: return zoom(0);
    case Action::actual_size: return zoom(1);
    case Action::zoom_in: return zoom(zoomed(context.zoom, 1));
    case Action::zoom_out: return zoom(zoomed(context.zoom, -1));
    case Action::toggle_matrix: return Changes{toggled("matrix_editor", settings.matrix_editor)};
    case Action::toggle_check: return Changes{toggled("check", settings.check)};
    case Action::toggle_rectangle: return Changes{toggled("rectangle_tool", settings.rectangle_tool)};
    case Action::remove_rectangle: return Changes{{"rectangle", ""}};
    case Action::toggle_panels: return Changes{toggled("panels", settings.panels)};
    case Action::toggle_simple:  // seen also where the panels were hidden
      return Changes{{"panels", "on"}, toggled("simple", settings.panels && settings.simple)};
    case Action::toggle_statistics: return toggle_statistics(settings);
    case Action::toggle_fullscreen: return Changes{toggled("fullscreen", settings.fullscreen)};
    case Action::toggle_theme: return Changes{{"theme", settings.theme == Theme::dark ? "light" : "dark"}};
    case Action::ui_larger: return Changes{ui_scaled(settings, context, 1)};
    case Action::ui_smaller: return Changes{ui_scaled(settings, context, -1)};
    case Action::ui_default: return Changes{{"ui_scale", "0"}};
    case Action::toggle_palette: return Changes{toggled("palette", settings.palette)};
    case Action::show_hints: return Changes{{"hints", "on"}, {"panels", "on"}, {"simple", "off"}, {"dock_open", "on"}};
    case Action::toggle_help: return Changes{toggled("help", settings.help)};
    case Action::close: return close_top(settings);
    case Action::toggle_export_menu: return Changes{toggled("export_menu", settings.export_menu)};
    case Action::toggle_graph: return Changes{toggled("graph_paused", settings.graph_paused)};
    case Action::clear_frames: return Changes{{"graph_range", ""}, {"graph_pinned", "0"}};
    case Action::toggle_vsync: return Changes{toggled("vsync", settings.vsync)};
    default: return {};
  }
}

std::vector<Change> changes_to_show(Dock tab) {
  return {{"dock", std::string(name_of(dock_names, tab))}, {"dock_open", "on"}, {"simple", "off"}};
}

bool apply(Action action, Settings& settings, const ChangeContext& context) {
  if (action == Action::reset_everything) {
    settings = as_at_first_start(settings);
    return true;
  }
  const auto changes = changes_of(action, settings, context);
  if (changes) apply(settings, *changes, context);
  return changes.has_value();
}

}  // namespace app
