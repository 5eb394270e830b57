// Pictures in CUDA arrays, such as textures shared with another API.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "gpu/context.h"
#ifdef SATSCOPE_SIMULATED
#include "gpu/simulated/device_code.h"
#endif

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

// For kernels: stores a pixel of four bytes. Stores are streaming ones (PTX ISA, "sust"): lines that this run does not read again
// leave the L2 cache before those of the table, which it does. A pixel outside the surface is an error of the kernel.
constexpr void write_surface([[maybe_unused]] cudaSurfaceObject_t surface, [[maybe_unused]] int x, [[maybe_unused]] int y,
                             [[maybe_unused]] std::uint32_t pixel) {
#if defined(SATSCOPE_SIMULATED)
  if (!std::is_constant_evaluated()) simulated::write_surface(surface, x * int{sizeof pixel}, y, &pixel, sizeof pixel);
#elif defined(__CUDA_ARCH__)
  asm volatile("sust.b.2d.b32.cs.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(x * int{sizeof pixel}), "r"(y), "r"(pixel)
               : "memory");
#endif
}

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
