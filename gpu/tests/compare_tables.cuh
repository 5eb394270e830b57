// Compares a table with its reference on the device, where both are.
#pragma once

#include "gpu/tests/compare_tables.h"

namespace gpu {
namespace detail {

template <class Sum>
__global__ void compare_kernel(Comparison<Sum> comparison, Mismatch* mismatch) {
  const auto width = static_cast<unsigned long long>(comparison.table.width);
  const auto pixels = width * static_cast<unsigned long long>(comparison.table.height);
  const auto step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels; i += step)
    if (comparison.wrong(static_cast<int>(i % width), static_cast<int>(i / width))) {
      atomicAdd(&mismatch->count, 1ull);
      atomicMin(&mismatch->first, i);
    }
}

}  // namespace detail

// Waits for `stream`. All views and `mismatch` (one element) are in device memory.
template <class Sum>
Mismatch compare_on_device(cudaStream_t stream, const Comparison<Sum>& comparison, Mismatch* mismatch) {
  Mismatch result;
  check(cudaMemcpyAsync(mismatch, &result, sizeof result, cudaMemcpyHostToDevice, stream));
  detail::compare_kernel<Sum><<<1024, 256, 0, stream>>>(comparison, mismatch);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(&result, mismatch, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return result;
}

}  // namespace gpu
