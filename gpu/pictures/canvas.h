// Canvas: the picture that an effect draws, also on the surface of a CUDA array, such as a texture shared with another API.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/image.h"
#ifdef SATSCOPE_SIMULATED
#include "gpu/simulated/device_code.h"
#endif

namespace gpu {

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

// Where an effect draws: gray bytes; Rgba pixels; a CUDA surface of Rgba pixels, such as a mapped texture; or the same pixels
// into both. One pixel function serves the screen (Rgba) and one-channel files (gray).
struct Canvas {
  ImageView<std::uint8_t> gray;
  ImageView<Rgba> rgba;             // without data, but with the size, if only the surface is drawn
  cudaSurfaceObject_t surface = 0;  // only a GPU can draw on it
  bool has_surface = false;

  static Canvas on_surface(cudaSurfaceObject_t surface, Size size) {
    return with_surface({nullptr, size.width, size.height, size.width}, surface);
  }
  // The surface, if there is one, is drawn on as well as the pixels, and is at least as large.
  static Canvas with_surface(ImageView<Rgba> pixels, std::optional<cudaSurfaceObject_t> surface) {
    return {{}, pixels, surface.value_or(0), surface.has_value()};
  }

  constexpr Size size() const { return gray.data ? gray.size() : rgba.size(); }
  // `value`: a level, or a colour. Effects draw colours on Rgba canvases only; a gray one gets the green channel.
  template <class Value>
  constexpr void put(int x, int y, Value value) const {
    if (gray.data) {
      gray(x, y) = level_of(value);
      return;
    }
    if (has_surface) put_on_surface(x, y, value);
    if (rgba.data) put_in_memory(x, y, value);
  }
  // Requires a surface.
  template <class Value>
  constexpr void put_on_surface(int x, int y, Value value) const {
    write_surface(surface, x, y, word_of(value));
  }
  // Requires Rgba pixels. One store of 32 bits: neither the host's compiler nor the device's makes one of four byte stores.
  template <class Value>
  constexpr void put_in_memory(int x, int y, Value value) const {
    if (std::is_constant_evaluated()) {
      rgba(x, y) = colour_of(value);
    } else {
      using Word [[gnu::may_alias]] = std::uint32_t;
      *reinterpret_cast<Word*>(&rgba(x, y)) = word_of(value);
    }
  }

 private:
  static constexpr std::uint8_t level_of(std::uint8_t level) { return level; }
  static constexpr std::uint8_t level_of(Rgba colour) { return colour.g; }
  static constexpr Rgba colour_of(std::uint8_t level) { return {level, level, level, 255}; }
  static constexpr Rgba colour_of(Rgba colour) { return colour; }
  // A pixel as 32 bits, in the order of its bytes.
  static constexpr std::uint32_t word_of(std::uint8_t level) { return level * 0x010101u | 0xff000000u; }
  static constexpr std::uint32_t word_of(Rgba colour) {
    return colour.r | colour.g << 8 | colour.b << 16 | static_cast<std::uint32_t>(colour.a) << 24;
  }
};

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
