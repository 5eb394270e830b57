// The shared memory that a Context has allowed a kernel stays allowed, whatever is launched next.
#include <thread>
#include <vector>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/cuda/memory.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

__global__ void write_last(int* out, int count) {
  auto* const words = reinterpret_cast<int*>(dynamic_shared());
  words[count - 1] = count;
  *out = words[count - 1];
}

using ContextSharedMemoryTest = NeedsGpu<testing::Test>;

Grid with_words(int count) { return {dim3(1), dim3(1), static_cast<std::size_t>(count) * sizeof(int)}; }

// Like a launch by another thread, which has already planned for the larger amount.
void expect_allowed(int* out, int count) {
  launch_kernel(nullptr, write_last, with_words(count), out, count);
  int written = 0;
  check(cudaMemcpy(&written, out, sizeof written, cudaMemcpyDeviceToHost));
  EXPECT_EQ(written, count);
}

TEST_F(ContextSharedMemoryTest, ALaterLaunchWithLessLowersNothing) {
  const int most = static_cast<int>(current_gpu_limits().shared_bytes / sizeof(int));
  const Buffer<int> out(1, Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  for (const int count : {most, 64}) context.launch("write last", write_last, with_words(count), out.data(), count);
  expect_allowed(out.data(), most);
}

TEST_F(ContextSharedMemoryTest, ThreadsWithDifferentNeedsDoNotDisturbEachOther) {
  const int most = static_cast<int>(current_gpu_limits().shared_bytes / sizeof(int));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Buffer<int> out(1, Device::cuda);
      Stream stream;
      auto context = Context::on_stream(stream, {});
      for (int i = 0; i < 50; ++i) {
        const int count = t % 2 == 0 ? most : 64 + i;
        EXPECT_NO_THROW(context.launch("write last", write_last, with_words(count), out.data(), count));
      }
      check(cudaStreamSynchronize(stream));
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace gpu
