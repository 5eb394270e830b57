#include "app/control/change.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/address.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

// Settings of earlier versions, which settings files and scripts still have: they change nothing.
constexpr std::string_view retired[] = {"cards_search", "dock_height", "graph_axis", "graph_scale", "kernels_descending",
                                        "kernels_sort", "left_width",  "race_a",     "race_b",      "simple"};

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

bool names_machine(const ParameterPath& path) {
  return path.has_owner && (path.owner == of_algorithm || path.owner == of_effect);
}

// An algorithm or an effect, and the values that are kept for it.
struct Owner {
  std::string_view name;
  std::span<const gpu::Parameter> parameters;
  Values* values;

  bool has(std::string_view parameter) const {
    return std::ranges::any_of(parameters, [&](const auto& p) { return p.name == parameter; });
  }
};

// An initial value is not stored.
void set_parameter(const Owner& owner, std::string_view name, const std::string& text, Settings& settings) {
  gpu::Arguments arguments(owner.parameters);
  try {
    arguments.set(name, text);
  } catch (const gpu::ArgumentError& error) {
    refuse(std::string(owner.name) + ": " + error.what());
  }
  auto& values = *owner.values;
  const bool initial = arguments == gpu::Arguments(owner.parameters);
  if (!initial)
    values[std::string(owner.name)][std::string(name)] = arguments.text(name);
  else if (const auto at = values.find(std::string(owner.name)); at != values.end()) {
    at->second.erase(std::string(name));
    if (at->second.empty()) values.erase(at);
  }
  // An explicit position overrides that of the mouse.
  if (settings.pointer && (name == "x" || name == "y"))
    (name == "x" ? settings.pointer->x : settings.pointer->y) = arguments.integer(name);
}

class Batch {
 public:
  Batch(Settings& settings, std::span<const Change> changes, const ChangeContext& context)
      : settings_(settings), changes_(changes), context_(context), compared_before_(why_no_comparison().empty()) {}

  void apply() {
    const auto effect = settings_.effect;
    for (const int rank : {0, 1, 2})
      for (const auto& change : changes_)
        if (rank_of(change) == rank) apply(change);
    if (has("dock") && !has("dock_open")) settings_.dock_open = true;  // a tab is named to be seen
    if (context_.by_hand && !has("compare")) follow_effect(effect);
    // As at a start without a source, where the bundled clip plays.
    if (context_.by_hand && has("source") && settings_.source.empty() && !has("loop")) settings_.loop = true;
    check();
  }

 private:
  // Between two effects that begin uncompared a comparison stays: somebody has switched it on.
  void follow_effect(const std::string& before) {
    auto& compare = settings_.compare;
    const bool uncompared = begins_uncompared(settings_.effect);
    if (uncompared && !begins_uncompared(before)) {
      compare.off_by_effect = std::exchange(compare.on, false);
    } else if (!uncompared && std::exchange(compare.off_by_effect, false)) {
      compare.on = true;
      compare.on = why_no_comparison().empty();
    }
  }
  // 0: settings; 1: names of algorithms and effects, which may depend on the device; 2: parameters, and what is unknown.
  static int rank_of(const Change& change) {
    const auto* field = find_field(change.path);
    if (!field) return 2;
    return std::holds_alternative<Field::Algorithm>(field->value) || std::holds_alternative<Field::Name>(field->value);
  }
  bool has(std::string_view path) const {
    return std::ranges::any_of(changes_, [&](const Change& change) { return change.path == path; });
  }

  void apply(const Change& change) {
    if (is_retired(change.path)) return;
    const auto* field = find_field(change.path);
    if (!field) return apply_parameter(change);
    // Whoever opens, drops or names such a file as a source wants its kernel.
    if (change.path == "kernel" || (change.path == "source" && is_kernel_file(change.text))) return add_kernels(change.text);
    if (field->kept == Field::Kept::at_start && context_.running) {
      auto at_start = settings_;
      set_field(*field, at_start, change.text, change.path);  // what no start accepts is not advised
      refuse(change.path + " is read when the program starts, and cannot be changed while it runs: give --set " +
             change.path + '=' + change.text + " at the start");
    }
    if (std::holds_alternative<Field::Algorithm>(field->value))
      choose_algorithm(change.text);
    else
      set_field(*field, settings_, change.path == "source" ? named_source(change.text, settings_, context_) : change.text,
                change.path);
    if (change.path == "output_folder") check_output_folder();
  }

