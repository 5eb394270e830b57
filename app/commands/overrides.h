// Overrides: the changes that the command line makes to the settings, and the device that follows from them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/commands/options.h"
#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/pipeline.h"
#include "app/support/threads.h"
#include "gpu/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {

// Applies the command line's changes, except parameters of the current algorithm or effect. Throws ExitError (usage).
void override_settings(const Options& options, Settings& settings);

// Applies those parameters, once the device, and with it the algorithm, is known. Throws ExitError (usage).
void assign_parameters(const Options& options, gpu::Device device, Settings& settings);

// On a machine without a GPU, a CUDA algorithm that is named without a device runs on the simulated GPU, with a line that
// says so. nullopt in all other cases. Throws ExitError (no_gpu) if the simulated GPU cannot run it. `of_file`: the algorithm
// that the settings file names, if the command line names none.
std::optional<DeviceDecision> device_without_gpu(const Options& options, const gpu::GpuProbe& probe,
                                                 const gpu::SatAlgorithm* of_file = nullptr);

// The selection of `satscope sat` and `satscope apply`: defaults and the command line, no settings file.
struct CommandSelection {
  Selection selection;
  std::string notice;  // device_without_gpu()'s line, to be told once nothing is refused any more; empty elsewhere
};
CommandSelection selection_of_command(const Options& options);  // throws ExitError (usage, no_gpu)

// Says once that the simulated GPU takes long, where it is the device.
std::unique_ptr<LongWait> tell_if_simulation_is_long(gpu::Device device);

// Looked up by name. Throw ExitError (usage) that suggests the nearest name.
const gpu::SatAlgorithm& named_algorithm(const std::string& name);
const gpu::SatTypeInfo& named_type(const std::string& name);

}  // namespace app
