#include "app/control/selection.h"

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/control/side_value.h"
#include "app/support/exit_code.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "gpu/user_kernels/kernel_version.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

// Of a user's kernel, values may be those of a version that had other parameters.
template <class Descriptor>
gpu::Arguments with_values(const Descriptor& owner, const Values& values) {
  gpu::Arguments arguments(owner.parameters);
  if (const auto at = values.find(std::string(owner.name)); at != values.end())
    for (const auto& [name, text] : at->second) try {
        arguments.set(name, text);
      } catch (const gpu::ArgumentError&) {
        if (!owner.version) throw;
      }
  return arguments;
}

const gpu::SatAlgorithm& usual_algorithm(gpu::Device device) {
  return *gpu::find_sat_algorithm(gpu::usual_sat_algorithm(device == gpu::Device::host ? device : gpu::Device::cuda));
}

bool is_place(std::string_view parameter) { return parameter == "x" || parameter == "y"; }

// Effects that have a place are where the mouse put them.
void place(gpu::Arguments& arguments, const std::optional<Pointer>& pointer) {
  if (!pointer || !arguments.has("x") || !arguments.has("y")) return;
  arguments.set("x", std::to_string(pointer->x));
  arguments.set("y", std::to_string(pointer->y));
}

// The arguments in use where nothing is chosen.
gpu::Arguments unchosen(const gpu::SatAlgorithm& algorithm, gpu::Device) { return gpu::Arguments(algorithm.parameters); }
gpu::Arguments unchosen(const gpu::Effect& effect, gpu::Device device) {
  return gpu::arguments_on(effect, gpu::Arguments(effect.parameters), device);
}

// The values of `owner` become those of the arguments; its place stays as it is where the mouse has put it elsewhere. A choice, or none,
// from which the used value follows is not what was refused, and stays. Otherwise a value that is used without a choice is none, unless
// it was chosen `before`.
void keep_used(Values& values, std::string_view owner, const gpu::Arguments& arguments, const gpu::Arguments& unchosen,
               const Values& before, bool placed) {
  auto& own = values[std::string(owner)];
  const auto then = before.find(std::string(owner));
  const gpu::Arguments initial(arguments.parameters());
  for (const auto& parameter : arguments.parameters()) {
    const std::string name(parameter.name);
    if (placed && is_place(name)) continue;
    const auto& text = arguments.text(name);
    const auto now = own.find(name);
    const bool left_to_device = now == own.end() || now->second == initial.text(name);
    if (text == (left_to_device ? unchosen.text(name) : now->second)) continue;
    own.erase(name);
    const bool chosen = then != before.end() && then->second.contains(name) && then->second.at(name) == text;
    if (chosen || text != unchosen.text(name)) own[name] = text;
  }
  if (own.empty()) values.erase(std::string(owner));
}

// Sets the values of `owner` back to those of `before`.
void keep_before(Values& values, std::string_view owner, const Values& before) {
  const auto at = before.find(std::string(owner));
  values.erase(std::string(owner));
  if (at != before.end()) values.insert(*at);
}

// A wipe amplifies nothing.
bool same_mode(const Composition& a, const Composition& b) {
  return a.mode == b.mode && (a.mode == Composition::Mode::wipe || a.amplification == b.amplification);
}

DeviceDecision choose_simulated(bool required) {
  if (required) await_simulated_gpu();
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (found.driver) return {gpu::Device::simulated, {}};
  if (required) throw ExitError(ExitCode::no_gpu, found.reason);
  return {gpu::Device::host, found.reason + "; computing on the CPU instead"};
}

void put_work(std::string& text, const Selection& selection, gpu::Size frame) {
  if (!selection.algorithm) {  // of a side that needs no table
    text += selection.name;
    return;
  }
  text += with_arguments(numbered_name(*selection.algorithm), selection.algorithm_arguments);
  text += ", ";
  text += with_arguments(numbered_name(*selection.effect), used_effect_arguments(selection, frame));
}

}  // namespace

gpu::Arguments used_effect_arguments(const Selection& selection, gpu::Size frame) {
  return selection.effect ? gpu::used_arguments(*selection.effect, selection.effect_arguments, frame) : gpu::Arguments();
}

