// PictureTexture: an RGBA8 texture of one size, and the two ways of pixels into it without interop: the upload of host
// pixels, and the copy from the GPU to the host.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gl/gl_object.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"
#include "gpu/cuda/event.h"
#include "gpu/cuda/memory.h"
#include "gpu/image.h"

namespace app::gl {

int largest_texture_side();  // of this OpenGL, in pixels
// Throws GlError for a size above the limit of this OpenGL, naming both.
void require_texture_size(gpu::Size size);

class PictureTexture {
 public:
  PictureTexture() = default;  // none
  // Throws GlError: see require_texture_size(), or out of memory.
  explicit PictureTexture(gpu::Size size);

  unsigned id() const { return texture_.id(); }
  gpu::Size size() const { return size_; }

 private:
  Texture texture_;
  gpu::Size size_;
};

// Copies host pictures into textures. On a GPU they pass through a ring of pixel buffers, so that OpenGL transfers them
// while the program continues. With software OpenGL a buffer would only be one more, slow copy of every pixel; there they
// are copied directly into the texture.
class TextureUpload {
 public:
  explicit TextureUpload(bool through_buffers) : through_buffers_(through_buffers) {}
  // `picture` has the texture's size, and may change as soon as this returns. Throws GlError.
  void operator()(const PicturePixels& picture, const PictureTexture& texture);

 private:
  void fill_next_buffer(const PicturePixels& picture);

  bool through_buffers_;
  Buffer ring_[3];
  int next_ = 0;
};

// ReadbackRing: asynchronous copies of at most three pictures from the GPU to the host.
class ReadbackRing {
 public:
  using Picture = gpu::ImageView<const gpu::Rgba>;

  // Queues the copy of a picture on the context's GPU, timed as "copy to texture", and returns its number: 1, 2, ... If
  // three are in flight, it replaces the newest of them, whose number is then never taken; this waits only if that slot is
  // too small. Throws gpu::CudaError.
  std::uint64_t queue(gpu::Context& context, const PicturePixels& picture);
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
