// Which device to use: what was asked for, held against what there is.
#pragma once

#include <string>

#include "app/control/settings.h"
#include "gpu/device.h"
#include "gpu/sat.h"

namespace app {

struct DeviceDecision {
  gpu::Device device = gpu::Device::host;
  std::string warning;  // where what was asked for is not there, one line
};

// `required`: the user asked for it just now, so that a GPU (or simulated GPU) which is not there ends the program
// (ExitError, no_gpu). Otherwise (it stands in the settings file) the host takes over, with a warning.
DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required);

// The algorithm that `settings` choose on `device`; the simulated GPU shares CUDA's. Throws std::invalid_argument for a
// name that is none there.
const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device);

}  // namespace app
