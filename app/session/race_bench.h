// RaceBench: where a race is run, and EffectBench: where the effect in use is run for it.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/picture.h"
#include "app/session/race_lanes.h"
#include "gpu/context.h"
#include "gpu/cuda/memory.h"
#include "gpu/effect.h"
#include "gpu/execution/readback.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"
#include "gpu/sat.h"

namespace app {

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

// Within a handler of exceptions: why there is no race, or no effect in it, one line. A CudaError other than a lack of memory is
// thrown anew: the GPU cannot be used any more.
std::string why_no_race();

// RaceBench: where a race is run: a copy of one picture, one table, and scratch memory for every lane, all on one device and
// allocated once. Lanes run on it one batch at a time, and are timed and checked: the table alone, or the effect in use.
class RaceBench {
 public:
  // A test's own in place of gpu::compute_sat(); empty: that.
  using Compute = std::function<void(gpu::Context&, const gpu::SatAlgorithm&, gpu::AnyConstImageView, gpu::AnyImageView,
                                     const gpu::Arguments&)>;
  enum class Part { table, effect };
  // What one batch measured.
  struct Outcome {
    Part part = Part::table;
    std::vector<double> us = {};    // one per run, in order
    std::string problem = {};       // its result is wrong, or the lane failed, one line; empty: neither
    bool checked = false;           // its result was compared
    bool reference_failed = false;  // the reference of all lanes failed: `problem` is not a fault of this lane
  };

  // Allocates, and plans every lane of `lanes`; those that cannot be planned, or need more scratch memory than
  // workspace_budget(), are moved to `absent`. An effect for which there is no memory is taken out, with the reason. `stream`:
  // of a cuda picture; else null. Throws CudaError, std::bad_alloc.
  RaceBench(gpu::Device device, cudaStream_t stream, gpu::Size size, RaceLanes& lanes, Compute compute);

  // The picture that every lane sums: copied at once, or queued (cuda). It has the bench's size, and is in memory of its
  // device.
  void take_picture(const Picture& picture);
  void make_picture() { fills_ = true; }  // of random pixels instead, by the first batch

  // One batch: queues it (cuda), or does it, on any thread. Between two runs it ends early if `stop` is set. Throws
  // CudaError if the GPU cannot be used any more.
  void run(const RaceLane& lane, Part part, int runs, const std::atomic<bool>& stop);
  // What that batch measured, once, when it is there; on cuda nothing until its events have passed. Never waits.
  std::optional<Outcome> take();

 private:
  gpu::Context context();
  gpu::AnyConstImageView image() const;
  gpu::AnyImageView table() const;
  void add_effect(RaceLanes& lanes, std::size_t& most);
  void compute(gpu::Context& context, const RaceLane& lane);
  void time_peer(gpu::Context& context, const RacePeer& peer, int runs, const std::atomic<bool>& stop);
  void run_table(gpu::Context& context, const RaceLane& lane, int runs, const std::atomic<bool>& stop);
  void run_effect(gpu::Context& context, const RaceLane& lane, int runs, const std::atomic<bool>& stop);
  void spoil();
  void fill();

  gpu::Device device_;
  cudaStream_t stream_;
  gpu::Size size_;
  bool fills_ = false;  // with random pixels, before the next batch
  Compute compute_;
  std::optional<gpu::ThreadPool> pool_;
  const gpu::simulated::Driver* driver_ = nullptr;
  gpu::PersistentMemory persistent_;
  gpu::Buffer<std::byte> pair_, workspace_;  // the image, directly followed by its table
  gpu::Timeline timeline_;
  gpu::Readback findings_;
  std::optional<EffectBench> effect_;
  std::optional<Outcome> outcome_;  // of the batch under way
};

}  // namespace app