bool same_work(const Selection& a, const Selection& b) {
  if (a.algorithm != b.algorithm || a.algorithm_arguments != b.algorithm_arguments || a.effect != b.effect ||
      a.timing != b.timing || a.check != b.check || a.device != b.device || a.name != b.name)
    return false;
  if (!same_mode(a.composition, b.composition) || !std::ranges::equal(a.sides, b.sides, same_work)) return false;
  const auto& values = a.effect_arguments;
  return std::ranges::all_of(values.parameters(), [&](const gpu::Parameter& parameter) {
    const auto name = parameter.name;
    return is_place(name) || values.text(name) == b.effect_arguments.text(name);
  });
}

gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, const Settings& settings) {
  return with_values(algorithm, settings.algorithm_values);
}

gpu::Arguments arguments_of(const gpu::Effect& effect, const Settings& settings) {
  auto arguments = with_values(effect, settings.effect_values);
  place(arguments, settings.pointer);
  return arguments;
}

std::filesystem::path file_of(const gpu::Parameter& parameter, std::string_view value) {
  const auto& known = parameter.known();
  if (const auto at = std::ranges::find(known, value, &gpu::NamedFile::name); at != known.end()) return at->path;
  return gpu::vision::cascade_path(value);  // every file of an effect is one
}

std::vector<std::filesystem::path> files_of(const gpu::Arguments& arguments) {
  std::vector<std::filesystem::path> files;
  for (const auto& parameter : arguments.parameters())
    if (parameter.kind == gpu::Parameter::Kind::file) try {
        if (auto path = file_of(parameter, arguments.text(parameter.name)); !path.empty()) files.push_back(std::move(path));
      } catch (const gpu::ArgumentError&) {  // there is none
      }
  return files;
}

std::vector<std::filesystem::path> files_of(const Settings& settings) {
  std::vector<std::filesystem::path> files;
  for (const auto* effect : gpu::all_effects())
    for (auto& file : files_of(arguments_of(*effect, settings))) files.push_back(std::move(file));
  for (const auto& name : {settings.compare.a, settings.compare.b})
    if (const auto own = side_value(name))
      for (auto& file : files_of(own->put_into(gpu::Arguments(own->effect->parameters)))) files.push_back(std::move(file));
  return files;
}

namespace {

// The selection of side `original`, without a table: what effect `none` draws.
Selection original(const Selection& result) {
  auto side = without_effect(result);
  side.algorithm = nullptr;
  side.algorithm_arguments = {};
  side.check = false;
  side.name = original_side;
  return side;
}

Selection side_of(const std::string& name, const Selection& result, const Settings& settings) {
  if (name == original_side) return original(result);
  auto side = result;
  side.name = name;
  if (const auto* algorithm = gpu::find_sat_algorithm(name)) {
    side.algorithm = algorithm;
    side.algorithm_arguments = arguments_of(*algorithm, settings);
  } else if (const auto own = side_value(name); const auto* effect = own ? own->effect : gpu::find_effect(name)) {
    const auto arguments = arguments_of(*effect, settings);
    side.effect = effect;
    side.effect_arguments = gpu::arguments_on(*effect, own ? own->put_into(arguments) : arguments, result.device);
    if (own) side.name = own->name();
  }
  return side;
}

// A result is named by what tells it from the other side.
std::string result_name(const Selection& result, const std::string& other) {
  return std::string(gpu::find_sat_algorithm(other) ? result.algorithm->name : result.effect->name);
}

// Adds the comparison of the settings to `selection`, their result. Throws gpu::ArgumentError.
void add_sides(Selection& selection, const Settings& settings) {
  const auto &a = settings.compare.a, &b = settings.compare.b;
  const auto result = selection;
  selection.composition = {settings.compare_mode, settings.wipe, settings.amplification};
  for (const auto* name : {&a, &b}) {
    auto side = side_of(*name, result, settings);
    if (*name == result_side) side.name = result_name(result, name == &a ? b : a);
    selection.sides.push_back(std::move(side));
  }
}

}  // namespace