  // The default is where the program is started, which may be another place the next time.
  void check_output_folder() {
    const auto usual = Settings().output_folder;
    auto& folder = settings_.output_folder;
    if (folder.empty()) folder = usual;
    if (folder == usual) return;
    folder = with_home(folder).string();
    if (const auto why = why_no_new_files(folder); !why.empty()) refuse("output_folder: " + why);
  }

  void add_kernels(const std::string& text) {
    if (text.empty()) settings_.kernels.clear();
    for (const auto& file : kernels_from(text)) add_kernel(settings_, file);
  }

  void choose_algorithm(const std::string& name) {
    const auto* algorithm = gpu::find_sat_algorithm(name);
    if (!algorithm && awaits_kernel(settings_, name)) return choose_awaited(name);
    if (!algorithm) refuse(no_such("algorithm", name, algorithm_names()));
    const bool cuda = algorithm->device == gpu::Device::cuda;
    (cuda ? settings_.cuda_algorithm : settings_.host_algorithm) = name;
    if (has("device") && settings_.device != DeviceChoice::automatic) return check_device(*algorithm);
    if (gpu::runs_on(*algorithm, device_for(settings_, context_))) return;
    const bool on_gpu = context_.no_cuda.empty() && gpu::runs_on(*algorithm, gpu::Device::cuda);
    settings_.device = !cuda                                                               ? DeviceChoice::host
                       : on_gpu                                                            ? DeviceChoice::cuda
                       : algorithm->not_simulated.empty() && context_.no_simulated.empty() ? DeviceChoice::simulated
                                                                                           : cannot_run(*algorithm);
  }
  // A user's kernel that is still being compiled. The device is that of the program's own algorithms for a GPU.
  void choose_awaited(const std::string& name) {
    settings_.cuda_algorithm = name;
    if (has("device") || device_for(settings_, context_) != gpu::Device::host) return;
    if (!context_.no_simulated.empty())
      throw MissingDevice(name + " needs a GPU (" + context_.no_cuda + ") or the simulated one (" + context_.no_simulated +
                          ")");
    settings_.device = DeviceChoice::simulated;
  }
  static std::string the_device(std::string_view name) { return "the " + device_words(name); }
  void check_device(const gpu::SatAlgorithm& algorithm) const {
    const auto asked = settings_.device;
    const auto name = std::string(algorithm.name);
    if (asked == DeviceChoice::simulated && !algorithm.not_simulated.empty()) refuse(not_simulated_text(algorithm));
    if ((asked == DeviceChoice::host) == (algorithm.device == gpu::Device::host)) return;
    refuse(name + " runs on " + the_device(gpu::name(algorithm.device)) +
           (gpu::runs_on(algorithm, gpu::Device::simulated) ? " or the simulated one" : "") + ", not on " +
           the_device(name_of(device_choice_names, asked)) + ": choose another device, or another algorithm");
  }
  [[noreturn]] DeviceChoice cannot_run(const gpu::SatAlgorithm& algorithm) const {
    const auto& why = context_.no_cuda.empty() && algorithm.version ? algorithm.version->no_cuda : context_.no_cuda;
    const auto needs = std::string(algorithm.name) + " needs a GPU (" + why + ")";
    if (algorithm.not_simulated.empty())
      throw MissingDevice(needs + " or the simulated one (" + context_.no_simulated + ")");
    throw MissingDevice(needs + " and does not run on the simulated one (" + std::string(algorithm.not_simulated) +
                        "); choose another algorithm");
  }

  void apply_parameter(const Change& change) {
    const ParameterPath path(change.path);
    set_parameter(path.has_owner ? named_owner(path) : owner_of(path.name), path.name, change.text, settings_);
  }

  Owner owner_of(const gpu::SatAlgorithm& algorithm) {
    return {algorithm.name, algorithm.parameters, &settings_.algorithm_values};
  }
  Owner owner_of(const gpu::Effect& effect) { return {effect.name, effect.parameters, &settings_.effect_values}; }
  Owner algorithm_in_use() { return owner_of(chosen_algorithm(settings_, device_for(settings_, context_))); }
  Owner effect_in_use() { return owner_of(chosen_effect(settings_)); }

