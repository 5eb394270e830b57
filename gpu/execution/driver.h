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

#include "gpu/context.h"
#include "gpu/image.h"

// What is only passed on is declared, not included: all of it is above a context.
namespace gpu {
struct Boxes;
struct Canvas;
struct Effect;
struct ImageBatch;
struct PicturePixels;
struct SatAlgorithm;
struct TableFindings;
namespace vision {
class DeviceDetector;
struct DeviceDetectorRequest;
}  // namespace vision
}  // namespace gpu

namespace gpu::simulated {

struct GpuSettings;
struct Simulation;
struct SimulationRequest;

enum class Build { plain, observed };

struct Driver {
  std::uint64_t identity;  // <build_identity.h> of the library; always the first member
  Build build;
  // By name, with the library's own `run`; nullptr if there is none.
  const SatAlgorithm* (*find_sat_algorithm)(std::string_view name) = nullptr;
  const Effect* (*find_effect)(std::string_view name) = nullptr;
  // The library's functions of these names, for elsewhere().
  void (*luma)(Context& context, const BgrView& colour, ImageView<std::uint8_t> gray) = nullptr;
  void (*split_channels)(Context& context, const BgrView& colour, const ImageView<std::uint8_t> (&channels)[3]) = nullptr;
  void (*compute_tilted)(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> tilted) = nullptr;
  void (*clear_borders)(Context& context, const AnyImageView& first_table, const ImageBatch& batch) = nullptr;
  TableFindings* (*check_table)(Context& context, ImageView<const std::uint8_t> image,
                                ImageView<const std::uint32_t> table) = nullptr;
  void (*draw_wipe)(Context& context, const PicturePixels& wipe, const Canvas& out) = nullptr;
  void (*draw_difference)(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                          double amplification) = nullptr;
  void (*sum_boxes)(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes,
                    const AnyImageView& sums) = nullptr;
  std::unique_ptr<vision::DeviceDetector> (*make_device_detector)(const Context& context,
                                                                  const vision::DeviceDetectorRequest& request) = nullptr;
  // Of launches that begin later: how many blocks are resident, and their order.
  void (*set)(const GpuSettings& settings) = nullptr;
  // While it is on, what runs kernels throws Fault soon.
  void (*stop)(bool on) = nullptr;
  // Runs one algorithm on a random image and reports. Null in `plain`, which cannot. Throws Fault,
  // std::invalid_argument.
  Simulation (*simulate)(const SimulationRequest& request) = nullptr;
};

// The way of a function that starts kernels into the simulated build: on the simulated GPU the same function of the driver's
// library. Null where the function goes on itself: on other devices, and in that library.
template <class Function>
Function* elsewhere([[maybe_unused]] const Context& context, [[maybe_unused]] Function* Driver::*function) {
#ifndef SATSCOPE_SIMULATED
  if (const auto* driver = context.driver()) return driver->*function;
#endif
  return nullptr;
}

// An algorithm or effect as the context runs it: on the simulated GPU that of the driver's library, which may lack it although its
// headers are the same.
template <class Descriptor>
const Descriptor& here(const Context& context, const Descriptor& descriptor,
                       const Descriptor* (*Driver::*find)(std::string_view)) {
  const auto* driver = context.driver();
  if (!driver) return descriptor;
  if (const auto* found = (driver->*find)(descriptor.name)) return *found;
  throw std::runtime_error(std::string(descriptor.name) +
                           ": the library of the simulated GPU belongs to another build of satscope: rebuild both");
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
