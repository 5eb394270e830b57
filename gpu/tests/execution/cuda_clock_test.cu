// The timeline of a GPU: moments of a stream.
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "gpu/context.h"
#include "gpu/execution/readback.h"
#include "gpu/execution/timeline.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

__global__ void add_up(std::uint32_t* sums, int rounds) {
  std::uint32_t sum = threadIdx.x;
  for (int i = 0; i < rounds; ++i) sum = sum * 1664525u + 1013904223u;
  sums[threadIdx.x] = sum;
}

class CudaClockTest : public NeedsGpu<testing::Test> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (!IsSkipped()) check(cudaMalloc(&sums_, 32 * sizeof *sums_));
  }
  void TearDown() override {
    if (sums_) cudaFree(sums_);
  }

  std::uint32_t* sums_ = nullptr;
};

TEST_F(CudaClockTest, TimesKernelsOfItsStreamAsATree) {
  Stream stream;
  Timeline timeline(cuda_clock(stream));
  auto context = Context::on_stream(stream, {}, &timeline);
  const Grid one{dim3(1), dim3(32)};
  for (std::uint64_t id = 0; id <= 3; ++id) {
    timeline.begin_frame(id);
    context.launch("before", add_up, one, sums_, 10);
    context.group(
        "parts",
        [&] {
          context.launch("short", add_up, one, sums_, 10);
          context.launch("long", add_up, one, sums_, 20'000);
        },
        SpanTiming::parts);
    context.group("whole", [&] { context.launch("inside", add_up, one, sums_, 10); });
    timeline.end_frame();
  }
  check(cudaStreamSynchronize(stream));
  const auto first = timeline.take();
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->timed) << "the kernel may have been loaded meanwhile";
  EXPECT_EQ(first->first_launches, 1);
  for (std::uint64_t id = 1; id <= 3; ++id) {
    const auto frame = timeline.take();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->id, id);
    ASSERT_TRUE(frame->timed);
    ASSERT_EQ(frame->spans.size(), 6u);
    const auto& [before, parts, brief, lengthy, whole, inside] = std::tie(frame->spans[0], frame->spans[1], frame->spans[2],
                                                                          frame->spans[3], frame->spans[4], frame->spans[5]);
    EXPECT_EQ(before.started, 0);
    EXPECT_GT(before.microseconds(), 0);
    EXPECT_EQ(frame->points, 5) << "each span begins where the one before ended";
    EXPECT_EQ(before.ended, brief.started);
    EXPECT_EQ(brief.ended, lengthy.started);
    EXPECT_GT(lengthy.microseconds(), brief.microseconds());
    EXPECT_EQ(parts.started, brief.started);
    EXPECT_EQ(parts.ended, lengthy.ended);
    EXPECT_TRUE(whole.timed);
    EXPECT_EQ(whole.started, lengthy.ended);
    EXPECT_FALSE(inside.timed);
    EXPECT_EQ(frame->path(inside), "whole/inside");
  }
  EXPECT_FALSE(timeline.take());
}

TEST_F(CudaClockTest, SaysWhenAMomentHasPassed) {
  Stream stream;
  const auto clock = cuda_clock(stream);
  clock->reserve(2);
  clock->record(0);
  launch_kernel(stream, add_up, {dim3(1), dim3(32)}, sums_, 1000);
  clock->record(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!clock->ready(1) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  ASSERT_TRUE(clock->ready(1));
  EXPECT_GT(clock->microseconds(0, 1), 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "asking too early leaves no error behind";
}

#ifndef SATSCOPE_SIMULATED  // there nothing is ever on its way
// Whether a read-back's copy has arrived, at each point of a timeline.
class ArrivalClock : public TimelineClock {
 public:
  ArrivalClock(const Readback& readback, std::vector<bool>& arrived) : readback_(readback), arrived_(arrived) {}
  void reserve(int) override {}
  void record(int) override { arrived_.push_back(readback_.arrived()); }
  bool ready(int) override { return true; }
  double microseconds(int, int) override { return 0; }
  bool shares_points() const override { return true; }

 private:
  const Readback& readback_;
  std::vector<bool>& arrived_;
};

// The next span may begin at the point where the copy's ended: what is queued between them would count to it.
TEST_F(CudaClockTest, TheEventOfAReadBackIsRecordedWithinItsSpan) {
  Stream stream;
  check(cudaMemset(sums_, 0, sizeof *sums_));
  Readback readback(Device::cuda, sizeof *sums_);
  std::vector<bool> arrived;
  Timeline timeline(std::make_unique<ArrivalClock>(readback, arrived));
  auto context = Context::on_stream(stream, {}, &timeline);
  std::promise<void> gate;  // nothing in the stream passes until it opens
  check(cudaLaunchHostFunc(
      stream, [](void* closed) { static_cast<std::promise<void>*>(closed)->get_future().wait(); }, &gate));
  timeline.begin_frame();
  readback.queue(context, "number", sums_, sizeof *sums_);
  timeline.end_frame();
  gate.set_value();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(arrived, (std::vector{true, false})) << "nothing is on its way when the span begins, and a copy when it ends";
}
#endif

TEST_F(CudaClockTest, SlotsThatAreNotThereAreRefused) {
  Stream stream;
  const auto clock = cuda_clock(stream);
  clock->reserve(2);
  EXPECT_THROW(clock->record(2), std::out_of_range);
}

}  // namespace
}  // namespace gpu