Selection make_selection(const Settings& settings, gpu::Device device) {
  Selection selection;
  selection.algorithm = &chosen_algorithm(settings, device);
  selection.algorithm_arguments = arguments_of(*selection.algorithm, settings);
  selection.effect = &chosen_effect(settings);
  selection.effect_arguments = gpu::arguments_on(*selection.effect, arguments_of(*selection.effect, settings), device);
  selection.timing = settings.timing;
  selection.check = settings.check;
  selection.device = device;
  if (settings.compare.on && why_not_compared(settings, device).empty()) add_sides(selection, settings);
  return selection;
}

bool draws_gray_for_speed(const Selection& selection, const Settings& settings) {
  const std::string colour = "colour";
  const auto gray = [&](const Selection& one) {
    if (!one.effect || !one.effect_arguments.has(colour) || one.effect_arguments.text(colour) != "off") return false;
    const auto own = settings.effect_values.find(std::string(one.effect->name));
    return own == settings.effect_values.end() || !own->second.contains(colour) ||
           own->second.at(colour) == gpu::automatic_choice;
  };
  return gray(selection) || std::ranges::any_of(selection.sides, gray);
}

bool shows_original(const Selection& selection) {
  return selection.sides.empty() && selection.effect == gpu::find_effect("none");
}

Selection without_effect(Selection selection) {
  selection.effect = gpu::find_effect("none");
  selection.effect_arguments = gpu::Arguments(selection.effect->parameters);
  selection.sides.clear();
  selection.composition = {};
  return selection;
}

std::vector<const gpu::KernelVersion*> user_kernels_of(const Selection& selection) {
  std::vector<const gpu::KernelVersion*> all;
  const auto add = [&](const auto* one) {
    if (one && one->version && std::ranges::find(all, one->version) == all.end()) all.push_back(one->version);
  };
  add(selection.algorithm);
  add(selection.effect);
  for (const auto& side : selection.sides) {
    add(side.algorithm);
    add(side.effect);
  }
  return all;
}

Selection without_user_kernels(Selection selection) {
  const auto replace = [&](Selection& one) {
    if (one.algorithm && one.algorithm->version) {
      one.algorithm = &usual_algorithm(selection.device);
      one.algorithm_arguments = gpu::Arguments(one.algorithm->parameters);
    }
    if (one.effect && one.effect->version) {
      one.effect = gpu::find_effect("none");
      one.effect_arguments = gpu::Arguments(one.effect->parameters);
    }
  };
  replace(selection);
  for (auto& side : selection.sides) replace(side);
  return selection;
}

Settings without_refused(Settings settings, const Selection& used, const Settings& before) {
  auto all = used.sides;
  all.push_back(used);
  for (const auto* side : {&settings.compare.a, &settings.compare.b})
    if (const auto own = side_value(*side); own && settings.compare.on && !own->is_one_of(used.sides))
      settings.compare = before.compare;
  const auto& sides = settings.compare;
  const auto keep = [&](Values& values, const Values& then, std::span<const std::string_view> chosen, const auto& items,
                        auto item, auto arguments) {
    for (const auto* one : items) {
      const bool is_side = sides.on && (one->name == sides.a || one->name == sides.b);
      if (!is_side && std::ranges::find(chosen, one->name) == chosen.end()) continue;
      const auto at = std::ranges::find(all, one, item);
      if (at != all.end())
        keep_used(values, one->name, std::invoke(arguments, *at), unchosen(*one, used.device), then,
                  settings.pointer.has_value());
      else
        keep_before(values, one->name, then);
    }
  };
  const std::string_view effect[] = {settings.effect}, algorithms[] = {settings.host_algorithm, settings.cuda_algorithm};
  keep(settings.effect_values, before.effect_values, effect, gpu::all_effects(), &Selection::effect,
       &Selection::effect_arguments);
  keep(settings.algorithm_values, before.algorithm_values, algorithms, gpu::sat_algorithms(), &Selection::algorithm,
       &Selection::algorithm_arguments);
  return settings;
}

std::string first_cuda_algorithm(const gpu::GpuInfo& gpu, const gpu::Tuned& tuned) {
  constexpr gpu::Size usual_frame{1920, 1080};
  const auto fastest = gpu::fastest_algorithm(usual_frame, gpu::SatType::u8_u32, gpu, gpu::RunBy::launches, tuned);
  return std::string(fastest.algorithm->name);
}

std::string no_cuda_text(const std::string& why) {
  return "no CUDA device: " + why + "; --device simulated runs CUDA's algorithms on the CPU, --device host the CPU's own";
}

