// Copies of images between devices: of pixels alone, because what follows a row in memory may never have been written.
#pragma once

#include "gpu/error.h"
#include "gpu/image.h"

namespace gpu::test {

// Both of one size, each on any device.
template <class T>
void copy_pixels(const Image<T>& from, const Image<T>& to) {
  const auto source = from.view();
  const auto target = to.view();
  check(cudaMemcpy2D(target.data, static_cast<std::size_t>(target.stride) * sizeof(T), source.data,
                     static_cast<std::size_t>(source.stride) * sizeof(T), static_cast<std::size_t>(source.width) * sizeof(T),
                     static_cast<std::size_t>(source.height), cudaMemcpyDefault));
  // A copy from pageable memory may return before the pixels have arrived, and the streams of tests wait for no other stream.
  check(cudaStreamSynchronize(nullptr));
}

template <class T>
Image<T> on_device(const Image<T>& image) {
  Image<T> there(image.size(), Device::cuda);
  copy_pixels(image, there);
  return there;
}

}  // namespace gpu::test
