// main() of tests of gpu/ that run under observation: every launch of a test on the simulated GPU is observed, and a race
// fails the test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "gpu/cuda/launch.h"
#include "gpu/cuda/memory.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/observed/recording_observer.h"

namespace gpu::simulated {
namespace {

class Watch : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override {
    observer_ = std::make_unique<RecordingObserver>(the_gpu().heap());
    the_gpu().set_observer(observer_.get());
  }
  void OnTestEnd(const testing::TestInfo&) override {
    the_gpu().set_observer(nullptr);
    const auto seen = observer_->results();
    observer_.reset();  // also clears the shadow memory
    for (const auto& race : seen.races)
      ADD_FAILURE() << race.what << ", " << race.times << " times: " << (race.first.empty() ? "" : race.first + " and ")
                    << race.second;
    const auto& counts = seen.counts;
    const auto accesses = counts.read.bytes + counts.written.bytes + counts.surface_bytes + counts.shared_stages;
    if (seen.launches > 0 && accesses == 0)
      ADD_FAILURE() << seen.launches << " launches, and not one access was seen: are the kernels instrumented?";
  }

 private:
  std::unique_ptr<RecordingObserver> observer_;
};

// Tests of this observation, by tests that must fail. Each of those runs in a process of its own.
[[noreturn]] void run_alone(const char* test) {
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE", "GTEST_OUTPUT"})
    unsetenv(name);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // which a death test reads
  const std::string filter = std::string("--gtest_filter=") + test;
  execl("/proc/self/exe", "observed", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_color=no", nullptr);
  std::_Exit(2);
}

// Every thread writes a word, and reads its neighbour's.
constexpr unsigned store_line = __LINE__ + 2, load_line = __LINE__ + 3;
__global__ void race(unsigned* words, unsigned* to) {
  words[threadIdx.x] = threadIdx.x;
  to[threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x];
}
__global__ void race_not(unsigned* words, unsigned* to) {
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x];
}
__global__ void touch_nothing() {}

constexpr unsigned threads = 64;

void start(void (*kernel)(unsigned*, unsigned*)) {
  const Buffer<unsigned> words(threads, Device::cuda), to(threads, Device::cuda);
  launch_kernel(nullptr, kernel, {dim3(1), dim3(threads)}, words.data(), to.data());
}

TEST(Deliberate, DISABLED_Race) { start(race); }
TEST(Deliberate, DISABLED_Nothing) { launch_kernel(nullptr, touch_nothing, {dim3(1), dim3(threads)}); }

TEST(Watched, ARaceFailsItsTest) {
  const auto place = [](unsigned line) { return "observed_main.cu:" + std::to_string(line); };
  EXPECT_EXIT(run_alone("Deliberate.DISABLED_Race"), testing::ExitedWithCode(1),
              "global read after write.*" + place(store_line) + " and " + place(load_line));
}
TEST(Watched, LaunchesWithoutReportedAccessesFailTheirTest) {
  EXPECT_EXIT(run_alone("Deliberate.DISABLED_Nothing"), testing::ExitedWithCode(1), "not one access was seen");
}
TEST(Watched, OrderedAccessesAreSeenAndPass) {
  start(race_not);
  auto* observer = dynamic_cast<RecordingObserver*>(the_gpu().observer());
  ASSERT_NE(observer, nullptr);
  EXPECT_EQ(observer->results().counts.written.bytes, 2 * threads * sizeof(unsigned));
}

}  // namespace
}  // namespace gpu::simulated

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  testing::UnitTest::GetInstance()->listeners().Append(new gpu::simulated::Watch);
  return RUN_ALL_TESTS();
}
