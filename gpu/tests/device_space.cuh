// Where the matrix of sat_matrix.h runs on a GPU: tables are compared and guard bands checked there.
#pragma once

#include "gpu/tests/compare_tables.cuh"
#include "gpu/tests/sat_matrix.h"

namespace gpu {
namespace detail {

inline __global__ void count_touched_kernel(GuardedRows rows, unsigned long long* count) {
  const auto step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows.bytes; i += step)
    if (rows.touched(i)) atomicAdd(count, 1ull);
}

}  // namespace detail

// A stream for the length of a test.
class TestStream {
 public:
  TestStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~TestStream() { cudaStreamDestroy(stream_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class DeviceSpace {
 public:
  static constexpr Device device = Device::cuda;
  cudaStream_t stream() const { return stream_; }
  Context context(std::span<std::byte> workspace) { return Context::on_stream(stream_, workspace); }
  Context dry() { return Context::dry(device); }
  void fill(std::span<std::byte> bytes, unsigned char value) {
    check(cudaMemsetAsync(bytes.data(), value, bytes.size(), stream_));
  }
  void upload(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    wait();
  }
  void wait() { check(cudaStreamSynchronize(stream_)); }
  std::size_t count_touched(const GuardedRows& rows) {
    auto* count = reinterpret_cast<unsigned long long*>(result_.data());
    check(cudaMemsetAsync(count, 0, sizeof *count, stream_));
    detail::count_touched_kernel<<<1024, 256, 0, stream_>>>(rows, count);
    check(cudaGetLastError());
    unsigned long long touched = 0;
    check(cudaMemcpyAsync(&touched, count, sizeof touched, cudaMemcpyDeviceToHost, stream_));
    wait();
    return static_cast<std::size_t>(touched);
  }
  template <class Sum>
  Mismatch compare(const Comparison<Sum>& comparison) {
    return compare_on_device(stream_, comparison, reinterpret_cast<Mismatch*>(result_.data()));
  }

 private:
  TestStream stream_;
  Buffer<std::byte> result_{sizeof(Mismatch), device};
};

}  // namespace gpu