  Owner named_owner(const ParameterPath& path) {
    if (path.owner == of_algorithm) return algorithm_in_use();
    if (path.owner == of_effect) return effect_in_use();
    const std::string name(path.owner);
    if (const auto* algorithm = gpu::find_sat_algorithm(name)) return owner_of(*algorithm);
    if (const auto* effect = gpu::find_effect(name)) return owner_of(*effect);
    auto names = algorithm_names();
    for (const auto effect : effect_names()) names.push_back(effect);
    refuse("no algorithm or effect '" + name + "'" + did_you_mean(name, names));
  }

  // The owner of a parameter named alone: whichever of the current algorithm and effect has it.
  Owner owner_of(std::string_view name) {
    const auto algorithm = algorithm_in_use(), effect = effect_in_use();
    const bool in_algorithm = algorithm.has(name), in_effect = effect.has(name);
    const std::string word(name), first(algorithm.name), second(effect.name);
    if (in_algorithm && in_effect)
      refuse("both " + first + " and " + second + " have '" + word + "'; write algorithm." + word + " or effect." + word);
    if (in_algorithm || in_effect) return in_algorithm ? algorithm : effect;
    std::vector<std::string_view> names;
    for (const auto& owner : {algorithm, effect})
      for (const auto& parameter : owner.parameters) names.push_back(parameter.name);
    auto candidates = field_paths();
    candidates.insert(candidates.begin(), names.begin(), names.end());
    const auto owners = effect.parameters.empty() ? first : algorithm.parameters.empty() ? second : first + " or " + second;
    refuse("no setting '" + word + "', and no parameter in " + owners + there_are(names, name, candidates));
  }

  // What can be checked only after all changes: that the device is available and runs the algorithm.
  void check() const {
    const auto wanted = settings_.device;
    if (has("device") && wanted == DeviceChoice::cuda && !context_.no_cuda.empty())
      throw MissingDevice(no_cuda_text(context_.no_cuda));
    if (has("device") && wanted == DeviceChoice::simulated && !context_.no_simulated.empty())
      throw MissingDevice("no simulated GPU: " + context_.no_simulated);
    if (has("device") || has("algorithm") || has("cuda_algorithm") || has("host_algorithm"))
      chosen_algorithm(settings_, device_for(settings_, context_));
    check_sides();
    if (has("matrix") && !settings_.matrix.empty()) check_matrix();
  }
  // Here, where it is set: its source would say so later, when it is opened.
  void check_matrix() const try {
    if (const auto& source = settings_.source; !capture::owns_matrix({.source = source}))
      refuse("matrix holds the numbers of a matrix source, and " +
             (source.empty() ? std::string("no source is named") : "the source is " + capture::in_quotes(source)) +
             ": set the source to matrix or to a CSV file, or leave matrix out");
    capture::matrix_from(settings_.matrix, ';', "matrix");
  } catch (const capture::SourceError& error) {
    refuse(error.what());
  }
  // When the program starts, the device is not known yet.
  void check_sides() const {
    if (!context_.running || (!compared_before_ && !has("compare"))) return;
    if (const auto why = why_no_comparison(); !why.empty()) refuse("compare: " + why);
  }
  std::string why_no_comparison() const { return why_not_compared(settings_, device_for(settings_, context_)); }

  Settings& settings_;
  std::span<const Change> changes_;
  const ChangeContext& context_;
  bool compared_before_;  // nothing was compared, or both sides could be computed
};

}  // namespace

bool is_retired(std::string_view path) { return std::ranges::find(retired, path) != std::end(retired); }

bool begins_uncompared(std::string_view name) {
  const auto* effect = gpu::find_effect(name);
  return effect && effect->most_annotations;
}

std::string named_source(const std::string& text, const Settings& settings, const ChangeContext& context) {
  for (const auto* known : {&context.failed_source, &settings.source})
    if (auto source = with_secrets_of(text, *known); source != text) return source;
  return text;
}

void apply(Settings& settings, std::span<const Change> batch, const ChangeContext& context) {
  auto changed = settings;
  Batch(changed, batch, context).apply();
  settings = std::move(changed);
}

void apply(Settings& settings, const Change& change, const ChangeContext& context) {
  apply(settings, std::span(&change, 1), context);
}

gpu::Device device_for(const Settings& settings, const ChangeContext& context) {
  const auto cuda = context.no_cuda.empty() ? gpu::Device::cuda : gpu::Device::host;
  switch (settings.device) {
    case DeviceChoice::host: return gpu::Device::host;
    case DeviceChoice::simulated: return context.no_simulated.empty() ? gpu::Device::simulated : gpu::Device::host;
    case DeviceChoice::cuda:
    case DeviceChoice::automatic: return cuda;
  }
  return gpu::Device::host;
}

