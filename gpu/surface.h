// Copies pictures into CUDA arrays, such as textures shared with another API.
#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "gpu/context.h"

namespace gpu {

// A CUDA array that kernels may write to. Throws CudaError.
class Surface {
 public:
  explicit Surface(cudaArray_t array);  // created with cudaArraySurfaceLoadStore; must outlive this
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  cudaArray_t array() const { return array_; }
  cudaSurfaceObject_t object() const { return object_; }

 private:
  cudaArray_t array_;
  cudaSurfaceObject_t object_ = 0;
};

// Queues a copy of `picture`, which is in device memory, to the array's pixels from (0, 0) on. The array must be large
// enough and have four bytes per pixel. Timed under `name`. Device contexts only.
void copy_to_surface(Context& context, std::string_view name, ImageView<const Rgba> picture, const Surface& surface);

// The kernels of copy_to_surface(), by kernel_address().
std::array<const void*, 2> surface_kernels();

// Queues an empty kernel, timed under `name`, for use before the first kernel of a frame. If another API draws on the same
// GPU, CUDA kernels wait for it; without the empty kernel, the waiting time would be measured as part of the first real
// kernel. Does nothing on the host.
void wait_for_gpu(Context& context, std::string_view name);

}  // namespace gpu
