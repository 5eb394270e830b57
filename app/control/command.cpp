#include "app/control/command.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "app/control/cards.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/key_table.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/control/settings_file.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "gpu/sat.h"

namespace app {
namespace {

using Changes = std::vector<Change>;

[[noreturn]] void reject(const std::string& why) { throw std::invalid_argument(why); }

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }
std::string_view after_word(std::string_view text) { return trimmed(text.substr(first_word(text).size())); }

constexpr double longest_time = 1e6;  // seconds
constexpr int most_frames = 1 << 20;

// "12.5", "1:30" or "1:02:30.5", as the transport shows times: with whole hours and minutes, and less than 60 behind a colon.
std::optional<double> time_from(std::string_view text) {
  double time = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const auto colon = text.find(':');
    const auto part = number_from_text(text.substr(0, colon));
    if (!part || !(*part >= 0 && *part <= longest_time) || (parts > 0 && *part >= 60)) return {};
    time = time * 60 + *part;
    if (colon != text.npos && *part != std::floor(*part)) return {};
    if (colon == text.npos) return time <= longest_time ? std::optional(time) : std::nullopt;
    text.remove_prefix(colon + 1);
  }
  return {};
}

Command seek_to(std::string_view text) {
  Command command(Action::seek);
  command.relative = text.starts_with('+') || text.starts_with('-');
  const auto time = time_from(command.relative ? text.substr(1) : text);
  if (!time)
    reject(
        "seek takes a time from 0 to 1000000: seconds, as 12.5, or minutes and seconds below 60, as 1:30; with + or - from "
        "where it is");
  command.number = text.starts_with('-') ? -*time : *time;
  return command;
}

Command step_by(std::string_view text) {
  Command command(Action::step);
  command.number = number_from_text(text.substr(text.starts_with('+')));
  if (!command.number || *command.number != std::round(*command.number) || *command.number == 0 ||
      std::abs(*command.number) > most_frames)
    reject("step takes a whole number of frames, as 1 or -10, at most " + std::to_string(most_frames) + ", not '" +
           std::string(text) + "'");
  return command;
}

// "", "30", "mine.cu", "mine.cu:30"; also a file that it includes
Command edited(std::string_view text) {
  Command command(Action::edit_kernel);
  text = unquoted(text);
  const auto colon = text.rfind(':');
  const auto last = text.substr(colon == text.npos ? 0 : colon + 1);
  if (const auto line = number_from_text(last); line && *line >= 1 && *line == std::floor(*line) && *line <= 1e6) {
    command.number = line;
    text = text.substr(0, colon == text.npos ? 0 : colon);
  }
  command.text = text.starts_with("~") ? with_home(text).string() : std::string(text);
  return command;
}

double factor_from(std::string_view text) {
  const auto factor = number_from_text(text);
  if (!factor || !(*factor > 0 && *factor <= 1e6 && *factor >= 1e-6))
    reject("a number is multiplied by a factor from 0.000001 to 1000000, not '" + std::string(text) + "'");
  return *factor;
}

Command of_setting(Action action, std::string_view rest) {
  Command command(action);
  command.setting = first_word(rest);
  command.text = after_word(rest);
  const std::string name(info(action).name), takes(info(action).takes);
  const bool has_value = action == Action::add || action == Action::multiply;  // empty is a value of some settings
  if (command.setting.empty() || (has_value && command.text.empty())) reject(name + " needs more: " + name + ' ' + takes);
  if (action == Action::multiply) factor_from(command.text);
  const bool alone = action == Action::toggle || action == Action::reset;
  if ((alone && !command.text.empty()) || (action == Action::cycle && !command.text.empty() && command.text != "back"))
    reject(name + " takes " + takes + ", not '" + command.text + "' as well");
  return command;
}

// The command of an action whose name was read, with the rest of the line as its arguments.
Command with_rest(Action action, std::string_view rest) {
  const auto& about = info(action);
  const std::string name(about.name);
  Command command(action);
  if (!about.takes.empty() && rest.empty() && action != Action::seek) reject(name + " needs " + std::string(about.takes));
  switch (action) {
    case Action::seek: return seek_to(rest);
    case Action::step: return step_by(rest);
    case Action::open:
      rest = unquoted(rest);
      command.text = rest.starts_with("~") ? with_home(rest).string() : std::string(rest);
      return command;
    case Action::edit_kernel: return edited(rest);
    case Action::new_kernel:
      if (first_word(rest) != of_effect) break;
      command = with_rest(action, after_word(rest));
      command.text = of_effect;
      return command;
    case Action::set:
    case Action::add:
    case Action::multiply:
    case Action::cycle:
    case Action::toggle:
    case Action::reset: return of_setting(action, rest);
    default: break;
  }
  if (rest.empty()) return command;
  if (!about.writes()) reject(name + " takes no argument, not '" + std::string(rest) + "'");
  if (first_word(rest) != "to" || after_word(rest).empty())
    reject(name + " takes \"to FILE\", not '" + std::string(rest) + "'");
  return saved_to(action, std::string(after_word(rest)));
}