std::string not_simulated_text(const gpu::SatAlgorithm& algorithm) {
  return std::string(algorithm.name) + ": " + std::string(algorithm.not_simulated) +
         "; choose another algorithm, or the device cuda";
}

DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required) {
  if (settings.device == DeviceChoice::host) return {};
  if (settings.device == DeviceChoice::simulated) return choose_simulated(required);
  if (probe.gpu) return {gpu::Device::cuda, {}};
  if (settings.device == DeviceChoice::automatic) return {};
  if (required) throw ExitError(ExitCode::no_gpu, no_cuda_text(probe.reason));
  return {gpu::Device::host, "no CUDA device: " + probe.reason +
                                 "; computing on the CPU instead; device 'simulated' runs CUDA's algorithms there"};
}

const gpu::Effect& chosen_effect(const Settings& settings) {
  if (const auto* effect = gpu::find_effect(settings.effect)) return *effect;
  if (awaits_kernel(settings, settings.effect)) return *gpu::find_effect(Settings().effect);
  throw std::invalid_argument(no_such("effect", settings.effect, effect_names()));
}

const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device) {
  const auto& name = device == gpu::Device::host ? settings.host_algorithm : settings.cuda_algorithm;
  std::vector<std::string_view> names;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    const bool here = gpu::runs_on(*algorithm, device);
    if (algorithm->name == name && here) return *algorithm;
    if (algorithm->name == name && device == gpu::Device::simulated && algorithm->device == gpu::Device::cuda)
      throw std::invalid_argument(not_simulated_text(*algorithm));
    if (algorithm->name == name && device == gpu::Device::cuda && algorithm->version)
      throw std::invalid_argument(name + ": " + algorithm->version->no_cuda + "; choose the device simulated");
    if (!here) continue;
    names.push_back(algorithm->name);
  }
  if (device != gpu::Device::host && awaits_kernel(settings, name)) return usual_algorithm(device);
  throw std::invalid_argument("on the " + device_words(gpu::name(device)) + ": " + no_such("algorithm", name, names));
}

namespace {

std::string numbered(std::string_view name, const gpu::KernelVersion* version) {
  return std::string(name) + (version ? '.' + std::to_string(version->number) : "");
}

}  // namespace

std::string numbered_name(const gpu::SatAlgorithm& algorithm) { return numbered(algorithm.name, algorithm.version); }
std::string numbered_name(const gpu::Effect& effect) { return numbered(effect.name, effect.version); }

std::string with_arguments(std::string_view name, const gpu::Arguments& arguments) {
  const auto values = text_of(arguments);
  return std::string(name) + (values.empty() ? "" : " ") + values;
}

nlohmann::ordered_json json_of(const gpu::Arguments& arguments) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& parameter : arguments.parameters()) object[std::string(parameter.name)] = arguments.text(parameter.name);
  return object;
}

capture::Request request_of(const Settings& settings, bool page_locked) {
  return {.source = settings.source,
          .size = settings.size,
          .fps = settings.fps,
          .loop = settings.loop,
          .max_speed = settings.max_speed,
          .page_locked = page_locked,
          .matrix = settings.matrix,
          .memory = picture_memory(settings),
          .values = settings.values};
}

void put_request(const capture::Request& request, Settings& settings) {
  settings.source = request.source;
  settings.size = request.size;
  settings.fps = request.fps;
  settings.matrix = request.matrix;
}

std::string text_of(const Selection& selection, gpu::Size frame) {
  auto text = std::string(gpu::name(selection.device)) + ' ';
  if (selection.sides.empty()) {
    put_work(text, selection, frame);
    return text;
  }
  text += "A: ";
  put_work(text, selection.sides[0], frame);
  text += "; B: ";
  put_work(text, selection.sides[1], frame);
  return text + "; " + std::string(name_of(compare_mode_names, selection.composition.mode));
}

