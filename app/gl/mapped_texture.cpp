#include "app/gl/mapped_texture.h"

#include <glad/gl.h>

#include <cuda_gl_interop.h>

namespace app::gl {
namespace {

// OpenGL must not use the texture during its lifetime.
class Mapping {
 public:
  Mapping(cudaGraphicsResource_t& resource, cudaStream_t stream) : resource_(resource), stream_(stream) {
    gpu::check(cudaGraphicsMapResources(1, &resource_, stream_));
  }
  ~Mapping() {
    if (mapped_) cudaGraphicsUnmapResources(1, &resource_, stream_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  cudaArray_t array() const {
    cudaArray_t array = nullptr;
    gpu::check(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0));
    return array;
  }
  void unmap() {
    mapped_ = false;
    gpu::check(cudaGraphicsUnmapResources(1, &resource_, stream_));
  }

 private:
  cudaGraphicsResource_t& resource_;
  cudaStream_t stream_;
  bool mapped_ = true;
};

}  // namespace

MappedTexture::MappedTexture(const PictureTexture& texture) {
  gpu::check(
      cudaGraphicsGLRegisterImage(&resource_, texture.id(), GL_TEXTURE_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore));
}

MappedTexture::~MappedTexture() {
  surface_.reset();
  if (cudaGraphicsUnregisterResource(resource_) != cudaSuccess) cudaGetLastError();
}

void MappedTexture::copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture) {
  Mapping mapping(resource_, context.stream());
  // Not within the timed call: the mapping waits, in stream order, until OpenGL has drawn the previous frame.
  const cudaArray_t array = mapping.array();
  // In practice every mapping returns the same array, but this is not guaranteed.
  if (!surface_ || surface_->array() != array) surface_.emplace(array);
  gpu::copy_to_surface(context, "copy to texture", picture, *surface_);
  mapping.unmap();
}

}  // namespace app::gl