std::string_view Setting::help() const { return field ? field->help : parameter->help; }

bool Setting::is_toggle() const {
  return field ? std::holds_alternative<Field::Toggle>(field->value) : parameter->kind == gpu::Parameter::Kind::toggle;
}

std::optional<NumberRange> Setting::range() const {
  using Kind = gpu::Parameter::Kind;
  if (parameter) {
    if (parameter->kind != Kind::integer && parameter->kind != Kind::real) return {};
    return NumberRange{parameter->minimum, parameter->maximum, parameter->kind == Kind::integer};
  }
  if (const auto* whole = std::get_if<Field::Whole>(&field->value))
    return NumberRange{static_cast<double>(whole->least), static_cast<double>(whole->most), true};
  if (const auto* number = std::get_if<Field::Number>(&field->value)) return NumberRange{number->least, number->most, false};
  return {};
}

bool Setting::is_number() const {
  if (!field) return parameter->kind != gpu::Parameter::Kind::file && number_from_text(value);
  return std::holds_alternative<Field::Whole>(field->value) || std::holds_alternative<Field::Number>(field->value);
}

bool Setting::is_automatic() const { return least_is_automatic && number_from_text(value) == parameter->minimum; }

namespace {

// The value in use of a field that has 0 where the program chooses.
std::string used_value(const Field& field, const Settings& settings, const ChangeContext& context) {
  if (field.path == "zoom" && settings.zoom == 0) return number_as_text(context.zoom);
  if (field.path == "ui_scale" && settings.ui_scale == 0)
    return number_as_text(std::min(context.display_scale, context.most_scale));
  return text_of(field, settings);
}

void find_used(Setting& setting, const gpu::SatAlgorithm&, const gpu::Arguments&, gpu::Device, gpu::Size) {
  setting.used = setting.value;
}
void find_used(Setting& setting, const gpu::Effect& effect, const gpu::Arguments& given, gpu::Device device,
               gpu::Size picture) {
  const auto name = setting.parameter->name;
  const auto arguments = gpu::arguments_on(effect, given, device);
  const bool places = effect.placement && (name == "x" || name == "y");
  setting.least_is_automatic = places || gpu::display_of(effect.display, name).automatic;
  setting.used = setting.is_automatic() ? "" : arguments.text(name);
  if (!setting.least_is_automatic || picture.pixels() == 0) return;
  if (!places) {
    setting.used = gpu::used_arguments(effect, arguments, picture).text(name);
    return;
  }
  const auto place = effect.placement(arguments, picture);
  setting.used = std::to_string(name == "x" ? place.x : place.y);
}

}  // namespace

// A parameter named alone is the algorithm's, else the effect's.
std::optional<Setting> find_setting(std::string_view path, const Settings& settings, const ChangeContext& context) try {
  if (const auto* field = find_field(path))
    return Setting{field, nullptr, text_of(*field, settings), text_of(*field, Settings()),
                   used_value(*field, settings, context)};
  const auto [owner, name, has_owner] = ParameterPath(path);
  const auto device = device_for(settings, context);
  const auto parameter_of = [&](const auto* item) -> std::optional<Setting> {
    if (!item) return {};
    const auto at = std::ranges::find(item->parameters, name, &gpu::Parameter::name);
    if (at == item->parameters.end()) return {};
    const auto arguments = arguments_of(*item, settings);
    Setting found{nullptr, &*at, arguments.text(name), std::string(at->initial)};
    find_used(found, *item, arguments, device, context.picture);
    return found;
  };
  const auto* algorithm = !has_owner || owner == of_algorithm ? &chosen_algorithm(settings, device)
                                                              : gpu::find_sat_algorithm(owner);
  if (auto found = parameter_of(algorithm)) return found;
  return parameter_of(!has_owner || owner == of_effect ? &chosen_effect(settings) : gpu::find_effect(owner));
} catch (const std::invalid_argument&) {  // the settings name what does not exist
  return {};
}

bool depends_on_machine(const Change& change) {
  const ParameterPath path(change.path);
  return !find_field(change.path) && (!path.has_owner || names_machine(path));
}

