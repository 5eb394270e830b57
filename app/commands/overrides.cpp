#include "app/commands/overrides.h"

#include <algorithm>
#include <cstdio>

#include "app/control/selection.h"
#include "app/control/names.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/near_name.h"
#include "app/support/simulated_gpu.h"

namespace app {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw ExitError(ExitCode::usage, message); }

template <class Item>
const Item& named(std::string_view kind, const std::string& name, std::span<const Item* const> all) {
  std::vector<std::string_view> names;
  for (const auto* item : all) {
    if (item->name == name) return *item;
    names.push_back(item->name);
  }
  refuse(no_such(kind, name, names));
}

void override_algorithm(const Options& options, Settings& settings) {
  const auto& algorithm = named_algorithm(*options.algorithm);
  const bool cuda = algorithm.device == gpu::Device::cuda;
  const auto asked = options.device.value_or(DeviceChoice::automatic);
  if (asked == DeviceChoice::simulated && !algorithm.not_simulated.empty())
    refuse(*options.algorithm + ": " + std::string(algorithm.not_simulated));
  if (asked != DeviceChoice::automatic && (asked != DeviceChoice::host) != cuda)
    refuse(*options.algorithm + " runs on " + std::string(gpu::name(algorithm.device)) +
           (gpu::runs_on(algorithm, gpu::Device::simulated) ? " or simulated" : "") + ": leave out --device " +
           std::string(name_of(device_choice_names, asked)) + ", or choose another algorithm");
  (cuda ? settings.cuda_algorithm : settings.host_algorithm) = algorithm.name;
  const bool simulated = cuda && (options.device ? asked : settings.device) == DeviceChoice::simulated;
  settings.device = simulated ? DeviceChoice::simulated : cuda ? DeviceChoice::cuda : DeviceChoice::host;
}

// Where `algorithm`, one of CUDA's that was named without a device, runs without a GPU.
DeviceDecision without_gpu(const gpu::SatAlgorithm& algorithm, const std::string& why_none) {
  const std::string name(algorithm.name), cause = "no CUDA device: " + why_none + "; ";
  if (!gpu::runs_on(algorithm, gpu::Device::simulated))
    throw ExitError(ExitCode::no_gpu, cause + "not on the simulated GPU either: " + name + ": " +
                                          std::string(algorithm.not_simulated) + "; choose another algorithm");
  await_simulated_gpu();
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (!found.driver) throw ExitError(ExitCode::no_gpu, cause + found.reason);
  return {gpu::Device::simulated, cause + name + " runs on the simulated GPU"};
}

DeviceDecision device_of_command(const Options& options, const Settings& settings) {
  // The others do without starting the driver.
  if (settings.device == DeviceChoice::host || settings.device == DeviceChoice::simulated)
    return choose_device(settings, {}, true);
  const auto probe = gpu::probe_gpu();
  if (auto elsewhere = device_without_gpu(options, probe)) return *elsewhere;
  return choose_device(settings, probe, true);
}

// One --set, to where it belongs.
class Assigner {
 public:
  // `effect`: nullptr where only a table is made.
  Assigner(const gpu::SatAlgorithm& algorithm, const gpu::Effect* effect, Settings& settings)
      : algorithm_{std::string(algorithm.name), algorithm.parameters, &settings.algorithm_values} {
    if (effect) effect_ = {std::string(effect->name), effect->parameters, &settings.effect_values};
  }

  void operator()(const Assignment& item) const {
    constexpr std::string_view to_algorithm = "algorithm.", to_effect = "effect.";
    const std::string_view key = item.key;
    if (key.starts_with(to_algorithm)) return assign(algorithm_, key.substr(to_algorithm.size()), item.value);
    if (key.starts_with(to_effect)) return assign(effect_, key.substr(to_effect.size()), item.value);
    const bool in_algorithm = algorithm_.has(key), in_effect = effect_.has(key);
    if (in_algorithm && in_effect)
      refuse("--set " + item.key + ": both " + algorithm_.name + " and " + effect_.name + " have it; write algorithm." +
             item.key + " or effect." + item.key);
    if (!in_algorithm && !in_effect) refuse_unknown(key, {algorithm_, effect_});
    assign(in_algorithm ? algorithm_ : effect_, key, item.value);
  }

