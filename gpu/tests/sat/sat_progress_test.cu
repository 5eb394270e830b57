// Forward progress: blocks that wait for other blocks must not wait forever, whatever else the GPU does and however few
// blocks it has room for; and two tables computed concurrently must not disturb each other.
#include <chrono>
#include <thread>

#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

constexpr Size problem_size{1500, 1100};
// Up to 32 tiles of 128 x 32, which one_wave starts plainly on a GPU of 128 multiprocessors or more.
constexpr Size small_size{500, 250};
constexpr std::size_t repeats = 500;

// Keeps its multiprocessors busy with arithmetic and memory accesses for about `cycles`.
__global__ void keep_busy(unsigned* memory, int count, long long cycles) {
  const long long start = clock64();
  unsigned value = threadIdx.x;
  while (clock64() - start < cycles) {
    value = value * 1664525u + 1013904223u;
    memory[value % static_cast<unsigned>(count)] = value;
  }
}

// Signals between the host and the hog kernel, in page-locked memory.
struct HogSignals {
  unsigned started;  // blocks
  unsigned release;
};

// Each block occupies a whole multiprocessor by its shared memory until released, or for at most 20 seconds.
__global__ void hog(volatile HogSignals* signals) {
  if (threadIdx.x == 0) {
    atomicAdd_system(const_cast<unsigned*>(&signals->started), 1u);
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
      __nanosleep(1000);
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (signals->release == 0 && now - start < 20'000'000'000ull);
  }
}

// One algorithm that processes one image repeatedly, in its own stream.
template <class Input, class Sum>
class Worker {
 public:
  Worker(const SatAlgorithm& algorithm, const Arguments& arguments, Size size = problem_size)
      : size_(size),
        algorithm_(algorithm),
        arguments_(arguments),
        prepared_(space_, {size, 1536, 1536}, {Content::Kind::random}),
        table_(std::size_t{1536} * static_cast<std::size_t>(size.height), Device::cuda) {
    auto dry = space_.dry();
    dry.set_persistent(&persistent_);
    compute_sat(dry, algorithm_, prepared_.image(), view(), arguments_);
    work_ = Buffer<std::byte>(dry.workspace_bytes(), Device::cuda);
    persistent_.reserve();
    for (const auto& record : dry.launches()) {
      waits_ |= record.kind == LaunchRecord::Kind::clear;
      cooperative_ |= record.shape.start == Start::cooperative;
    }
  }
  // Whether its blocks wait for each other, which they do through memory that persists.
  bool waits() const { return waits_; }
  // Whether it needs room for all of its blocks before the first starts.
  bool cooperative() const { return cooperative_; }
  cudaStream_t stream() const { return space_.stream(); }
  // Queues one run.
  void start() {
    spoil();
    auto context = space_.context(work_.span());
    context.set_persistent(&persistent_);
    compute_sat(context, algorithm_, prepared_.image(), view(), arguments_);
  }
  // Queues the comparison of the table.
  void compare() { space_.compare(prepared_.comparison(view()), &verdicts_.next()->table); }
  bool done_within(std::chrono::seconds limit) { return gpu::done_within(limit, stream()); }
  // What compare() found since the last call, at most `repeats` comparisons ago.
  std::string wrong() { return verdicts_.wrong(space_, size_.width); }
  void spoil() { check(cudaMemsetAsync(table_.data(), guard_byte, table_.size() * sizeof(Sum), stream())); }

 private:
  ImageView<Sum> view() const { return {table_.data(), size_.width, size_.height, 1536}; }

  Size size_;
  DeviceSpace space_;
  Verdicts<DeviceSpace> verdicts_{space_, repeats};
  const SatAlgorithm& algorithm_;
  Arguments arguments_;
  Prepared<DeviceSpace, Input, Sum> prepared_;
  Buffer<Sum> table_;
  Buffer<std::byte> work_;
  PersistentMemory persistent_{Device::cuda};
  bool waits_ = false, cooperative_ = false;
};

class SatProgressTest : public NeedsGpu<testing::TestWithParam<SatTestCase>> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (const auto why = why_unavailable(*GetParam().algorithm); !IsSkipped() && !why.empty()) GTEST_SKIP() << why;
  }
  // f(worker, what it is) for every choice of parameters.
  template <class F>
  void each_worker(F&& f, Size size = problem_size) {
    with_types(GetParam().type, [&]<class Input, class Sum>() {
      for (const auto& arguments : all_arguments(*GetParam().algorithm)) {
        const auto who = name(GetParam()) + text(arguments);
        SCOPED_TRACE(who);
        Worker<Input, Sum> worker(*GetParam().algorithm, arguments, size);
        f(worker, who);
        if (HasFatalFailure()) return;
      }
    });
  }
};

