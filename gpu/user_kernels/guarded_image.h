// GuardedImage: an image for runs of a kernel that nobody knows: what it writes elsewhere is found.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "gpu/cuda/error.h"
#include "gpu/cuda/memory.h"
#include "gpu/image.h"

namespace gpu {

inline constexpr std::byte untouched{0x7f};  // of every byte that was never written: a huge number in every type

// An image whose rows are `stride` apart, and which begins `offset` elements after a multiple of 256 bytes, within memory that is to
// stay as it is. On CUDA it is there twice.
template <class T>
class GuardedImage {
 public:
  GuardedImage(Size size, std::ptrdiff_t stride, int offset, Device device)
      : size_(size),
        stride_(stride),
        first_(guard + static_cast<std::size_t>(offset) * sizeof(T)),
        here_(first_ + static_cast<std::size_t>(stride) * static_cast<std::size_t>(size.height) * sizeof(T) + guard,
              Device::host) {
    if (device == Device::cuda) there_ = Buffer<std::byte>(here_.size(), device);
    std::ranges::fill(here_.span(), untouched);
  }

  ImageView<T> view() const { return at(here_.data()); }
  ImageView<T> on_device() const { return at(there_.data() ? there_.data() : here_.data()); }
  void upload(cudaStream_t stream) const { copy(there_.data(), here_.data(), cudaMemcpyHostToDevice, stream); }
  void download(cudaStream_t stream) const { copy(here_.data(), there_.data(), cudaMemcpyDeviceToHost, stream); }

  // Whether nothing but pixels was written.
  bool surroundings_are_untouched() const {
    const auto is_untouched = [&](const std::byte* from, const std::byte* to) {
      return std::all_of(from, to, [](std::byte each) { return each == untouched; });
    };
    const auto* from = here_.data();
    for (int y = 0; y < size_.height; ++y) {
      const auto* const row = reinterpret_cast<const std::byte*>(view().row(y));
      if (!is_untouched(from, row)) return false;
      from = row + static_cast<std::size_t>(size_.width) * sizeof(T);
    }
    return is_untouched(from, here_.data() + here_.size());
  }

 private:
  static constexpr std::size_t guard = 4096;

  ImageView<T> at(std::byte* memory) const {
    return {reinterpret_cast<T*>(memory + first_), size_.width, size_.height, stride_};
  }
  void copy(std::byte* to, const std::byte* from, cudaMemcpyKind kind, cudaStream_t stream) const {
    if (there_.data()) check(cudaMemcpyAsync(to, from, here_.size(), kind, stream));
  }

  Size size_;
  std::ptrdiff_t stride_;
  std::size_t first_;
  Buffer<std::byte> here_, there_;
};

}  // namespace gpu
