// PictureTexture: an RGBA8 texture of one size, and the ways in which host pixels get there.
#pragma once

#include "app/gl/gl_object.h"
#include "gpu/image.h"

namespace app::gl {

// Throws GlError for a size that no texture of this OpenGL has, naming both.
void require_texture_size(gpu::Size size);

class PictureTexture {
 public:
  PictureTexture() = default;  // none
  // Throws GlError: see require_texture_size(), or no memory is left.
  explicit PictureTexture(gpu::Size size);

  unsigned id() const { return texture_.id(); }
  gpu::Size size() const { return size_; }

 private:
  Texture texture_;
  gpu::Size size_;
};

// Copies host pictures into textures. On a GPU they pass through a ring of pixel buffers, so that OpenGL fetches them
// while the program goes on. Software OpenGL fetches nothing: a buffer would be one more copy of every pixel (5 times
// the cost of the plain way at 1080p with llvmpipe 15), so there they go straight into the texture.
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
