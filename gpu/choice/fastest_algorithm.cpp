#include "gpu/choice/fastest_algorithm.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "gpu/sat/block/wave_shape.h"

namespace gpu {
namespace {

struct Measured {
  Size size;
  std::string_view in_graph, launched;
};

// assets/benchmark-h200.md and benchmark-h100.md, their tables of times in a graph and of one run that is launched: the fastest
// of each column that is not NVIDIA's. A test compares them.
constexpr Measured h200_32f32f[] = {
    {{256, 256}, "one_wave", "one_wave"},
    {{512, 512}, "one_wave", "1r1w_skss_lb"},
    {{1024, 1024}, "one_wave", "one_wave"},
    {{1920, 1080}, "one_wave", "one_wave"},
    {{2048, 2048}, "one_wave", "one_wave"},
    {{3840, 2160}, "decoupled_fallback", "decoupled_fallback"},
    {{4096, 4096}, "decoupled_fallback", "decoupled_fallback"},
    {{8192, 8192}, "decoupled_fallback", "decoupled_fallback"},
    {{16384, 16384}, "decoupled_fallback", "decoupled_fallback"},
    {{32768, 32768}, "decoupled_fallback", "decoupled_fallback"},
};
constexpr Measured h200_8u32u[] = {
    {{256, 256}, "one_wave", "1r1w_skss_lb"},   {{512, 512}, "one_wave", "one_wave"},
    {{1024, 1024}, "one_wave", "one_wave"},     {{1920, 1080}, "one_wave", "one_wave"},
    {{2048, 2048}, "one_wave", "1r1w_skss_lb"}, {{3840, 2160}, "one_wave", "one_wave"},
    {{4096, 4096}, "row_waves", "row_waves"},   {{8192, 8192}, "row_waves", "row_waves"},
    {{16384, 16384}, "row_waves", "row_waves"}, {{32768, 32768}, "row_waves", "row_waves"},
};
constexpr Measured h100_32f32f[] = {
    {{256, 256}, "one_wave", "1r1w_skss_lb"},
    {{512, 512}, "one_wave", "1r1w_skss_lb"},
    {{1024, 1024}, "one_wave", "1r1w_skss_lb"},
    {{1920, 1080}, "one_wave", "one_wave"},
    {{2048, 2048}, "one_wave", "decoupled_fallback"},
    {{3840, 2160}, "decoupled_fallback", "decoupled_fallback"},
    {{4096, 4096}, "decoupled_fallback", "decoupled_fallback"},
    {{8192, 8192}, "decoupled_fallback", "decoupled_fallback"},
    {{16384, 16384}, "decoupled_fallback", "decoupled_fallback"},
    {{32768, 32768}, "decoupled_fallback", "decoupled_fallback"},
};
constexpr Measured h100_8u32u[] = {
    {{256, 256}, "one_wave", "one_wave"},
    {{512, 512}, "one_wave", "one_wave"},
    {{1024, 1024}, "one_wave", "decoupled_fallback"},
    {{1920, 1080}, "one_wave", "one_wave"},
    {{2048, 2048}, "one_wave", "one_wave"},
    {{3840, 2160}, "one_wave", "one_wave"},
    {{4096, 4096}, "row_waves", "row_waves"},
    {{8192, 8192}, "row_waves", "row_waves"},
    {{16384, 16384}, "row_waves", "row_waves"},
    {{32768, 32768}, "row_waves", "row_waves"},
};

// The sizes that were measured on a GPU, for types with as many bytes per pixel. They also serve GPUs of its architecture that
// have none of their own.
struct Measurements {
  int major, minor;  // compute capability
  std::string_view gpu;
  SatType types[2];
  std::span<const Measured> sizes;
};
constexpr Measurements measurements[] = {
    {9, 0, "NVIDIA H200", {SatType::f32_f32, SatType::u32_u32}, h200_32f32f},
    {9, 0, "NVIDIA H200", {SatType::u8_u32, SatType::u8_f32}, h200_8u32u},
    {9, 0, "NVIDIA H100", {SatType::f32_f32, SatType::u32_u32}, h100_32f32f},
    {9, 0, "NVIDIA H100", {SatType::u8_u32, SatType::u8_f32}, h100_8u32u},
};

// The measurements of the GPU itself, or of the first GPU of its architecture. Null: there are none.
const Measurements* find_measurements(const GpuInfo& gpu, SatType type) {
  const Measurements* found = nullptr;
  for (const auto& measured : measurements) {
    if (measured.major != gpu.major || measured.minor != gpu.minor || !std::ranges::count(measured.types, type)) continue;
    if (gpu.name.starts_with(measured.gpu)) return &measured;
    if (!found) found = &measured;
  }
  return found;
}

double distance(Size a, Size b) {
  return std::abs(std::log(static_cast<double>(a.pixels()) / static_cast<double>(b.pixels())));
}

struct OfUser {
  std::string_view name;
  Size size;
};
// The nearest size that was measured for this type, otherwise for a type of as many bytes per pixel and sum. What this version
// does not know, or cannot run here, does not count.
std::optional<OfUser> find_tuned(const TunedGpu& gpu, Size size, SatType type, RunBy run_by) {
  std::optional<OfUser> found;
  double least = 0;
  bool found_type = false;
  for (const auto& tuned : gpu.sizes) {
    const auto* algorithm = find_sat_algorithm((run_by == RunBy::graph ? tuned.in_graph : tuned.launched).algorithm);
    const auto* of = find_sat_type(tuned.type);
    if (!algorithm || algorithm->device != Device::cuda || !why_unavailable(*algorithm).empty() || !of) continue;
    const bool same_type = of->type == type;
    const auto bytes = sat::bytes_of(type), its_bytes = sat::bytes_of(of->type);
    if (!same_type && (found_type || bytes.input != its_bytes.input || bytes.sum != its_bytes.sum)) continue;
    const double far = distance(tuned.size, size);
    if (found && same_type == found_type && far >= least) continue;
    found = {algorithm->name, tuned.size};
    least = far, found_type = same_type;
  }
  return found;
}

struct Usual {
  std::string_view name, origin;
};
// Where nothing was measured. one_wave is the fastest while all tiles are resident at once and the L2 cache holds image and
// table. Behind that it runs launch after launch, and look-backs from tile to tile pay: in the order of rows for bytes with sums
// of four, where shared memory holds two or more of row_waves' large tiles.
Usual usual_choice(Size size, SatType type, const GpuInfo& gpu) {
  using namespace sat;
  const auto bytes = bytes_of(type);
  if (gpu.multiprocessors > 0 && size.pixels() * (bytes.input + bytes.sum) <= gpu.l2_bytes) {
    const auto types = wave::types_of_sat(type);
    const auto& shape = wave::shapes[wave::chosen_shape("auto", size, types, gpu.multiprocessors)];
    if (wave::Division(size, shape.H(), wave::capacity_of(shape, types, gpu.multiprocessors)).launches() == 1)
      return {"one_wave", "all its tiles are resident at once; there is no measurement of this GPU and type"};
  }
  return {bytes.input == 1 && bytes.sum == 4 && gpu.major >= 8 ? "row_waves" : "decoupled_fallback",
          "more tiles than are resident at once; there is no measurement of this GPU and type"};
}

bool supports(const SatAlgorithm& algorithm, SatType type, int height) {
  return height <= algorithm.most_rows && std::ranges::find(algorithm.types, type) != algorithm.types.end();
}

// For each device, an algorithm that supports every type and size. The first one has the usual types only.
constexpr std::string_view substitutes[] = {"1r1w_skss_lb", "decoupled_fallback", "host_parallel"};

}  // namespace

const SatAlgorithm& table_algorithm(const SatAlgorithm& chosen, SatType type, int height, Device device) {
  if (supports(chosen, type, height)) return chosen;
  for (const auto name : substitutes)
    if (const auto* other = find_sat_algorithm(name); other && runs_on(*other, device) && supports(*other, type, height))
      return *other;
  return chosen;
}

FastestAlgorithm fastest_algorithm(Size size, SatType type, const std::optional<GpuInfo>& gpu, RunBy run_by,
                                   const Tuned& tuned) {
  const auto device = gpu ? Device::cuda : Device::host;
  const auto first = [&](std::string_view name, std::string origin) -> FastestAlgorithm {
    const auto& chosen = *find_sat_algorithm(name);
    const auto& able = table_algorithm(chosen, type, size.height, device);
    if (&able != &chosen) origin = std::string(name) + " does not compute such tables";
    return {&able, std::move(origin)};
  };
  if (!gpu) return first(usual_sat_algorithm(device), "the host's parallel one");
  const auto fastest_at = [](Size at) {
    return "the fastest at " + std::to_string(at.width) + "x" + std::to_string(at.height) + " on ";
  };
  if (const auto* of_user = tuned.find(gpu->name))
    if (const auto found = find_tuned(*of_user, size, type, run_by))
      return first(found->name, fastest_at(found->size) + "this GPU (satscope tune, " + of_user->date + ")");
  if (const auto* measured = find_measurements(*gpu, type)) {
    const auto nearest = std::ranges::min_element(measured->sizes, {},
                                                  [&](const Measured& one) { return distance(one.size, size); });
    return first(run_by == RunBy::graph ? nearest->in_graph : nearest->launched,
                 fastest_at(nearest->size) + "an " + std::string(measured->gpu));
  }
  const auto [name, origin] = usual_choice(size, type, *gpu);
  return first(name, std::string(origin));
}

// One launch for all images, of one read and one write per pixel, whose blocks load some while those of others wait or store. The
// fastest algorithm for a larger image overlaps these by itself, and its sums are exchanged among fewer tiles.
// (gpu/python/tests/gpu, test_time_of_a_batch, and satscope-bench --batch measure both.)
const SatAlgorithm* fastest_batch(Size size) {
  constexpr std::size_t most_pixels = std::size_t{2048} * 2048;
  const bool fits = sat::wave::tiles_of_batch(size) <= sat::most_tiles_of_batch / 2;
  return size.pixels() <= most_pixels && fits ? find_sat_algorithm("one_wave") : nullptr;
}
const SatAlgorithm& fastest_of_channels(Size size) {
  const bool fits = sat::wave::tiles_of_batch(size) <= sat::most_tiles_of_batch;
  return *find_sat_algorithm(fits ? "one_wave" : "scanrow_column");
}

}  // namespace gpu