// "speed *2", "speed /2".
std::optional<Command> scaled(std::string_view line) {
  const auto rest = after_word(line);
  const auto word = first_word(line);
  const bool is_path = find_field(word) || word.find('.') != word.npos;
  if (!is_path || (!rest.starts_with('*') && !rest.starts_with('/'))) return {};
  Command command(Action::multiply);
  command.setting = word;
  const auto factor = factor_from(trimmed(rest.substr(1)));
  command.text = number_as_text(rest.front() == '*' ? factor : 1 / factor);
  return command;
}

// The command whose name, of several words, the line begins with.
std::optional<Command> named(std::string_view line) {
  const ActionInfo* longest = nullptr;
  std::size_t length = 0;  // of its name
  for (const auto& each : actions())
    for (const auto name : {each.name, each.old_name}) {
      const auto is_same = [](char a, char b) { return a == b || ((a == '_' || a == ' ') && (b == '_' || b == ' ')); };
      const bool begins = line.size() >= name.size() && std::equal(name.begin(), name.end(), line.begin(), is_same);
      const bool ends = begins && (line.size() == name.size() || line[name.size()] == ' ');
      if (ends && name.size() > length) longest = &each, length = name.size();
    }
  if (!longest) return {};
  const auto whole = std::string(longest->name) + ' ' + std::string(trimmed(line.substr(length)));
  if (longest->is_line())
    if (auto command = scaled(whole)) return command;
  return with_rest(longest->action, after_word(whole));
}

// The name `step` places after `current`, cyclically; the first one if `current` is not in the list.
std::string next_name(const std::vector<std::string>& names, std::string_view current, int step) {
  const auto at = std::ranges::find(names, current);
  if (at == names.end()) return names.empty() ? std::string(current) : names.front();
  const auto count = static_cast<int>(names.size());
  return names[static_cast<std::size_t>((static_cast<int>(at - names.begin()) + step + count) % count)];
}

Change next_algorithm(const Settings& settings, gpu::Device device, int step) {
  std::vector<std::string> names;  // in the order of the list of algorithms
  for (const auto& family : sat_families())
    for (const auto* algorithm : family.algorithms())
      if (gpu::runs_on(*algorithm, device) && gpu::why_unavailable(*algorithm).empty()) names.emplace_back(algorithm->name);
  return device == gpu::Device::host ? Change{"host_algorithm", next_name(names, settings.host_algorithm, step)}
                                     : Change{"cuda_algorithm", next_name(names, settings.cuda_algorithm, step)};
}

// The GPU, the host, the simulated GPU; only the host is always available.
Change next_device(const Settings& settings, const ChangeContext& context, int step) {
  std::vector<std::string> names;
  const auto add = [&](gpu::Device device, bool there) {
    if (there) names.emplace_back(gpu::name(device));
  };
  add(gpu::Device::cuda, context.no_cuda.empty());
  add(gpu::Device::host, true);
  add(gpu::Device::simulated, context.no_simulated.empty());
  if (names.size() == 1)
    reject("no other device; no simulated GPU: " + context.no_simulated + "; no GPU: " + context.no_cuda);
  return {"device", next_name(names, gpu::name(device_for(settings, context)), step)};
}

// The list opens at the algorithm in use.
Change card_of_algorithm(const Settings& settings, const ChangeContext& context) {
  const auto device = device_for(settings, context);
  return {"card", device == gpu::Device::host ? settings.host_algorithm : settings.cuda_algorithm};
}

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

// Closes the dock, or opens it at its last tab; seen also where the panels were hidden.
Changes measure(const Settings& settings) {
  if (shows_dock(settings)) return {{"dock_open", "off"}};
  Changes changes{{"dock_open", "on"}};
  if (!settings.panels) changes.push_back({"panels", "on"});
  return changes;
}

