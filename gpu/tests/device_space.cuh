// DeviceSpace: the test matrix of sat_matrix.h on a GPU, which also compares tables and checks guard bands.
#pragma once

#include "gpu/tests/gpu_test.h"
#include "gpu/tests/sat/sat_matrix.h"

namespace gpu {
namespace detail {

// One gap between rows per block.
inline __global__ void count_touched_kernel(GuardedRows rows, unsigned long long* count) {
  for (std::size_t i = blockIdx.x; i <= rows.rows; i += gridDim.x) {
    const auto [from, to] = rows.gap(i);
    for (auto at = from + threadIdx.x; at < to; at += blockDim.x)
      if (static_cast<unsigned char>(rows.data[at]) != guard_byte) atomicAdd(count, 1ull);
  }
}

inline __global__ void count_different_kernel(const std::byte* a, const std::byte* b, std::size_t bytes,
                                              unsigned long long* count) {
  const auto step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step)
    if (a[i] != b[i]) atomicAdd(count, 1ull);
}

// One row per block.
template <class F>
__global__ void draw_kernel(Size size, F f) {
  for (int y = static_cast<int>(blockIdx.x); y < size.height; y += static_cast<int>(gridDim.x))
    for (int x = static_cast<int>(threadIdx.x); x < size.width; x += static_cast<int>(blockDim.x)) f(x, y);
}

}  // namespace detail

class DeviceSpace {
 public:
  static constexpr Device device = Device::cuda;
  cudaStream_t stream() const { return stream_; }
  Context context(std::span<std::byte> workspace) { return Context::on_stream(stream_, workspace); }
  Context dry() { return Context::dry(device); }
  SatPlan plan(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView table, const Arguments& arguments) {
    return plan_sat(device, 0, algorithm, image, table, arguments);
  }
  void fill(std::span<std::byte> bytes, unsigned char value) {
    check(cudaMemsetAsync(bytes.data(), value, bytes.size(), stream_));
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
    wait();
  }
  template <class F>
  void for_each_pixel(Size size, const F& f) {
    launch_kernel(stream_, detail::draw_kernel<F>, {dim3(2048), dim3(256)}, size, f);
  }
  void wait() { check(cudaStreamSynchronize(stream_)); }
  std::size_t count_touched(const GuardedRows& rows) {
    return counted([&](unsigned long long* count) {
      launch_kernel(stream_, detail::count_touched_kernel, {dim3(1024), dim3(256)}, rows, count);
    });
  }
  std::size_t count_different(std::span<const std::byte> a, std::span<const std::byte> b) {
    return counted([&](unsigned long long* count) {
      launch_kernel(stream_, detail::count_different_kernel, {dim3(1024), dim3(256)}, a.data(), b.data(), a.size(), count);
    });
  }
  template <class Sum>
  Mismatch compare(const Comparison<Sum>& comparison) {
    return compare_on_device(stream_, comparison, reinterpret_cast<Mismatch*>(result_.data()));
  }

 private:
  // start(count) starts a kernel that adds to *count, which is 0 before.
  template <class Start>
  std::size_t counted(Start&& start) {
    auto* count = reinterpret_cast<unsigned long long*>(result_.data());
    check(cudaMemsetAsync(count, 0, sizeof *count, stream_));
    start(count);
    unsigned long long counted = 0;
    check(cudaMemcpyAsync(&counted, count, sizeof counted, cudaMemcpyDeviceToHost, stream_));
    wait();
    return static_cast<std::size_t>(counted);
  }

  TestStream stream_;
  Buffer<std::byte> result_{sizeof(Mismatch), device};
};

}  // namespace gpu