namespace {

// The names of all sides, in the order of a list: original, result, algorithms, effects.
std::vector<std::string_view> side_names() {
  std::vector<std::string_view> names{original_side, result_side};
  for (const auto& more : {algorithm_names(), effect_names()}) names.insert(names.end(), more.begin(), more.end());
  return names;
}

std::string checked(std::string_view name) {
  if (const auto own = side_value(name)) return own->check(), std::string(name);
  auto names = side_names();
  if (std::ranges::find(names, name) != names.end()) return std::string(name);
  const auto near = did_you_mean(name, names);
  throw std::invalid_argument(
      "no side '" + std::string(name) + "'" +
      (near.empty() ? "; compare takes original, result, or the name of an algorithm or an effect" : near));
}

}  // namespace

std::string title_of_side(std::string_view name) {
  if (name == original_side) return "Original";
  if (name == result_side) return "Result";
  if (const auto own = side_value(name)) return own->title();
  const auto* effect = gpu::find_effect(name);
  return std::string(effect ? effect->title : name);
}

namespace {

std::string title_of_part(std::string_view part) {
  std::string effect(part);
  std::ranges::replace(effect, ' ', '_');
  return gpu::find_effect(effect) ? title_of_side(effect) : std::string(part);
}

// Whether what runs in a side says no more than the side's own name.
bool repeats(std::string_view part, std::string_view side) {
  return side == original_side ? part == "none" : title_of_part(part) == title_of_side(side);
}

}  // namespace

std::string title_of_path(std::string_view path) {
  const auto part_of = [](std::string_view all) { return all.substr(0, all.find('/')); };
  const auto after = [](std::string_view all, std::string_view part) {
    return all.substr(std::min(part.size() + 1, all.size()));
  };
  const auto name = part_of(path);
  auto rest = after(path, name);
  const bool side = name.starts_with("A: ") || name.starts_with("B: ");
  if (side && repeats(part_of(rest), name.substr(3))) rest = after(rest, part_of(rest));
  const auto title = side ? std::string(name.substr(0, 3)) + title_of_side(name.substr(3)) : title_of_part(name);
  return rest.empty() ? title : title + '/' + title_of_path(rest);
}

Sides sides_from_text(std::string_view text) {
  if (text == no_comparison) return {};
  const auto comma = text.find(',');
  if (comma == text.npos)
    throw std::invalid_argument("compare takes " + std::string(accepted_sides) + ", not '" + std::string(text) + "'");
  Sides sides{true, checked(text.substr(0, comma)), checked(text.substr(comma + 1))};
  if (sides.a == sides.b) throw std::invalid_argument("compare takes two sides that differ, not '" + sides.a + "' twice");
  return sides;
}

std::string text_of(const Sides& sides) { return sides.on ? sides.a + ',' + sides.b : std::string(no_comparison); }

std::string why_no_side(std::string_view name, gpu::Device device) {
  const auto* algorithm = gpu::find_sat_algorithm(name);
  if (!algorithm) return {};
  if (auto why = gpu::why_unavailable(*algorithm); !why.empty()) return std::string(name) + ": " + why;
  if (gpu::runs_on(*algorithm, device)) return {};
  if (device == gpu::Device::simulated && algorithm->device == gpu::Device::cuda)
    return std::string(name) + ": " + std::string(algorithm->not_simulated) + "; choose another side, or the device cuda";
  const bool host = algorithm->device == gpu::Device::host;
  return std::string(name) + " does not run on the " + device_words(gpu::name(device)) +
         ", where both sides are computed: choose another device (" +
         (host                               ? "host"
          : algorithm->not_simulated.empty() ? "cuda or simulated"
                                             : "cuda") +
         "), or another side";
}

std::string why_not_compared(const Settings& settings, gpu::Device device) {
  if (!settings.compare.on) return {};
  const auto why = why_no_side(settings.compare.a, device);
  return why.empty() ? why_no_side(settings.compare.b, device) : why;
}

CellColumns resolved(CellValues choice, const Selection& in_use, double wipe, int width) {
  if (choice != CellValues::automatic) return choice;
  const auto of = [](const Selection& selection) {
    return selection.effect && selection.effect->shows_table ? CellValues::sums : CellValues::rgb;
  };
  if (in_use.sides.empty()) return of(in_use);
  auto composition = in_use.composition;
  if (composition.mode == Composition::Mode::difference) return {};  // even one of two tables is none
  composition.wipe = wipe;
  return {of(in_use.sides[0]), of(in_use.sides[1]), composition.edge(width)};
}

}  // namespace app
