// What CUDA may do later on the default stream is done as late as possible.
#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

__global__ void copy(const int* from, int* to) { *to = *from; }

// What a kernel on a stream sees of a word that was 1 and is filled on the default stream.
template <class Fill>
int seen_on(cudaStream_t stream, const Fill& fill) {
  const Zeroed<int> word(1), seen(1);
  word[0] = 1;
  fill(word.data());
  launch_kernel(stream, copy, {dim3(1), dim3(1)}, word.data(), seen.data());
  check(cudaDeviceSynchronize());
  return seen[0];
}

class DefaultStreamTest : public testing::Test {
 protected:
  static void clear(int* word) { check(cudaMemset(word, 0, sizeof(int))); }
  static void upload(int* word) {
    const int zero = 0;
    check(cudaMemcpy(word, &zero, sizeof zero, cudaMemcpyHostToDevice));
  }
  DefaultStreamTest() {
    check(cudaStreamCreateWithFlags(&waits_, 0));
    check(cudaStreamCreateWithFlags(&does_not_, cudaStreamNonBlocking));
  }
  ~DefaultStreamTest() override {
    cudaStreamDestroy(waits_);
    cudaStreamDestroy(does_not_);
  }
  cudaStream_t waits_ = nullptr, does_not_ = nullptr;
};

TEST_F(DefaultStreamTest, IsBehindForStreamsThatDoNotWaitForIt) {
  for (const auto& fill : {clear, upload}) {
    EXPECT_EQ(seen_on(nullptr, fill), 0);
    EXPECT_EQ(seen_on(waits_, fill), 0);
    EXPECT_EQ(seen_on(does_not_, fill), 1);
    EXPECT_EQ(seen_on(does_not_, [&](int* word) { fill(word), check(cudaStreamSynchronize(nullptr)); }), 0);
    EXPECT_EQ(seen_on(does_not_, [&](int* word) { fill(word), check(cudaStreamSynchronize(does_not_)); }), 1);
  }
  EXPECT_EQ(seen_on(does_not_, [&](int* word) { check(cudaMemsetAsync(word, 0, sizeof(int), does_not_)); }), 0);
}

// Both in their order, and before memory is given back.
TEST_F(DefaultStreamTest, KeepsItsOrder) {
  const int seven = 7;
  const Zeroed<int> word(1);
  clear(word.data());
  check(cudaMemcpy(word.data(), &seven, sizeof seven, cudaMemcpyHostToDevice));
  {
    const Buffer<int> other(1, Device::cuda);
    clear(other.data());
  }
  int seen = 0;
  check(cudaMemcpy(&seen, word.data(), sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace gpu::simulated
