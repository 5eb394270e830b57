// Driver: a program's interface to the simulated GPU: a shared library that holds gpu/ compiled a second time, for the
// host's processor. It is loaded on demand, because the two builds define the same names. There are two of them:
// `plain` runs kernels; `observed` also counts and checks every access, and is much slower.
//
// Contexts, images and arguments cross the boundary unchanged: both sides compile the same headers. Exceptions cross
// it too (CudaError, Fault, ArgumentError).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gpu/image.h"

// What is only passed on is declared, not included: a context calls through this, and all of it is above a context.
namespace gpu {
class Context;
struct Boxes;
struct Canvas;
struct Effect;
struct SatAlgorithm;
struct TableFindings;
struct TracedSat;
namespace vision {
class DeviceDetector;
struct DeviceDetectorRequest;
}  // namespace vision
}  // namespace gpu

namespace gpu::simulated {

struct Simulation;
struct SimulationRequest;

enum class Build { plain, observed };

struct Driver {
  std::uint64_t identity;  // <build_identity.h> of the library; always the first member
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
  void (*draw_difference)(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                          double amplification);
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

// What a driver's find_...() returned for `name`. A library of the same headers may still lack it.
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
