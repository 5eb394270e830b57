// Selection: what of the settings one frame depends on, looked up and checked; and which device that is, what was asked for
// held against what there is.
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
  bool every_kernel = false;
  gpu::Device device = gpu::Device::host;  // an algorithm of CUDA's may run on the simulated GPU too

  friend bool operator==(const Selection&, const Selection&) = default;
};
// Whether measurements of one may stand beside those of the other. Where an effect is (its parameters x and y) does not
// count: a feature that follows the mouse would start the statistics anew with every frame.
bool same_work(const Selection& a, const Selection& b);
// Throws gpu::ArgumentError, or std::invalid_argument for an unknown name (with the nearest right one).
Selection make_selection(const Settings& settings, gpu::Device device);

struct DeviceDecision {
  gpu::Device device = gpu::Device::host;
  std::string warning;  // where what was asked for is not there, one line
};

// `required`: the user asked for it just now, so that a GPU (or simulated GPU) which is not there ends the program
// (ExitError, no_gpu). Otherwise (it stands in the settings file) the host takes over, with a warning.
DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required);

// What the settings choose for it. Throw gpu::ArgumentError.
gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, const Settings& settings);
gpu::Arguments arguments_of(const gpu::Effect& effect, const Settings& settings);

// Throws std::invalid_argument for a name that there is not.
const gpu::Effect& chosen_effect(const Settings& settings);
// The algorithm that `settings` choose on `device`; the simulated GPU shares CUDA's. Throws std::invalid_argument for a
// name that is none there.
const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device);

}  // namespace app
