#include "app/gl/mapped_texture.h"

#include <glad/gl.h>

#include <cuda_gl_interop.h>

#include <utility>

namespace app::gl {

MappedTexture::MappedTexture(const PictureTexture& texture) {
  gpu::check(
      cudaGraphicsGLRegisterImage(&resource_, texture.id(), GL_TEXTURE_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore));
}

MappedTexture::~MappedTexture() {
  if (mapped_on_) cudaGraphicsUnmapResources(1, &resource_, *mapped_on_);
  if (surface_) cudaDeviceSynchronize();  // work that is queued may write to it
  surface_.reset();
  cudaGraphicsUnregisterResource(resource_);
  cudaGetLastError();  // of any of these: the GPU may be lost
}

cudaSurfaceObject_t MappedTexture::map(cudaStream_t stream) {
  if (mapped_on_ == stream && surface_) return surface_->object();
  if (mapped_on_) unmap();
  gpu::check(cudaGraphicsMapResources(1, &resource_, stream));
  mapped_on_ = stream;
  cudaArray_t array = nullptr;
  gpu::check(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0));
  // In practice every mapping returns the same array, but this is not guaranteed.
  if (!surface_ || surface_->array() != array) surface_.emplace(array);
  return surface_->object();
}

void MappedTexture::unmap() {
  if (const auto stream = std::exchange(mapped_on_, std::nullopt))
    gpu::check(cudaGraphicsUnmapResources(1, &resource_, *stream));
}

void MappedTexture::copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture) {
  map(context.stream());  // not within the timed call: it may wait for OpenGL
  try {
    gpu::copy_to_surface(context, "copy to texture", picture, *surface_);
  } catch (...) {
    unmap();
    throw;
  }
  unmap();
}

}  // namespace app::gl
