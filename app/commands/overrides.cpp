#include "app/commands/overrides.h"

#include <memory>
#include <utility>
#include <vector>

#include "app/commands/option_rules.h"
#include "app/control/change.h"
#include "app/control/comparison.h"
#include "app/control/fields.h"
#include "app/control/selection.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"

namespace app {
namespace {

void apply_usage(Settings& settings, std::span<const Change> changes, const ChangeContext& context) try {
  apply(settings, changes, context);
  // Now, not when it is used: another effect may be shown first.
  for (const auto& change : changes)
    if (const auto set = find_setting(change.path, settings, context))
      if (set->parameter && set->parameter->kind == gpu::Parameter::Kind::file) file_of(*set->parameter, set->value);
} catch (const std::invalid_argument& error) {
  refuse(error.what());
}

std::vector<Change> chosen(const Options& options, bool of_machine) {
  std::vector<Change> changes;
  for (const auto& change : options.changes)
    if (depends_on_machine(change) == of_machine) changes.push_back(change);
  return changes;
}

// The device for `algorithm`, a CUDA algorithm that was named without a device, on a machine without a GPU.
DeviceDecision without_gpu(const gpu::SatAlgorithm& algorithm, const std::string& why_none) {
  const std::string name(algorithm.name), cause = "no CUDA device: " + why_none + "; ";
  if (!gpu::runs_on(algorithm, gpu::Device::simulated))
    throw ExitError(ExitCode::no_gpu, cause + "not on the simulated GPU either: " + name + ": " +
                                          std::string(algorithm.not_simulated) + "; choose another algorithm");
  await_simulated_gpu();
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (!found.driver) throw ExitError(ExitCode::no_gpu, cause + found.reason);
  return {gpu::Device::simulated, cause + "CUDA algorithms run on the simulated GPU"};
}

DeviceDecision device_of_command(const Options& options, const Settings& settings) {
  // These two do not need the driver, which takes time to start.
  if (settings.device == DeviceChoice::host || settings.device == DeviceChoice::simulated)
    return choose_device(settings, {}, true);
  const auto probe = gpu::probe_gpu();
  if (auto elsewhere = device_without_gpu(options, probe)) return *elsewhere;
  return choose_device(settings, probe, true);
}

}  // namespace

std::unique_ptr<LongWait> tell_if_simulation_is_long(gpu::Device device) {
  if (device != gpu::Device::simulated) return {};
  return std::make_unique<LongWait>(
      [] { tell("this takes 10 s already on the simulated GPU: large pictures take minutes; Ctrl-C ends"); });
}

const gpu::SatAlgorithm& named_algorithm(const std::string& name) {
  if (const auto* algorithm = gpu::find_sat_algorithm(name)) return *algorithm;
  refuse(no_such("algorithm", name, algorithm_names()));
}

const gpu::SatTypeInfo& named_type(const std::string& name) {
  if (const auto* type = gpu::find_sat_type(name)) return *type;
  std::vector<std::string_view> names;
  for (const auto& type : gpu::sat_types) names.push_back(type.name);
  refuse("no type '" + name + "'" + there_are(names, name, names));
}

void override_settings(const Options& options, Settings& settings) { apply_usage(settings, chosen(options, false), {}); }

void assign_parameters(const Options& options, gpu::Device device, Settings& settings) {
  ChangeContext machine;  // one on which the settings lead to `device`
  if (device != gpu::Device::cuda) machine.no_cuda = "not used";
  if (device != gpu::Device::simulated) machine.no_simulated = "not used";
  apply_usage(settings, chosen(options, true), machine);
}

std::optional<DeviceDecision> device_without_gpu(const Options& options, const gpu::GpuProbe& probe,
                                                 const gpu::SatAlgorithm* of_file) {
  const auto device = options.value_of("device").value_or("auto");
  if (probe.gpu || device != "auto") return {};
  std::vector<const gpu::SatAlgorithm*> named;
  if (const auto name = options.value_of("algorithm"))
    named.push_back(&named_algorithm(*name));
  else if (of_file)
    named.push_back(of_file);
  if (const auto compare = options.value_of("compare"); compare && named.empty()) {
    const auto sides = sides_from_text(*compare);
    for (const auto& side : {sides.a, sides.b}) named.push_back(gpu::find_sat_algorithm(side));
  }
  for (const auto* algorithm : named)
    if (algorithm && algorithm->device != gpu::Device::host) return without_gpu(*algorithm, probe.reason);
  return {};
}

CommandSelection selection_of_command(const Options& options) {
  Settings settings;
  override_settings(options, settings);
  if (options.command == Verb::sat) settings.effect = "none";
  auto decision = device_of_command(options, settings);
  if (decision.device == gpu::Device::simulated) settings.device = DeviceChoice::simulated;
  assign_parameters(options, decision.device, settings);
  return {make_selection(settings, decision.device), std::move(decision.warning)};
}

}  // namespace app
