// Copies from a device to host memory. Waits: for results that are written to files, never for the display.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/context.h"
#include "gpu/image.h"

namespace app {

template <class T>
gpu::Image<T> download(const gpu::Context& context, gpu::ImageView<const T> from) {
  gpu::Image<T> image(from.size(), gpu::Device::host);
  const auto to = image.view();
  const auto row_bytes = static_cast<std::size_t>(from.width) * sizeof(T);
  const auto pitch = [](auto view) { return static_cast<std::size_t>(view.stride) * sizeof(T); };
  if (context.device() == gpu::Device::cuda) {
    gpu::check(cudaMemcpy2DAsync(to.data, pitch(to), from.data, pitch(from), row_bytes,
                                 static_cast<std::size_t>(from.height), cudaMemcpyDeviceToHost, context.stream()));
    gpu::check(cudaStreamSynchronize(context.stream()));
  } else {
    for (int y = 0; y < from.height; ++y) std::copy_n(from.row(y), from.width, to.row(y));
  }
  return image;
}

}  // namespace app
