// Driver: what a program sees of the simulated GPU: a shared library that holds gpu/ compiled a second time, for the host's
// processor, and is loaded on demand, because the two builds define the same names. There are two of them: `plain` runs
// kernels, `observed` also counts and checks their every access, at a tenth of the speed.
//
// Contexts, images and arguments cross the boundary as they are: both sides compile the same headers. Exceptions cross it
// too (CudaError, Fault, ArgumentError).
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/simulated/schedule.h"
#include "gpu/simulated/simulation.h"

namespace gpu::simulated {

enum class Build { plain, observed };

struct Driver {
  std::size_t layout;  // layout_of_build() of the library
  Build build;
  // By name, with the library's own `run`; nullptr where there is none.
  const SatAlgorithm* (*find_sat_algorithm)(std::string_view name);
  const Effect* (*find_effect)(std::string_view name);
  void (*luma)(Context& context, ImageView<const Bgr> colour, ImageView<std::uint8_t> gray);
  void (*set)(const GpuSettings& settings);  // for launches from now on
  // Runs one algorithm on an image of its own and reports. Only `observed` can; null in the other. Throws Fault,
  // std::invalid_argument.
  Simulation (*simulate)(const SimulationRequest& request);
};

// Differs where the two sides were compiled from other versions of what crosses the boundary.
constexpr std::size_t layout_of_build() {
  return sizeof(Context) * 1'000'000 + sizeof(SatAlgorithm) * 10'000 + sizeof(Simulation) * 10 + sizeof(EffectInput);
}

struct LoadedDriver {
  const Driver* driver = nullptr;
  std::string reason;  // why there is none, one line; empty where there is one
};
// The file's name: "libsatscope_simulated.so".
std::string_view library_name(Build build);
// Loads the library from the first of `folders` that has it, for the rest of the process.
LoadedDriver load_driver(Build build, std::span<const std::filesystem::path> folders);

}  // namespace gpu::simulated
