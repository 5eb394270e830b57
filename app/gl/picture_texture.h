// PictureTexture: an RGBA8 texture of one size, and the upload of host pixels.
#pragma once

#include "app/gl/gl_object.h"
#include "gpu/image.h"

namespace app::gl {

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
  void operator()(gpu::ImageView<const gpu::Rgba> picture, const PictureTexture& texture);

 private:
  void fill_next_buffer(gpu::ImageView<const gpu::Rgba> picture);

  bool through_buffers_;
  Buffer ring_[3];
  int next_ = 0;
};

}  // namespace app::gl