// One thing at a time, from the top down; none where nothing is open.
Changes close_top(const Settings& settings) {
  for (const auto& overlay : overlay_settings | std::views::reverse)
    if (settings.*overlay.open) return {{std::string(overlay.path), "off"}};
  if (settings.rectangle_tool) return {settings.rectangle ? Change{"rectangle", ""} : Change{"rectangle_tool", "off"}};
  if (settings.cascade_at && shows(settings, Dock::detector)) return {{"cascade_at", ""}};
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
                                ", or the command toggle_compare)");
  return {{"compare", text_of(Sides{true, settings.compare.b, settings.compare.a})}};
}

// Starts the comparison if there is none.
Changes toggle_difference(const Settings& settings) {
  using Mode = Composition::Mode;
  const bool difference = !settings.compare.on || settings.compare_mode == Mode::wipe;
  const auto mode = name_of(compare_mode_names, difference ? Mode::difference : Mode::wipe);
  auto sides = settings.compare;
  sides.on = true;
  return {{"compare", text_of(sides)}, {"compare_mode", std::string(mode)}};
}

Change toggled(std::string_view path, bool value) { return {std::string(path), value ? "off" : "on"}; }

// In hundredths, what is below a tenth to two digits: as many steps up as down end at the same number.
double rounded(double value) {
  const auto digits = value == 0 ? 0 : std::floor(std::log10(std::abs(value)));
  const auto unit = std::pow(10, std::min(-2.0, digits - 1));
  return std::round(value / unit) * unit;
}

// The change that is asked for of one setting.
struct OfSetting {
  const Command& command;
  const Settings& settings;
  const ChangeContext& context;

  Change change() const {
    if (command.action == Action::set) return to(command.text);
    const auto found = find_setting(command.setting, settings, context);
    if (!found) unknown();
    switch (command.action) {
      case Action::add:
        return number(*found, [](double value, double other) { return std::round((value + other) * 1e9) / 1e9; });
      case Action::multiply: return number(*found, [](double value, double other) { return rounded(value * other); });
      case Action::cycle: return cycle(*found);
      case Action::toggle: return toggle(*found);
      default: return to(found->initial);
    }
  }

 private:
  Change to(std::string text) const { return {command.setting, std::move(text)}; }
  // As setting it says so.
  [[noreturn]] void unknown() const {
    auto copy = settings;
    apply(copy, to(""), context);
    reject("no setting '" + command.setting + "'");
  }
  [[noreturn]] void no(const char* kind) const {
    reject(command.setting + " is not a " + kind + ": set " + command.setting + " VALUE");
  }

  // From what is used, within its range: a number of an effect that was changed is a chosen one.
  template <class Operation>
  Change number(const Setting& setting, const Operation& operation) const {
    const auto range = setting.range();
    if (!range) no("number");
    const auto [least, most, whole] = *range;
    const auto value = number_from_text(setting.used), other = number_from_text(command.text);
    const bool is_later = setting.is_automatic() && setting.used.empty();
    if (!value && !is_later) no("number");
    if (!other || !std::isfinite(*other))
      reject(std::string(info(command.action).name) + " takes a number, not '" + command.text + "'");
    if (is_later)
      reject(command.setting + " is automatic, and there is no picture yet that decides it: set " + command.setting +
             " VALUE");
    const auto result = std::clamp(operation(*value, *other), setting.least_is_automatic ? least + 1 : least, most);
    return to(number_as_text(whole ? std::round(result) : result));
  }

  Change cycle(const Setting& setting) const {
    const int step = command.text == "back" ? -1 : 1;
    if (command.setting == "device") return next_device(settings, context, step);
    if (setting.field && std::holds_alternative<Field::Algorithm>(setting.field->value))
      return next_algorithm(settings, device_for(settings, context), step);
    return to(next_name(values(setting), setting.value, step));
  }
  std::vector<std::string> values(const Setting& setting) const {
    const auto copied = [](const auto& names) { return std::vector<std::string>(names.begin(), names.end()); };
    if (const auto* parameter = setting.parameter) {
      if (parameter->choices.empty()) no("list of values");
      return copied(gpu::split_choices(parameter->choices));
    }
    const auto& field = setting.field->value;
    if (std::holds_alternative<Field::Toggle>(field)) return copied(std::span(toggle_names));
    if (const auto* choice = std::get_if<Field::Choice>(&field)) return copied(choice->names);
    if (const auto* name = std::get_if<Field::Name>(&field)) return copied(name->names());
    no("list of values");
  }

