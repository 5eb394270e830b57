// DeviceSpace: the test matrix of sat_matrix.h on a GPU, which also draws the images and checks the tables. DeviceMemory is that
// part of it.
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

// Draws and checks in device memory, as HostMemory does on the host, but queued on the stream.
class DeviceMemory {
 public:
  explicit DeviceMemory(cudaStream_t stream) : stream_(stream) {}

  void wait() { check(cudaStreamSynchronize(stream_)); }
  void fill(std::span<std::byte> bytes, unsigned char value) {
    check(cudaMemsetAsync(bytes.data(), value, bytes.size(), stream_));
  }
  // Host memory is read before this returns; it is written when wait() returns.
  void copy(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  }
  template <class F>
  void for_each_pixel(Size size, const F& f) {
    start(detail::draw_kernel<F>, static_cast<std::size_t>(size.height), size, f);
  }
  template <class Input, class Ref>
  void add_up(ImageView<const Input> image, ImageView<Ref> sums, bool absolute) {
    make_reference(Device::cuda, stream_, image, sums, absolute);
  }
  void count_touched(const GuardedRows& rows, unsigned long long* count) {
    start(detail::count_touched_kernel, rows.rows + 1, rows, count);
  }
  void count_different(std::span<const std::byte> a, std::span<const std::byte> b, unsigned long long* bytes) {
    start(detail::count_different_kernel, (a.size() + threads - 1) / threads, a.data(), b.data(), a.size(), bytes);
  }
  template <class Sum>
  void compare(const Comparison<Sum>& comparison, Mismatch* result) {
    compare_on_device(stream_, comparison, result);
  }

 private:
  static constexpr std::size_t threads = 256, most_blocks = 2048;

  template <class... Parameters, class... Args>
  void start(void (*kernel)(Parameters...), std::size_t blocks, const Args&... args) {
    launch_kernel(stream_, kernel, {dim3(static_cast<unsigned>(std::min(blocks, most_blocks))), dim3(threads)}, args...);
  }

  cudaStream_t stream_;
};

// The simulated GPU's memory is the host's, and its threads are slow.
#ifdef SATSCOPE_SIMULATED
using CheckedMemory = HostMemory;
#else
using CheckedMemory = DeviceMemory;
#endif

class DeviceSpace : private Stream, public CheckedMemory {
 public:
  static constexpr Device device = Device::cuda;
  static constexpr std::size_t most_queued = 64;
  DeviceSpace() : CheckedMemory(stream()) {}
  cudaStream_t stream() const { return *this; }
  Context context(std::span<std::byte> workspace) { return Context::on_stream(stream(), workspace); }
  Context dry() { return Context::dry(device); }
  SatPlan plan(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView table, const Arguments& arguments) {
    return plan_sat(device, 0, algorithm, image, table, arguments);
  }
};

}  // namespace gpu
