// Overrides: what the command line changes of the settings, and where that computes.
#pragma once

#include <optional>

#include "app/commands/options.h"
#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/pipeline.h"
#include "gpu/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {

// What the command line changes, but for parameters of the algorithm or the effect in use. Throws ExitError (usage).
void override_settings(const Options& options, Settings& settings);

// Those parameters, once the device, and with it the algorithm, is known. Throws ExitError (usage).
void assign_parameters(const Options& options, gpu::Device device, Settings& settings);

// Where an algorithm of CUDA's runs that was named without a device, on a machine without a GPU: on the simulated one, with a
// line that says so. Empty where none was. Throws ExitError (no_gpu) where it cannot.
std::optional<DeviceDecision> device_without_gpu(const Options& options, const gpu::GpuProbe& probe);

// What `satscope sat` and `satscope apply` work with: the initial choices and the command line; no settings file. An
// algorithm of CUDA's that is named without a device runs on the simulated GPU where there is no other; a line on stderr
// says so.
// Throws ExitError (usage, no_gpu).
Selection selection_of_command(const Options& options);

// By name. Throw ExitError (usage) with the nearest right one.
const gpu::SatAlgorithm& named_algorithm(const std::string& name);
const gpu::SatTypeInfo& named_type(const std::string& name);

}  // namespace app