  Change toggle(const Setting& setting) const {
    if (command.setting == "compare") return toggle_compare(settings).front();
    if (!setting.is_toggle()) no("switch of on and off");
    return to(setting.used == "on" ? "off" : "on");
  }
};

}  // namespace

Command saved_to(Action action, const std::string& path) {
  const auto& about = info(action);
  const std::string name(about.name);
  if (!about.writes()) reject(name + " writes no file: leave out \"to\"");
  const auto first = about.ending, second = about.other_ending;
  if (!path.ends_with(first) && (second.empty() || !path.ends_with(second)))
    reject("'" + path + "' must end in " + std::string(first) + (second.empty() ? "" : " or " + std::string(second)));
  Command command(action);
  command.to = with_home(path);
  return command;
}

Command parse_command(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) reject("an empty line: name a command, as in seek -5; satscope list commands prints them");
  if (auto command = named(line)) return *command;
  if (auto command = scaled(line)) return *command;
  const std::string word(first_word(line));
  if (find_field(word))
    reject("'" + word + "' is a setting: set " + word + " VALUE; satscope list commands has what else there is");
  std::vector<std::string_view> names;
  for (const auto& each : actions()) names.push_back(each.name);
  reject(no_such("command", first_word(line), names));
}

Command::Command(const char* line) : Command(parse_command(line)) {}

Command command_of(const ActionInfo& row) { return row.is_line() ? parse_command(row.name) : row.action; }

const ActionInfo& info(const Command& command) {
  static const auto commands = [] {
    std::vector<Command> all;
    std::ranges::transform(actions(), std::back_inserter(all), command_of);
    return all;
  }();
  const auto at = std::ranges::find(commands, command);
  return at == commands.end() ? info(command.action) : actions()[static_cast<std::size_t>(at - commands.begin())];
}

std::optional<std::vector<Change>> changes_of(const Command& command, const Settings& settings,
                                              const ChangeContext& context) {
  const auto zoom = [&](double to) {
    Changes changes{{"zoom", number_as_text(to)}};
    if (to == 0 || settings.zoom == 0)
      changes.insert(changes.end(), {{"centre_x", "0.5"}, {"centre_y", "0.5"}});  // where it fits
    return changes;
  };
  switch (command.action) {
    case Action::set:
    case Action::add:
    case Action::multiply:
    case Action::cycle:
    case Action::toggle:
    case Action::reset: return Changes{OfSetting{command, settings, context}.change()};
    case Action::open:
      if (is_kernel_file(command.text)) return {};  // which may be there already
      return Changes{{"source", command.text}};
    case Action::toggle_cards: return Changes{toggled("cards", settings.cards), card_of_algorithm(settings, context)};
    case Action::search_cards: return Changes{{"cards", "on"}, card_of_algorithm(settings, context)};
    case Action::toggle_compare: return toggle_compare(settings);
    case Action::swap_sides: return swap_sides(settings);
    case Action::toggle_difference: return toggle_difference(settings);
    case Action::fit: return zoom(0);
    case Action::actual_size: return zoom(1);
    case Action::zoom_in: return zoom(zoomed(context.zoom, 1));
    case Action::zoom_out: return zoom(zoomed(context.zoom, -1));
    case Action::measure: return measure(settings);
    case Action::ui_larger: return Changes{ui_scaled(settings, context, 1)};
    case Action::ui_smaller: return Changes{ui_scaled(settings, context, -1)};
    case Action::show_hints: return Changes{{"hints", "on"}, {"panels", "on"}};
    case Action::close: return close_top(settings);
    case Action::clear_frames: return Changes{{"graph_range", ""}, {"graph_pinned", "0"}};
    default: return {};
  }
}

bool starts_from_picture(const Command& command, const Settings& settings, const ChangeContext& context) {
  if (command.action != Action::add && command.action != Action::multiply) return false;
  const auto setting = find_setting(command.setting, settings, context);
  return setting && setting->is_automatic();
}

std::vector<Change> changes_to_show(Dock tab) {
  return {{"dock", std::string(name_of(dock_names, tab))}, {"dock_open", "on"}};
}

bool apply(const Command& command, Settings& settings, const ChangeContext& context) {
  if (command.action == Action::reset_everything) {
    settings = as_at_first_start(settings);
    return true;
  }
  const auto changes = changes_of(command, settings, context);
  if (changes) apply(settings, *changes, context);
  return changes.has_value();
}

}  // namespace app
