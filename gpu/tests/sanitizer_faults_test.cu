// One fault per tool of compute-sanitizer, named after it, by which sanitize_gpu.sh checks that the tool works. Only that
// script runs them.
#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/cuda/memory.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

constexpr int threads = 64;

__global__ void write_behind(int* data, int count) { data[count + static_cast<int>(threadIdx.x)] = 1; }

__global__ void read_without_barrier(int* out) {
  auto& shared = static_shared<int[threads]>();
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = shared[threads - 1 - threadIdx.x];
}

__global__ void read_unwritten(const int* data, int* out) { out[threadIdx.x] = data[threadIdx.x] + 1; }

__global__ void half_a_barrier(int* out) {
  if (threadIdx.x % 2 == 0) __syncthreads();
  out[threadIdx.x] = 1;
}

// The result of the launch does not matter: after some of the faults every CUDA call fails.
class DISABLED_SanitizerFaultsTest : public NeedsGpu<testing::Test> {
 protected:
  template <class... Parameters, class... Args>
  void start(void (*kernel)(Parameters...), Args... args) {
    launch_kernel(nullptr, kernel, {dim3(1), dim3(threads)}, args...);
    cudaDeviceSynchronize();
  }
  int* memory() {
    void* data = nullptr;
    check(cudaMalloc(&data, threads * sizeof(int)));
    return static_cast<int*>(data);
  }
};

TEST_F(DISABLED_SanitizerFaultsTest, Memcheck) { start(write_behind, memory(), threads); }
TEST_F(DISABLED_SanitizerFaultsTest, Racecheck) { start(read_without_barrier, memory()); }
TEST_F(DISABLED_SanitizerFaultsTest, Initcheck) { start(read_unwritten, memory(), memory()); }
TEST_F(DISABLED_SanitizerFaultsTest, Synccheck) { start(half_a_barrier, memory()); }

}  // namespace
}  // namespace gpu
