#include "app/control/selection.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "app/control/comparison.h"
#include "app/control/fields.h"
#include "app/support/exit_code.h"
#include "app/support/near_name.h"
#include "app/support/simulated_gpu.h"

namespace app {
namespace {

gpu::Arguments with_values(std::span<const gpu::Parameter> parameters, const Values& values, std::string_view owner) {
  gpu::Arguments arguments(parameters);
  if (const auto at = values.find(std::string(owner)); at != values.end())
    for (const auto& [name, text] : at->second) arguments.set(name, text);
  return arguments;
}

// Effects that have a place are where the mouse put them.
void place(gpu::Arguments& arguments, const std::optional<Pointer>& pointer) {
  if (!pointer || !arguments.has("x") || !arguments.has("y")) return;
  arguments.set("x", std::to_string(pointer->x));
  arguments.set("y", std::to_string(pointer->y));
}

DeviceDecision choose_simulated(bool required) {
  if (required) await_simulated_gpu();
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (found.driver) return {gpu::Device::simulated, {}};
  if (required) throw ExitError(ExitCode::no_gpu, found.reason);
  return {gpu::Device::host, found.reason + "; computing on the CPU instead"};
}

}  // namespace

bool same_work(const Selection& a, const Selection& b) {
  if (a.algorithm != b.algorithm || a.algorithm_arguments != b.algorithm_arguments || a.effect != b.effect ||
      a.timing != b.timing || a.check != b.check || a.device != b.device || a.name != b.name)
    return false;
  if (a.composition.mode != b.composition.mode || a.composition.amplification != b.composition.amplification ||
      !std::ranges::equal(a.sides, b.sides, same_work))
    return false;
  const auto& values = a.effect_arguments;
  return std::ranges::all_of(values.parameters(), [&](const gpu::Parameter& parameter) {
    const auto name = parameter.name;
    return name == "x" || name == "y" || values.text(name) == b.effect_arguments.text(name);
  });
}

gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, const Settings& settings) {
  return with_values(algorithm.parameters, settings.algorithm_values, algorithm.name);
}

gpu::Arguments arguments_of(const gpu::Effect& effect, const Settings& settings) {
  auto arguments = with_values(effect.parameters, settings.effect_values, effect.name);
  place(arguments, settings.pointer);
  return arguments;
}

Selection make_selection(const Settings& settings, gpu::Device device) {
  Selection selection;
  selection.algorithm = &chosen_algorithm(settings, device);
  selection.algorithm_arguments = arguments_of(*selection.algorithm, settings);
  selection.effect = &chosen_effect(settings);
  selection.effect_arguments = arguments_of(*selection.effect, settings);
  selection.timing = settings.timing;
  selection.check = settings.check;
  selection.device = device;
  if (why_not_compared(settings, device).empty()) add_sides(selection, settings);
  return selection;
}

Selection without_effect(Selection selection) {
  selection.effect = gpu::find_effect("none");
  selection.effect_arguments = gpu::Arguments(selection.effect->parameters);
  selection.sides.clear();
  selection.composition = {};
  return selection;
}

namespace {

// Of one algorithm or effect: the values that `used` has, but for the place that the mouse gives; without `used` those of before.
template <class Item>
void restore(Values& values, const Values& before, const Item& item, const gpu::Arguments* used, bool placed) {
  const std::string owner(item.name);
  auto own = std::exchange(values[owner], {});
  auto& kept = values[owner];
  if (used) {
    for (const auto& parameter : item.parameters) {
      const std::string name(parameter.name);
      if (placed && (name == "x" || name == "y"))
        kept.insert(own.extract(name));
      else if (const auto& text = used->text(name); text != parameter.initial)
        kept[name] = text;
    }
  } else if (const auto at = before.find(owner); at != before.end()) {
    kept = at->second;
  }
  if (kept.empty()) values.erase(owner);
}

}  // namespace

Settings without_refused(Settings settings, const Selection& used, const Settings& before) {
  auto all = used.sides;
  all.push_back(used);
  const bool placed = settings.pointer.has_value();
  const auto chosen = [&](std::string_view name) {
    const auto& sides = settings.compare;
    return name == settings.effect || name == settings.host_algorithm || name == settings.cuda_algorithm ||
           (sides.on && (name == sides.a || name == sides.b));
  };
  for (const auto* effect : gpu::all_effects())
    if (chosen(effect->name)) {
      const auto at = std::ranges::find(all, effect, &Selection::effect);
      restore(settings.effect_values, before.effect_values, *effect, at == all.end() ? nullptr : &at->effect_arguments,
              placed);
    }
  for (const auto* algorithm : gpu::sat_algorithms())
    if (chosen(algorithm->name)) {
      const auto at = std::ranges::find(all, algorithm, &Selection::algorithm);
      restore(settings.algorithm_values, before.algorithm_values, *algorithm,
              at == all.end() ? nullptr : &at->algorithm_arguments, false);
    }
  return settings;
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
  return {gpu::Device::host, "no CUDA device: " + probe.reason + "; computing on the CPU instead"};
}

const gpu::Effect& chosen_effect(const Settings& settings) {
  if (const auto* effect = gpu::find_effect(settings.effect)) return *effect;
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
    if (!here) continue;
    names.push_back(algorithm->name);
  }
  throw std::invalid_argument(std::string(gpu::name(device)) + ": " + no_such("algorithm", name, names));
}

}  // namespace app
