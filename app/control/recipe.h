// Recipe: what of the settings one frame depends on, looked up and checked.
#pragma once

#include "app/control/settings.h"
#include "gpu/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {

struct Recipe {
  const gpu::SatAlgorithm* algorithm = nullptr;
  gpu::Arguments algorithm_arguments;
  const gpu::Effect* effect = nullptr;
  gpu::Arguments effect_arguments;
  bool every_kernel = false;
  gpu::Device device = gpu::Device::host;  // an algorithm of CUDA's may run on the simulated GPU too

  friend bool operator==(const Recipe&, const Recipe&) = default;
};
// Whether measurements of one may stand beside those of the other. Where an effect is (its parameters x and y) does not
// count: a feature that follows the mouse would start the statistics anew with every frame.
bool same_work(const Recipe& a, const Recipe& b);
// Throws gpu::ArgumentError, or std::invalid_argument for an unknown name (with the nearest right one).
Recipe make_recipe(const Settings& settings, gpu::Device device);

}  // namespace app
