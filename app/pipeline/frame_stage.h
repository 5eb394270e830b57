// FrameStage: what all lanes of a frame share: its colours where the device reads them, and its gray picture. It owns the
// images of two frames: of the one published, and of the one under way.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "app/capture/frame.h"
#include "app/pipeline/lane.h"
#include "gpu/context.h"
#include "gpu/event.h"
#include "gpu/image.h"

namespace app {

class FrameStage {
 public:
  // On cuda the work is queued on `stream`, that of the contexts given below.
  FrameStage(gpu::Device device, cudaStream_t stream);
  ~FrameStage();

  // Allocates for frames of `size`, where the next one has another. Throws CudaError or std::bad_alloc; then nothing changed.
  void prepare(gpu::Size size);
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
