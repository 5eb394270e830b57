// MappedTexture: registers one texture with CUDA, which can then write into it.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "app/gl/picture_texture.h"
#include "gpu/context.h"
#include "gpu/surface.h"

namespace app::gl {

class MappedTexture {
 public:
  // Registers the texture, once; it must outlive this. Throws gpu::CudaError.
  explicit MappedTexture(const PictureTexture& texture);
  ~MappedTexture();
  MappedTexture(const MappedTexture&) = delete;
  MappedTexture& operator=(const MappedTexture&) = delete;

  // Maps the texture, queues the copy of `picture` (of its size, on the context's GPU), timed as "copy to texture", and
  // unmaps it again, all in the order of the context's stream: what OpenGL draws afterwards sees the picture. Throws
  // gpu::CudaError; the texture is unmapped then too.
  void copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture);

 private:
  cudaGraphicsResource_t resource_ = nullptr;
  std::optional<gpu::Surface> surface_;  // of the most recently mapped array
};

}  // namespace app::gl
