// Pictures into CUDA arrays, such as the textures that another API shares.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/context.h"

namespace gpu {

// A CUDA array that kernels may write to. Throws CudaError.
class Surface {
 public:
  explicit Surface(cudaArray_t array);  // made with cudaArraySurfaceLoadStore, and outlives this
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  cudaArray_t array() const { return array_; }
  cudaSurfaceObject_t object() const { return object_; }

 private:
  cudaArray_t array_;
  cudaSurfaceObject_t object_ = 0;
};

// Queues the copy of `picture`, in device memory, into the array's pixels from (0, 0) on, which must hold as many; four
// bytes each. Timed under `name`. Device contexts only.
void copy_to_surface(Context& context, std::string_view name, ImageView<const Rgba> picture, const Surface& surface);

// Queues nothing to do, timed under `name`: what comes before the first kernel of a frame. Where another API draws on the
// same GPU, CUDA's kernels wait until it is done, and without this the first of them would be shown to take as long.
// Does nothing on the host.
void wait_for_gpu(Context& context, std::string_view name);

}  // namespace gpu
