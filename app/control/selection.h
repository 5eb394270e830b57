// Selection: the settings that one frame depends on, looked up and checked; and the choice of the device, which compares
// what was requested with what is available.
#pragma once

#include <string>

#include "app/control/settings.h"
#include "gpu/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {

struct Selection {
  const gpu::SatAlgorithm* algorithm = nullptr;
  gpu::Arguments algorithm_arguments;
  const gpu::Effect* effect = nullptr;
  gpu::Arguments effect_arguments;
  TimingChoice timing = TimingChoice::kernels;
  gpu::Device device = gpu::Device::host;  // a CUDA algorithm may also run on the simulated GPU

  friend bool operator==(const Selection&, const Selection&) = default;
};
// Whether measurements of both belong to the same statistics. The position of an effect (its parameters x and y) does not
// count: a feature that follows the mouse would reset the statistics with every frame.
bool same_work(const Selection& a, const Selection& b);
// Throws gpu::ArgumentError, or std::invalid_argument for an unknown name (it suggests the nearest one).
Selection make_selection(const Settings& settings, gpu::Device device);

struct DeviceDecision {
  gpu::Device device = gpu::Device::host;
  std::string warning;  // one line if the requested device is missing
};

// `required`: the user requested the device for this run, so that a missing GPU (or simulated GPU) ends the program
// (ExitError, no_gpu). Otherwise (it is in the settings file) the host takes over, with a warning.
DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required);

// The line for a user who requests CUDA on a machine without it: the cause, and what else there is.
std::string no_cuda_text(const std::string& why);

// The arguments that the settings choose for it. Throw gpu::ArgumentError.
gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, const Settings& settings);
gpu::Arguments arguments_of(const gpu::Effect& effect, const Settings& settings);

// Throws std::invalid_argument for an unknown name.
const gpu::Effect& chosen_effect(const Settings& settings);
// The algorithm that `settings` choose for `device`; the simulated GPU shares the choice with CUDA. Throws
// std::invalid_argument for a name that `device` does not have.
const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device);

}  // namespace app