 private:
  struct Owner {
    std::string name;  // empty: there is none
    std::span<const gpu::Parameter> parameters;
    decltype(Settings::effect_values)* values = nullptr;

    bool has(std::string_view key) const {
      return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == key; });
    }
  };

  static void assign(const Owner& owner, std::string_view key, const std::string& value) {
    if (!owner.has(key)) refuse_unknown(key, {owner});
    gpu::Arguments arguments(owner.parameters);
    try {
      arguments.set(key, value);
    } catch (const gpu::ArgumentError& error) {
      refuse(owner.name + ": " + error.what());
    }
    (*owner.values)[owner.name][std::string(key)] = value;
  }

  [[noreturn]] static void refuse_unknown(std::string_view key, std::initializer_list<Owner> owners) {
    std::vector<std::string_view> names;
    std::string all, whose;
    for (const auto& owner : owners) {
      if (!owner.name.empty()) whose += (whose.empty() ? " in " : " or ") + owner.name;
      for (const auto& parameter : owner.parameters) {
        names.push_back(parameter.name);
        all += ' ' + std::string(parameter.name);
      }
    }
    refuse("no parameter '" + std::string(key) + "'" + (whose.empty() ? ": no effect is applied" : whose) +
           (!all.empty() ? " (there are:" + all + ")" : whose.empty() ? "" : ": there are none") +
           did_you_mean(key, names));
  }

  Owner algorithm_, effect_;
};

}  // namespace

const gpu::SatAlgorithm& named_algorithm(const std::string& name) {
  return named("algorithm", name, gpu::sat_algorithms());
}
const gpu::Effect& named_effect(const std::string& name) {
  return named("effect", name, gpu::all_effects());
}

const gpu::SatTypeInfo& named_type(const std::string& name) {
  if (const auto* type = gpu::find_sat_type(name)) return *type;
  std::vector<std::string_view> names;
  std::string all;
  for (const auto& type : gpu::sat_types) {
    names.push_back(type.name);
    all += ' ' + std::string(type.name);
  }
  refuse("no type '" + name + "' (there are:" + all + ")" + did_you_mean(name, names));
}

void override_settings(const Options& options, Settings& settings) {
  if (options.source) settings.source = *options.source;
  if (options.size) settings.size = *options.size;
  if (options.fps) settings.fps = *options.fps;
  if (options.loop) settings.loop = true;
  if (options.max_speed) settings.max_speed = true;
  if (options.vsync) settings.vsync = *options.vsync;
  if (options.interop) settings.interop = *options.interop;
  if (options.viewer) settings.viewer = *options.viewer;
  if (options.device) settings.device = *options.device;
  if (options.algorithm) override_algorithm(options, settings);
  if (options.effect) settings.effect = named_effect(*options.effect).name;
}

void assign_parameters(const Options& options, gpu::Device device, Settings& settings) {
  if (options.set.empty()) return;
  const auto* effect = options.command == Command::sat ? nullptr : &named_effect(settings.effect);
  const Assigner assign(chosen_algorithm(settings, device), effect, settings);
  for (const auto& item : options.set) assign(item);
}

std::optional<DeviceDecision> device_without_gpu(const Options& options, const gpu::GpuProbe& probe) {
  const bool free = options.device.value_or(DeviceChoice::automatic) == DeviceChoice::automatic;
  if (probe.gpu || !free || !options.algorithm) return {};
  const auto& algorithm = named_algorithm(*options.algorithm);
  if (algorithm.device == gpu::Device::host) return {};
  return without_gpu(algorithm, probe.reason);
}

Selection selection_of_command(const Options& options) {
  Settings settings;
  override_settings(options, settings);
  if (options.command == Command::sat) settings.effect = "none";
  const auto decision = device_of_command(options, settings);
  assign_parameters(options, decision.device, settings);
  auto selection = make_selection(settings, decision.device);
  if (!decision.warning.empty()) std::fprintf(console(), "satscope: %s\n", decision.warning.c_str());
  return selection;
}

}  // namespace app
