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

// Whoever reads on the host, or queues on a stream that waits for it, comes behind.
TEST_F(DefaultStreamTest, ComesBeforeCopiesAndClearsThatWaitForIt) {
  const Zeroed<int> word(1);
  const auto fill = [&] { check(cudaMemset(word.data(), 1, sizeof(int))); };
  int seen = 0;
  fill();
  check(cudaMemcpy(&seen, word.data(), sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, 0x01010101);
  for (const auto& [stream, behind] : {std::pair(waits_, true), {does_not_, false}}) {
    word[0] = seen = 0;
    fill();
    check(cudaMemcpyAsync(&seen, word.data(), sizeof seen, cudaMemcpyDeviceToHost, stream));
    EXPECT_EQ(seen, behind ? 0x01010101 : 0);
    fill();
    check(cudaMemsetAsync(word.data(), 2, sizeof(int), stream));
    check(cudaDeviceSynchronize());
    EXPECT_EQ(word[0], behind ? 0x02020202 : 0x01010101);
  }
}

// What was still to be done with memory that is given back does not happen to whoever has it next.
TEST_F(DefaultStreamTest, DoesNothingToMemoryThatIsGivenBack) {
  constexpr std::size_t count = 9 << 20;  // an odd size, so that the same room is found again
  int* before = nullptr;
  {
    const Buffer<int> first(count, Device::cuda);
    before = first.data();
    clear(before);
  }
  const Buffer<int> second(count, Device::cuda);
  ASSERT_EQ(second.data(), before) << "the test shows nothing";
  *second.data() = 5;
  check(cudaDeviceSynchronize());
  EXPECT_EQ(*second.data(), 5);
}

TEST_F(DefaultStreamTest, RowsHaveThePitchOfTheirOwnSide) {
  const Zeroed<char> from(12), to(12);
  for (int i = 0; i < 12; ++i) from[static_cast<std::size_t>(i)] = static_cast<char>(i);
  check(cudaMemcpy2D(to.data(), 5, from.data(), 3, 2, 2, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(to.values(), (std::vector<char>{0, 1, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace gpu::simulated
