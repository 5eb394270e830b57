// EffectBench: runs the effect of a race on its picture with one algorithm after another, and compares what they make.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/session/race_lanes.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/memory.h"
#include "gpu/readback.h"

namespace app {

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
