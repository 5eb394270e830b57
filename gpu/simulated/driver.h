// Driver: a program's interface to the simulated GPU: a shared library that holds gpu/ compiled a second time, for the
// host's processor. It is loaded on demand, because the two builds define the same names. There are two of them:
// `plain` runs kernels; `observed` also counts and checks every access, and is much slower.
//
// Contexts, images and arguments cross the boundary unchanged: both sides compile the same headers. Exceptions cross
// it too (CudaError, Fault, ArgumentError).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gpu/box_sums.h"
#include "gpu/check_table.h"
#include "gpu/composition.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/simulated/schedule.h"
#include "gpu/simulated/simulation.h"
#include "gpu/tile_recorder.h"
#include "gpu/timeline.h"
#include "gpu/vision/device_detector.h"

namespace gpu::simulated {

enum class Build { plain, observed };

struct Driver {
  std::uint64_t identity;  // identity_of_build() of the library
  Build build;
  // By name, with the library's own `run`; nullptr if there is none.
  const SatAlgorithm* (*find_sat_algorithm)(std::string_view name);
  const TracedSat* (*find_traced_sat)(std::string_view name);  // likewise
  const Effect* (*find_effect)(std::string_view name);
  void (*luma)(Context& context, const BgrView& colour, ImageView<std::uint8_t> gray);
  void (*split_channels)(Context& context, const BgrView& colour, const ImageView<std::uint8_t> (&channels)[3]);
  void (*tilted)(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> tilted);
  void (*check_table)(Context& context, ImageView<const std::uint8_t> image, ImageView<const std::uint32_t> table,
                      TableFindings* findings);
  void (*compose)(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                  const Composition& composition);
  void (*sum_boxes)(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes,
                    const AnyImageView& sums);
  std::unique_ptr<vision::DeviceDetector> (*make_detector)(const Context& context,
                                                           const vision::DeviceDetectorRequest& request);
  // While it is on, what runs kernels throws Fault soon.
  void (*stop)(bool on);
  // Runs one algorithm on a random image and reports. Null in `plain`, which cannot. Throws Fault,
  // std::invalid_argument.
  Simulation (*simulate)(const SimulationRequest& request);
};

// Differs if the two sides are of different versions of satscope, or of a type that crosses the boundary. It covers the
// size of each such type and the offsets of its last members: a new order need not change the size (FNV-1a).
constexpr std::uint64_t identity_of_build(std::string_view version) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto take = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (const char c : version) take(static_cast<unsigned char>(c));
  const std::size_t facts[] = {sizeof(Context),
                               sizeof(Timeline),
                               sizeof(GpuLimits),
                               sizeof(Parameter),
                               sizeof(Arguments),
                               sizeof(AnyImageView),
                               sizeof(BgrView),
                               sizeof(SatAlgorithm),
                               sizeof(TracedSat),
                               offsetof(SatAlgorithm, traffic),
                               offsetof(SatAlgorithm, types),
                               offsetof(SatAlgorithm, run),
                               sizeof(Effect),
                               offsetof(Effect, channels),
                               offsetof(Effect, prepare),
                               offsetof(Effect, run),
                               sizeof(EffectInput),
                               offsetof(EffectInput, tables),
                               offsetof(EffectInput, algorithm_arguments),
                               sizeof(Canvas),
                               offsetof(Canvas, rgba),
                               sizeof(EffectOutput),
                               sizeof(Annotation),
                               offsetof(Annotation, value),
                               sizeof(PersistentMemory),
                               sizeof(TileRecorder),
                               sizeof(TilePass),
                               sizeof(TileRecord),
                               sizeof(PersistentMemory::Piece),
                               sizeof(GpuSettings),
                               offsetof(GpuSettings, schedule),
                               sizeof(SimulationRequest),
                               offsetof(SimulationRequest, type),
                               offsetof(SimulationRequest, gpu),
                               sizeof(Counts),
                               offsetof(Counts, polls),
                               offsetof(Counts, barriers),
                               offsetof(Counts, surface_bytes),
                               sizeof(Simulation),
                               offsetof(Simulation, counts),
                               offsetof(Simulation, formula_units),
                               sizeof(Race),
                               sizeof(TableFindings),
                               sizeof(Driver),
                               offsetof(Driver, luma),
                               offsetof(Driver, check_table),
                               offsetof(Driver, compose),
                               sizeof(Composition),
                               offsetof(Composition, amplification),
                               offsetof(Driver, sum_boxes),
                               sizeof(Boxes),
                               offsetof(Boxes, wide),
                               offsetof(Driver, make_detector),
                               offsetof(Driver, stop),
                               sizeof(vision::DeviceDetectorRequest),
                               sizeof(vision::Cascade),
                               sizeof(vision::DeviceCascade),
                               sizeof(vision::Level),
                               offsetof(vision::Level, window),
                               offsetof(Driver, simulate)};
  for (const auto fact : facts)
    for (int shift = 0; shift < 32; shift += 8) take(fact >> shift & 0xff);
  return hash;
}

// What a driver's find_...() returned for `name`. A library of the same layout may still lack it.
template <class Descriptor>
const Descriptor& found_in_library(const Descriptor* found, std::string_view name) {
  if (!found)
    throw std::runtime_error(std::string(name) +
                             ": the library of the simulated GPU belongs to another build of "
                             "satscope: rebuild both");
  return *found;
}

struct LoadedDriver {
  const Driver* driver = nullptr;
  std::string reason;  // why there is none, one line; empty if there is one
};
// The file's name: "libsatscope_simulated.so".
std::string_view library_name(Build build);
// Loads the library from the first of `folders` that has it, for the rest of the process.
LoadedDriver load_driver(Build build, std::span<const std::filesystem::path> folders);

}  // namespace gpu::simulated
