// SatRunner: plans and runs algorithms on one device, with a workspace that grows as needed, and memory that persists between
// its runs. For callers without a Context of their own: commands, benchmarks, tests, satscope.h.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "gpu/context.h"
#include "gpu/cuda/memory.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"
#include "gpu/sat.h"

namespace gpu {

// The result of a dry replay.
struct SatPlan {
  std::size_t workspace_bytes = 0;
  int launches = 0;  // kernels, clears, library calls, and parallel steps on the host
};

// Replays `algorithm` for `device`; on the host the workspace depends on `threads` (0: one per core). Throws what
// compute_sat() would.
SatPlan plan_sat(Device device, int threads, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                 const Arguments& arguments);
SatPlan plan_sat(Device device, int threads, const SatAlgorithm& algorithm, Size size, SatType type,
                 const Arguments& arguments);

class SatRunner {
 public:
  // Where it runs, as for Context. Stream, pool, driver and timeline belong to the caller and must outlive the runner.
  static SatRunner on_stream(cudaStream_t stream, Timeline* timeline = nullptr);
  static SatRunner on_host(ThreadPool& pool, Timeline* timeline = nullptr);
  static SatRunner on_simulated(const simulated::Driver& driver, Timeline* timeline = nullptr);

  Device device() const { return device_; }
  std::size_t workspace_bytes() const { return workspace_.size(); }      // allocated now
  std::span<std::byte> workspace() const { return workspace_.span(); }   // in memory of the device
  std::size_t persistent_bytes() const { return persistent_->bytes(); }  // allocated now

  // Starts and allocates nothing; notes the persistent memory that a run will ask for. Throws what a run would:
  // std::invalid_argument, ArgumentError.
  SatPlan plan(const SatAlgorithm& algorithm, Size size, SatType type, const Arguments& arguments) const;
  SatPlan plan(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) const;
  SatPlan plan(const std::function<void(Context&)>& work) const;

  // Makes the workspace at least that large, and allocates the persistent memory that was noted. Releasing device memory waits
  // for the work that still uses it. Throws CudaError, std::bad_alloc; then there may be no workspace.
  void reserve(std::size_t workspace_bytes);
  // The context over the workspace, the only one: valid until reserve() or run() makes the workspace larger.
  Context& context();
  // The same, but on a GPU its work is queued on `stream` from now on; the context of another stream ends here.
  Context& context(cudaStream_t stream);
  // After work that may not have completed: what persists between runs is cleared before it is used again.
  void invalidate() { persistent_->invalidate(); }

  // Plans, reserves, and queues (CUDA) or does (otherwise) the computation; views are in memory of the device. Throws
  // what compute_sat() and reserve() do.
  void run(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat, const Arguments& arguments);

 private:
  explicit SatRunner(Device device, Timeline* timeline)
      : device_(device), timeline_(timeline), persistent_(std::make_unique<PersistentMemory>(device)) {}

  Device device_;
  cudaStream_t stream_ = nullptr;
  ThreadPool* pool_ = nullptr;
  const simulated::Driver* driver_ = nullptr;
  Timeline* timeline_;
  Buffer<std::byte> workspace_;
  std::unique_ptr<PersistentMemory> persistent_;  // the context refers to it
  std::optional<Context> context_;
};

}  // namespace gpu
