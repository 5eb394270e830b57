// Interop of CUDA and OpenGL. MappedTexture: registers one texture with CUDA, which can then write into it.
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
  ~MappedTexture();  // unmaps it, and waits for the work that writes to it
  MappedTexture(const MappedTexture&) = delete;
  MappedTexture& operator=(const MappedTexture&) = delete;

  // Maps the texture, where it is not yet, and returns its surface. Work that is queued on `stream` afterwards may write to
  // it, and waits until OpenGL has drawn what is in it; OpenGL must not use it before unmap(). Throws gpu::CudaError; then
  // this is to be destroyed.
  cudaSurfaceObject_t map(cudaStream_t stream);
  // What OpenGL draws afterwards sees what was queued on the stream before. Throws likewise.
  void unmap();
  // Maps it, queues the copy of `picture` (of its size, on the context's GPU), timed as "copy to texture", and unmaps it
  // again. Throws likewise.
  void copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture);

 private:
  cudaGraphicsResource_t resource_ = nullptr;
  std::optional<cudaStream_t> mapped_on_;
  std::optional<gpu::Surface> surface_;  // of the most recently mapped array
};

}  // namespace app::gl
