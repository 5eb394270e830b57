// FrameStage: what all lanes of a frame share: its colours where the device reads them, and its gray picture. It owns the
// images of two frames: of the one published, and of the one under way.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "app/capture/frame.h"
#include "app/pipeline/lane.h"
#include "gpu/context.h"
#include "gpu/cuda/event.h"
#include "gpu/cuda/memory.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"
#include "gpu/image.h"

namespace app {

// DeviceContext: how a pipeline works on its device: a context with a timeline, a workspace that grows, and memory that
// persists from frame to frame.
class DeviceContext {
 public:
  // On cuda, work is queued on `stream`, which belongs to the caller. The host and the simulated GPU use all cores. Throws
  // ExitError (no_gpu) where the simulated GPU is not installed.
  DeviceContext(gpu::Device device, cudaStream_t stream);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  gpu::Device device() const { return device_; }
  gpu::Context& timed() { return *context_; }       // another one after grow()
  gpu::Context untimed() { return make(nullptr); }  // in the same workspace, without persistent memory
  gpu::Context untimed_with_persistent();           // likewise, with it
  gpu::Timeline& timeline() { return timeline_; }
  gpu::PersistentMemory& persistent() { return persistent_; }
  const gpu::PersistentMemory& persistent() const { return persistent_; }

  std::size_t workspace_bytes() const { return workspace_.size(); }
  // Makes the workspace at least so large. Throws CudaError, std::bad_alloc: then nothing has changed.
  void grow(std::size_t workspace_bytes);

 private:
  gpu::Context make(gpu::Timeline* timeline);
  void renew();

  gpu::Device device_;
  cudaStream_t stream_;
  std::optional<gpu::ThreadPool> pool_;             // on the host
  const gpu::simulated::Driver* driver_ = nullptr;  // of the simulated GPU
  gpu::Timeline timeline_;
  gpu::PersistentMemory persistent_;
  gpu::Buffer<std::byte> workspace_;
  std::optional<gpu::Context> context_;
};

class FrameStage {
 public:
  // On cuda the work is queued on `stream`, that of the contexts given below.
  FrameStage(gpu::Device device, cudaStream_t stream);
  ~FrameStage();

  // Allocates for frames of `size`, where the next one has another. Throws CudaError or std::bad_alloc; then nothing changed.
  void prepare(gpu::Size size);
  std::size_t new_bytes(gpu::Size size) const;  // that it would allocate
  // Queues the upload on cuda; other devices read the frame where it lies. The gray picture has no values before make_gray().
  FrameViews upload(gpu::Context& context, const capture::Frame& frame);
  void make_gray(gpu::Context& context, const FrameViews& views);
  void publish();         // the images under way become those that gray() returns
  bool uploaded() const;  // the pixels of the last frame have been read

  gpu::Size size() const;                                // of the frame published; {0,0} before the first
  gpu::Size next_size() const;                           // of the frame under way
  gpu::ImageView<const std::uint8_t> gray() const;       // of the frame published
  FrameViews views() const;                              // likewise, on cuda
  gpu::ImageView<const std::uint8_t> next_gray() const;  // of the frame under way
  std::size_t memory_bytes() const;

 private:
  struct Images;

  gpu::Device device_;
  cudaStream_t stream_;
  std::optional<gpu::Event> upload_done_;
  std::shared_ptr<Images> shown_, next_;
};

}  // namespace app
