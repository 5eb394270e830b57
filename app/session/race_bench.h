// RaceBench: where a race is run: a copy of one picture, one table, and scratch memory for every lane, all on one device and
// allocated once. Lanes run on it one batch at a time, and are timed and checked: the table alone, or the effect in use.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/picture.h"
#include "app/session/effect_bench.h"
#include "app/session/race_lanes.h"
#include "gpu/context.h"
#include "gpu/memory.h"
#include "gpu/readback.h"
#include "gpu/thread_pool.h"
#include "gpu/timeline.h"

namespace app {

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
    bool reference_failed = false;  // with which every lane's is compared: `problem` is no fault of this one
  };

  // Allocates, and plans every lane of `lanes`; those that cannot be planned, or need more scratch memory than
  // workspace_budget(), are moved to `absent`. An effect for which there is no memory is taken out, with the reason. `stream`:
  // of a cuda picture; else null. Throws CudaError, std::bad_alloc.
  RaceBench(gpu::Device device, cudaStream_t stream, gpu::Size size, RaceLanes& lanes, Compute compute);

  // The picture that every lane sums: copied at once, or queued (cuda). It has the bench's size, and is in memory of its
  // device.
  void take_picture(const Picture& picture);

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
  void run_table(gpu::Context& context, const RaceLane& lane, int runs, const std::atomic<bool>& stop);
  void run_effect(gpu::Context& context, const RaceLane& lane, int runs, const std::atomic<bool>& stop);
  void spoil();

  gpu::Device device_;
  cudaStream_t stream_;
  gpu::Size size_;
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