TEST_P(SatProgressTest, Repeated) {
  each_worker([](auto& worker, const std::string& who) {
    for (std::size_t i = 0; i < repeats; ++i) {
      worker.start();
      worker.compare();
      if (!worker.done_within(std::chrono::seconds(20))) give_up(who);
    }
    ASSERT_EQ(worker.wrong(), "");
  });
}

TEST_P(SatProgressTest, BesideABusyStream) {
  const Stream other;
  const int units = probe_gpu().gpu->multiprocessors;
  const Buffer<unsigned> memory(1u << 24, Device::cuda);
  each_worker([&](auto& worker, const std::string& who) {
    for (int i = 0, runs = static_cast<int>(worker.waits() ? repeats : repeats / 10); i < runs; ++i) {
      // Changing amounts, so that the worker's blocks start in different orders and places.
      launch_kernel(other, keep_busy, {dim3(static_cast<unsigned>(units * (1 + i % 5))), dim3(256)}, memory.data(), 1 << 24,
                    40'000 * (1 + i % 7));
      worker.start();
      worker.compare();
      if (!worker.done_within(std::chrono::seconds(20))) give_up(who);
    }
    ASSERT_EQ(worker.wrong(), "");
  });
  check(cudaStreamSynchronize(other));
}

// Runs of each worker while other work holds all but two multiprocessors. A cooperative launch waits until there is room for all of
// its blocks, and then ends; every other one ends beside that work.
template <class EachWorker>
void check_with_room_for_few_blocks(EachWorker&& each_worker) {
  int shared_bytes = 0;
  check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  check(cudaFuncSetAttribute(hog, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  const int units = probe_gpu().gpu->multiprocessors;
  constexpr int left_free = 2;
  if (units <= left_free) GTEST_SKIP() << "this GPU has " << units << " multiprocessors only";
  HogSignals* signals = nullptr;
  check(cudaHostAlloc(&signals, sizeof *signals, cudaHostAllocMapped));
  const Stream other;
  each_worker([&](auto& worker, const std::string& who) {
    // Loading a kernel may wait until no other runs: all of them are loaded before the hog starts.
    worker.start();
    worker.compare();
    if (!worker.done_within(std::chrono::seconds(20))) give_up(who);
    ASSERT_EQ(worker.wrong(), "");
    *signals = {};
    const auto blocks = static_cast<unsigned>(units - left_free);
    launch_kernel(other, hog, {dim3(blocks), dim3(32), static_cast<std::size_t>(shared_bytes)}, signals);
    const auto start = std::chrono::steady_clock::now();
    while (*static_cast<volatile unsigned*>(&signals->started) < blocks &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(10))
      std::this_thread::yield();
    EXPECT_EQ(*static_cast<volatile unsigned*>(&signals->started), blocks) << "the hog did not get its multiprocessors";
    bool done = true;
    for (std::size_t i = 0; i < (worker.waits() ? repeats / 50 : 1) && done; ++i) {
      worker.start();
      worker.compare();
      done = worker.done_within(std::chrono::seconds(worker.cooperative() ? 1 : 10));
    }
    *static_cast<volatile unsigned*>(&signals->release) = 1;
    if (!done && !worker.done_within(std::chrono::seconds(20))) give_up(who);
    check(cudaStreamSynchronize(other));
    if (worker.cooperative())
      EXPECT_FALSE(done) << "it ran without room for all of its blocks";
    else
      EXPECT_TRUE(done) << "it ended only after multiprocessors were released";
    ASSERT_EQ(worker.wrong(), "");
  });
  check(cudaFreeHost(signals));
}

TEST_P(SatProgressTest, WithRoomForFewBlocks) {
  check_with_room_for_few_blocks([&](auto&& f) { each_worker(f); });
}
// Small launches are not cooperative: few of their blocks may find room at once.
TEST_P(SatProgressTest, OfSmallLaunchesWithRoomForFewBlocks) {
  check_with_room_for_few_blocks([&](auto&& f) {
    each_worker(
        [&](auto& worker, const std::string& who) {
          if (!worker.cooperative()) f(worker, who);
        },
        small_size);
  });
}

TEST_P(SatProgressTest, TwoConcurrently) {
  const auto all = sat_test_cases(Device::cuda);
  with_types(GetParam().type, [&]<class Input, class Sum>() {
    const Arguments arguments(GetParam().algorithm->parameters);
    Worker<Input, Sum> first(*GetParam().algorithm, arguments);
    for (const auto& other : all) {
      if (other.type != GetParam().type || !why_unavailable(*other.algorithm).empty()) continue;
      Worker<Input, Sum> second(*other.algorithm, Arguments(other.algorithm->parameters));
      for (std::size_t i = 0; i < repeats / 20; ++i) {
        first.start();
        second.start();
        first.compare();
        second.compare();
        if (!first.done_within(std::chrono::seconds(20))) give_up(name(GetParam()));
        if (!second.done_within(std::chrono::seconds(20))) give_up(name(other));
      }
      ASSERT_EQ(first.wrong(), "") << name(GetParam()) << " beside " << name(other);
      ASSERT_EQ(second.wrong(), "") << name(other) << " beside " << name(GetParam());
    }
  });
}

// A captured table, replayed: the benchmark, and every program that records its frame as a graph, relies on it. The first run
// is not captured: the graph does not clear memory that persists, and replays are not counted by the host.
TEST_P(SatProgressTest, AsAGraph) {
  each_worker([](auto& worker, const std::string&) {
    worker.start();
    worker.compare();
    ASSERT_EQ(worker.wrong(), "");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(worker.stream(), cudaStreamCaptureModeThreadLocal));
    worker.start();
    check(cudaStreamEndCapture(worker.stream(), &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 20; ++i) {
      worker.spoil();
      check(cudaGraphLaunch(executable, worker.stream()));
      worker.compare();
    }
    ASSERT_EQ(worker.wrong(), "") << "of a replay";
    worker.start();
    worker.compare();
    ASSERT_EQ(worker.wrong(), "") << "after the replays";
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  });
}

// It would clear what persists in every replay, and not before a run outside the graph.
using SatProgressMemoryTest = NeedsGpu<testing::Test>;
TEST_F(SatProgressMemoryTest, TheFirstRunIsNotCaptured) {
  PersistentMemory memory(Device::cuda);
  memory.note("epochs", 256);
  memory.reserve();
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  auto context = Context::on_stream(stream, {});
  context.set_persistent(&memory);
  const auto captured = [&] {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    bool refused = false;
    try {
      context.persistent<int>("epochs", 64);
    } catch (const std::logic_error&) {
      refused = true;
    }
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphDestroy(graph));
    return !refused;
  };
  EXPECT_FALSE(captured());
  context.persistent<int>("epochs", 64);
  EXPECT_TRUE(captured());
  memory.invalidate();
  EXPECT_FALSE(captured());
  check(cudaStreamDestroy(stream));
}

// Sums of 4 and of 8 bytes take different paths through a look-back.
std::vector<SatTestCase> progress_cases() {
  auto cases = sat_test_cases(Device::cuda);
  std::erase_if(cases,
                [](const SatTestCase& test) { return test.type != SatType::u8_u32 && test.type != SatType::f64_f64; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Every, SatProgressTest, testing::ValuesIn(progress_cases()), case_name);

}  // namespace
}  // namespace gpu
