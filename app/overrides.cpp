#include "app/overrides.h"

#include <algorithm>

#include "app/device_choice.h"
#include "app/exit_code.h"
#include "app/names.h"

namespace app {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw ExitError(ExitCode::usage, message); }

template <class Item>
const Item& named(std::string_view kind, std::string_view plural, const std::string& name,
                  std::span<const Item* const> all) {
  std::vector<std::string_view> names;
  for (const auto* item : all) {
    if (item->name == name) return *item;
    names.push_back(item->name);
  }
  refuse("no " + std::string(kind) + " '" + name + "'" + did_you_mean(name, names) + "; satscope list " +
         std::string(plural) + " names them");
}

void override_algorithm(const Options& options, Settings& settings) {
  const auto& algorithm = named_algorithm(*options.algorithm);
  const bool cuda = algorithm.device == gpu::Device::cuda;
  const auto asked = options.device.value_or(DeviceChoice::automatic);
  if (asked != DeviceChoice::automatic && (asked == DeviceChoice::cuda) != cuda)
    refuse(*options.algorithm + " runs on " + std::string(gpu::name(algorithm.device)) + ": leave out --device " +
           std::string(name_of(device_choice_names, asked)) + ", or choose another algorithm");
  (cuda ? settings.cuda_algorithm : settings.host_algorithm) = algorithm.name;
  settings.device = cuda ? DeviceChoice::cuda : DeviceChoice::host;
}

// One --set, to where it belongs.
class Assigner {
 public:
  Assigner(const gpu::SatAlgorithm& algorithm, const gpu::Effect& effect, Settings& settings)
      : algorithm_(algorithm), effect_(effect), settings_(settings) {}

  void operator()(const Assignment& item) const {
    constexpr std::string_view to_algorithm = "algorithm.", to_effect = "effect.";
    const std::string_view key = item.key;
    if (key.starts_with(to_algorithm)) return assign(true, key.substr(to_algorithm.size()), item.value);
    if (key.starts_with(to_effect)) return assign(false, key.substr(to_effect.size()), item.value);
    const bool in_algorithm = has(algorithm_.parameters, key), in_effect = has(effect_.parameters, key);
    if (in_algorithm && in_effect)
      refuse("--set " + item.key + ": both " + std::string(algorithm_.name) + " and " + std::string(effect_.name) +
             " have it; write algorithm." + item.key + " or effect." + item.key);
    if (!in_algorithm && !in_effect) refuse_unknown(item);
    assign(in_algorithm, key, item.value);
  }

 private:
  static bool has(std::span<const gpu::Parameter> parameters, std::string_view key) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == key; });
  }

  void assign(bool to_algorithm, std::string_view key, const std::string& value) const {
    gpu::Arguments arguments(to_algorithm ? algorithm_.parameters : effect_.parameters);
    const auto owner = to_algorithm ? algorithm_.name : effect_.name;
    try {
      arguments.set(key, value);
    } catch (const gpu::ArgumentError& error) {
      refuse(std::string(owner) + ": " + error.what());
    }
    auto& values = to_algorithm ? settings_.algorithm_values : settings_.effect_values;
    values[std::string(owner)][std::string(key)] = value;
  }

  [[noreturn]] void refuse_unknown(const Assignment& item) const {
    std::vector<std::string_view> names;
    std::string all;
    for (const auto parameters : {algorithm_.parameters, effect_.parameters})
      for (const auto& parameter : parameters) {
        names.push_back(parameter.name);
        all += ' ' + std::string(parameter.name);
      }
    refuse("--set " + item.key + ": neither " + std::string(algorithm_.name) + " nor " + std::string(effect_.name) +
           " has it" + (all.empty() ? ": they have no parameters" : " (there are:" + all + ")") +
           did_you_mean(item.key, names));
  }

  const gpu::SatAlgorithm& algorithm_;
  const gpu::Effect& effect_;
  Settings& settings_;
};

}  // namespace

const gpu::SatAlgorithm& named_algorithm(const std::string& name) {
  return named("algorithm", "algorithms", name, gpu::sat_algorithms());
}
const gpu::Effect& named_effect(const std::string& name) {
  return named("effect", "effects", name, gpu::all_effects());
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
  const Assigner assign(chosen_algorithm(settings, device), named_effect(settings.effect), settings);
  for (const auto& item : options.set) assign(item);
}

Recipe recipe_of_command(const Options& options) {
  Settings settings;
  override_settings(options, settings);
  if (options.command == Command::sat) settings.effect = "none";  // whose parameters are none of the table's
  const auto device = settings.device == DeviceChoice::host
                          ? gpu::Device::host
                          : choose_device(settings, gpu::probe_gpu(), true).device;
  assign_parameters(options, device, settings);
  return make_recipe(settings, device);
}

}  // namespace app
