// RaceLanes: who takes part in a race: every algorithm of the device that can run, with the arguments that the settings
// choose, or with every combination of its parameters' choices; and the bounds.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/race_figures.h"
#include "gpu/bounds.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/memory.h"
#include "gpu/readback.h"
#include "gpu/sat.h"

namespace app {

struct RaceLane;

// The effect in use as a race measures it, where the algorithm computes more for it than the frame's own table: the levels of a
// pyramid, channels, later passes.
struct RaceEffect {
  // That the chosen algorithm computes besides the frame's own.
  struct Table {
    gpu::Size size;
    gpu::SatType type;
    friend bool operator==(const Table&, const Table&) = default;
  };
  const gpu::Effect* effect = nullptr;  // null: none
  gpu::Arguments arguments;
  std::vector<Table> tables;

  friend bool operator==(const RaceEffect&, const RaceEffect&) = default;
};

// The effect of the selection with its tables. Without any, it is none: every algorithm draws it in the same time. Throws what
// the effect does for arguments that do not fit.
RaceEffect race_effect(const Selection& selection, gpu::Size size);
// Bytes of global memory that the lane's threads request for these tables, per pixel of the frame; none where nobody counts them.
std::optional<double> effect_bytes_per_pixel(const RaceEffect& effect, const RaceLane& lane, gpu::Device device,
                                             gpu::Size size);

struct RaceLane {
  const gpu::SatAlgorithm* algorithm = nullptr;  // or
  const gpu::Bound* bound = nullptr;             // one of gpu::bounds()
  gpu::Arguments arguments;
  std::string label;  // as RaceRow::label

  std::string name() const { return std::string(algorithm ? algorithm->name : bound->name); }
  friend bool operator==(const RaceLane&, const RaceLane&) = default;
};

struct RaceLanes {
  std::vector<RaceLane> lanes;  // the bounds first
  std::vector<RaceFigures::Absent> absent;
  RaceEffect effect = {};           // which every algorithm also draws
  std::string effect_problem = {};  // why it is not drawn, one line

  bool has_algorithms() const {
    return std::ranges::any_of(lanes, [](const RaceLane& lane) { return lane.algorithm != nullptr; });
  }
};
// On the selection's device, with its effect. Throws gpu::ArgumentError for values in the settings that a parameter does not
// have, and what the effect does for arguments that do not fit.
RaceLanes race_lanes(const Selection& selection, gpu::Size size, const Settings& settings);
// The bound over which times are stated, alone. None on the simulated GPU.
RaceLanes bound_lane(const Selection& selection, gpu::Size size, const Settings& settings);

inline constexpr auto race_type = gpu::SatType::u8_u32;  // as of every picture

// EffectBench: runs the effect of a race on its picture with one algorithm after another, and compares what they make.
class EffectBench {
 public:
  // Allocates; on the host and on cuda. `context`: of the race's device. Throws what the effect does, CudaError, std::bad_alloc.
  EffectBench(gpu::Context& context, const RaceEffect& effect, gpu::Size size);
  // What that takes besides scratch memory: the pictures, and the images that the effect may keep for its tables.
  static std::size_t memory_bytes(const RaceEffect& effect, gpu::Size size);

  // Replays it with this algorithm; null: with that of the reference.
  void plan(gpu::Context& dry, const RaceLane* lane) const;
  // The colours of the picture: queued (cuda). On the host there are none: three planes are made of the gray one, each other than
  // the next, so that channels that are mixed up show.
  void take_picture(cudaStream_t stream, gpu::ImageView<const gpu::Bgr> colour, gpu::ImageView<const std::uint8_t> gray);

  // All queue (cuda) or do (host) their work. `gray` and `sums`: the frame and its table, on the device.
  struct Frame {
    gpu::ImageView<const std::uint8_t> gray;
    gpu::ImageView<const std::uint32_t> sums;
  };
  // What the results of all algorithms are compared with: that of a simple one. Once, before the first check.
  void make_reference(gpu::Context& context, const Frame& frame);
  bool has_reference() const { return has_reference_; }
  static RaceLane reference_lane(gpu::Device device);
  void spoil(gpu::Context& context);  // the result of the run before
  void run(gpu::Context& context, const Frame& frame, const RaceLane& lane);
  // Compares the picture and the annotations with the reference.
  void check(gpu::Context& context);
  bool checked() const { return findings_.arrived(); }  // does not wait
  // Then: whether the results can be compared. Where there are more annotations than are listed, a GPU lists others in each run.
  bool comparable() const;
  std::string problem() const;  // likewise: what is wrong, one line; empty: nothing

 private:
  void draw(gpu::Context& context, const Frame& frame, const RaceLane& lane, gpu::ImageView<gpu::Rgba> picture,
            std::byte* annotations) const;
  int capacity() const { return effect_.effect->annotation_capacity(effect_.arguments); }
  std::byte* list() const;

  RaceEffect effect_;
  gpu::Size size_;
  RaceLane reference_lane_;
  std::shared_ptr<const void> prepared_;  // not that of the pictures shown, which remembers what it saw before
  gpu::Image<gpu::Bgr> colour_;
  gpu::Image<gpu::Rgba> picture_, reference_;
  gpu::Buffer<std::byte> result_;  // a Mismatch of pictures, then the annotations
  gpu::Readback reference_list_, findings_;
  bool has_reference_ = false;
};

}  // namespace app
