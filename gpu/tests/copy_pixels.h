// Copies between devices that have arrived when they return. A plain copy from pageable memory may return before, and the
// streams of tests wait for no other stream. Of images the pixels alone are copied, because what follows a row in memory may never
// have been written.
#pragma once

#include <vector>

#include "gpu/cuda/error.h"
#include "gpu/image.h"

namespace gpu::test {

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  check(cudaStreamSynchronize(nullptr));
}

template <class T>
Buffer<T> on_device(const std::vector<T>& values) {
  Buffer<T> there(values.size(), Device::cuda);
  copy_bytes(there.data(), values.data(), values.size() * sizeof(T));
  return there;
}
template <class T>
std::vector<T> from_device(const Buffer<T>& there) {
  std::vector<T> values(there.size());
  copy_bytes(values.data(), there.data(), values.size() * sizeof(T));
  return values;
}

// Both of one size, each on any device.
template <class T>
void copy_pixels(ImageView<const T> from, ImageView<T> to) {
  check(cudaMemcpy2D(to.data, static_cast<std::size_t>(to.stride) * sizeof(T), from.data,
                     static_cast<std::size_t>(from.stride) * sizeof(T), static_cast<std::size_t>(from.width) * sizeof(T),
                     static_cast<std::size_t>(from.height), cudaMemcpyDefault));
  check(cudaStreamSynchronize(nullptr));
}
template <class T>
void copy_pixels(const Image<T>& from, const Image<T>& to) {
  copy_pixels<T>(ImageView<const T>(from.view()), to.view());
}

template <class T>
Image<T> on_device(const Image<T>& image) {
  Image<T> there(image.size(), Device::cuda);
  copy_pixels(image, there);
  return there;
}

}  // namespace gpu::test
