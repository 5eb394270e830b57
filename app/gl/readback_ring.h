// ReadbackRing: asynchronous copies of at most three pictures from the GPU to the host.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/context.h"
#include "gpu/event.h"
#include "gpu/image.h"
#include "gpu/memory.h"

namespace app::gl {

class ReadbackRing {
 public:
  using Picture = gpu::ImageView<const gpu::Rgba>;

  // Queues the copy of a picture on the context's GPU, timed as "copy to texture", and returns its number: 1, 2, ... If
  // three are in flight, it replaces the newest of them, whose number is then never taken; this waits only if that slot is
  // too small. Throws gpu::CudaError.
  std::uint64_t queue(gpu::Context& context, Picture picture);
  // The newest picture that has arrived since the last call, if any, in host memory that is valid until the next
  // queue(). Does not wait.
  std::optional<Picture> take();
  std::uint64_t taken() const { return taken_; }  // number of the picture that was taken last; 0: none yet
  // The same as take(), after waiting for all queued copies.
  std::optional<Picture> wait_and_take();
  // Discards the pictures in flight, after waiting for their copies. Does not fail if the GPU was lost.
  void drop() noexcept;

 private:
  struct Slot {
    gpu::Event arrived;
    gpu::PinnedBuffer<gpu::Rgba> pixels;
    gpu::Size size;
    std::uint64_t order = 0;  // 0: not in flight
  };
  struct Slots {
    Slot slots[3];
  };

  Slot& slot_for_next();
  Slot* newest();

  std::optional<Slots> slots_;  // made with the first picture: never without CUDA
  std::uint64_t queued_ = 0, taken_ = 0;
};

}  // namespace app::gl