namespace {

constexpr std::size_t most_steps = 200;
constexpr std::chrono::milliseconds one_change{700};  // the longest pause of a drag

// The layout of the window is not undone: an undo is meant for what is computed and shown.
bool is_layout(std::string_view path) {
  constexpr std::string_view names[] = {"panels",     "hints",      "dock",       "dock_open",
                                        "dock_width", "frame_view", "card_order", "columns"};
  return std::ranges::find(names, path) != std::end(names) || path.starts_with("graph_") || path.starts_with("trace_");
}

bool can_be_undone(const Field& field) {
  constexpr std::string_view of_run[] = {"source", "speed", "matrix", "pointer", "rectangle"};
  if (field.kept == Field::Kept::run) return std::ranges::find(of_run, field.path) != std::end(of_run);
  return field.kept == Field::Kept::saved && !is_layout(field.path);
}

// Texts of the settings by path. The algorithm's and the effect's parameters are there where they are not initial.
std::map<std::string, std::string> texts_of(const Settings& settings) {
  std::map<std::string, std::string> texts;
  for (const auto& field : fields())
    if (can_be_undone(field)) texts[std::string(field.path)] = text_of(field, settings);
  for (const auto* values : {&settings.algorithm_values, &settings.effect_values})
    for (const auto& [owner, parameters] : *values)
      for (const auto& [name, text] : parameters) texts[owner + '.' + name] = text;
  return texts;
}

std::vector<std::string> changes_between(const Settings& before, const Settings& after) {
  const auto old = texts_of(before), now = texts_of(after);
  std::vector<std::pair<std::string, std::string>> different;
  std::ranges::set_symmetric_difference(old, now, std::back_inserter(different));
  std::vector<std::string> paths;
  for (const auto& [path, text] : different)
    if (paths.empty() || paths.back() != path) paths.push_back(path);
  return paths;
}

// The settings `now`, with what can be undone as it is in `other`.
Settings with(const Settings& other, Settings now) {
  now.kernels = other.kernels;  // first: names of other fields may be theirs, before they are compiled
  for (const auto& field : fields())
    if (can_be_undone(field)) set_field(field, now, text_of(field, other), field.path);
  now.compare = other.compare;  // its sides, too, where it is off
  now.algorithm_values = other.algorithm_values;
  now.effect_values = other.effect_values;
  return now;
}

}  // namespace

std::string command_line_of(const Settings& settings) {
  const auto quoted = [](std::string_view text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + '\'';
  };
  auto line = "satscope" + (settings.source.empty() ? std::string() : ' ' + quoted(shown_address(settings.source)));
  const auto usual = texts_of({});
  for (const auto& [path, text] : texts_of(settings)) {
    const auto at = usual.find(path);
    if (path != "source" && (at == usual.end() || at->second != text)) line += " --set " + quoted(path + '=' + text);
  }
  return line;
}

void Undo::note(const Settings& now, bool drags, Clock::time_point time) {
  if (now == seen_) return;
  auto changed = changes_between(seen_, now);
  if (!changed.empty()) {
    const bool goes_on = drags && changed == changed_ && time - changed_at_ < one_change;
    if (!goes_on) past_.push_back(seen_);
    if (past_.size() > most_steps) past_.erase(past_.begin());
    future_.clear();
    changed_ = std::move(changed);
    changed_at_ = time;
  }
  seen_ = now;
}

std::string Undo::undo(Settings& settings) { return go(settings, past_, future_, "there is nothing to undo"); }

std::string Undo::redo(Settings& settings) { return go(settings, future_, past_, "there is nothing to redo"); }

std::string Undo::first_change(const Settings& now, const std::vector<Settings>& to) {
  for (auto other = to.rbegin(); other != to.rend(); ++other)
    if (const auto changes = changes_between(now, *other); !changes.empty()) return changes.front();
  return {};
}

std::string Undo::go(Settings& settings, std::vector<Settings>& from, std::vector<Settings>& to, const char* nothing) {
  note(settings);
  while (!from.empty() && changes_between(settings, from.back()).empty()) from.pop_back();  // a drag that came back
  if (from.empty()) throw std::invalid_argument(nothing);
  auto back = with(from.back(), settings);
  from.pop_back();
  to.push_back(settings);
  std::string names;
  for (const auto& path : changes_between(settings, back)) names += (names.empty() ? "" : ", ") + path;
  settings = seen_ = std::move(back);
  changed_.clear();
  return names;
}

}  // namespace app
