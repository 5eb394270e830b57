// satscope.h on a GPU: the tables and pictures of the host's plans and filters, on the caller's stream, on several, in batches, in
// graphs and on a surface; memory of the host is refused.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "gpu/cuda/memory.h"
#include "gpu/satscope.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/refusal.h"
#include "gpu/tests/surface_array.h"

namespace gpu {
namespace {

using test::on_device, test::from_device;

class SatscopeDeviceTest : public NeedsGpu<testing::Test> {
 protected:
  static constexpr satscope::Size size{333, 210};
  static constexpr std::size_t width = size.width + 1, height = size.height + 1;  // of the memory of both
  static constexpr std::size_t table_pitch = width * sizeof(std::uint32_t);

  SatscopeDeviceTest() : pixels_(width * height) {
    for (std::size_t i = 0; i < pixels_.size(); ++i) pixels_[i] = static_cast<std::uint8_t>(i * i + i / 7);
  }
  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    image_ = on_device(pixels_);
    forget();
  }
  void forget() { table_ = on_device(std::vector(pixels_.size(), 0xcdcdcdcdu)); }
  void run(satscope::Plan& plan, cudaStream_t stream) { plan(image_.data(), width, table_.data(), table_pitch, stream); }
  // The table is that of the host's plan; what lies outside stays what it was.
  void expect_the_hosts(const satscope::Plan& plan) {
    satscope::Plan host(
        size, satscope::u8_u32,
        {.device = satscope::host, .padded = plan.table_size().width > size.width, .tilted = plan.algorithm() == "tilted"});
    std::vector expected(pixels_.size(), 0xcdcdcdcdu);
    host(pixels_.data(), width, expected.data(), table_pitch);
    EXPECT_EQ(from_device(table_), expected);
  }

  std::vector<std::uint8_t> pixels_;
  Buffer<std::uint8_t> image_;
  Buffer<std::uint32_t> table_;
};

TEST_F(SatscopeDeviceTest, EveryAlgorithmHasTheHostsTable) {
  const Stream stream;
  for (const auto& name : satscope::algorithms(satscope::cuda, satscope::u8_u32))
    for (const bool padded : {false, true}) {
      SCOPED_TRACE(name + (padded ? " padded" : ""));
      satscope::Plan plan(size, satscope::u8_u32, {.algorithm = name, .padded = padded});
      EXPECT_EQ(plan.device(), satscope::cuda);
      forget();
      for (int i = 0; i < 2; ++i) run(plan, stream);
      check(cudaStreamSynchronize(stream));
      expect_the_hosts(plan);
    }
}

// A graph for as long as this exists.
class Executable {
 public:
  template <class Work>
  Executable(const Stream& stream, const Work& work, cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    check(cudaStreamBeginCapture(stream, mode));
    work();
    check(cudaStreamEndCapture(stream, &graph_));
    check(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  ~Executable() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraph_t graph_{};
  cudaGraphExec_t executable_{};
};

// What `work` queues on the stream, in a graph that is launched so often.
template <class Work>
void run_in_graph(const Stream& stream, int launches, const Work& work) {
  const Executable graph(stream, work);
  for (int i = 0; i < launches; ++i) graph.launch(stream);
  check(cudaStreamSynchronize(stream));
}

// Also after a call that was refused.
TEST_F(SatscopeDeviceTest, TheFirstCallCanBeCapturedIntoAGraph) {
  const Stream stream;
  satscope::Plan plan(size, satscope::u8_u32);
  EXPECT_THROW(plan(table_.data(), width, table_.data(), table_pitch, stream), satscope::Error);
  run_in_graph(stream, 3, [&] { run(plan, stream); });
  expect_the_hosts(plan);
}

// Two images with their tables, each for one of two streams that share a plan.
class SatscopeStreamsDeviceTest : public NeedsGpu<testing::Test> {
 protected:
  static constexpr satscope::Size size{1501, 1100};
  static constexpr std::size_t width = size.width, pixels = width * size.height, sides = 2;
  static constexpr std::size_t table_pitch = width * sizeof(std::uint32_t);

  struct Side {
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint32_t> expected;
    Buffer<std::uint8_t> image;
    Buffer<std::uint32_t> table;
  };
  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    satscope::Plan host(size, satscope::u8_u32, {.device = satscope::host});
    for (std::size_t k = 0; k < sides; ++k) {
      auto& side = sides_[k];
      side.pixels.resize(pixels);
      for (std::size_t i = 0; i < pixels; ++i) side.pixels[i] = static_cast<std::uint8_t>(i * i + (k + 3) * i / 7 + k);
      side.expected.resize(pixels);
      host(side.pixels.data(), width, side.expected.data(), table_pitch);
      side.image = on_device(side.pixels);
      side.table = Buffer<std::uint32_t>(pixels, Device::cuda);
      forget(k);
    }
  }
  void forget(std::size_t k) {
    check(cudaMemset(sides_[k].table.data(), 0xcd, pixels * sizeof(std::uint32_t)));
    check(cudaDeviceSynchronize());
  }
  void run(satscope::Plan& plan, std::size_t k, cudaStream_t stream) {
    plan(sides_[k].image.data(), width, sides_[k].table.data(), table_pitch, stream);
  }
  void expect_both(std::initializer_list<cudaStream_t> streams) {
    for (auto* const stream : streams)
      if (!done_within(std::chrono::seconds(60), stream)) give_up("a plan on several streams");
    for (const auto& side : sides_) EXPECT_TRUE(from_device(side.table) == side.expected) << "table " << &side - sides_;
  }

  Side sides_[sides];
};

TEST_F(SatscopeStreamsDeviceTest, CallsOnTwoStreamsTakeTurns) {
  const Stream a, b;
  for (const auto& name : satscope::algorithms(satscope::cuda, satscope::u8_u32)) {
    SCOPED_TRACE(name);
    satscope::Plan plan(size, satscope::u8_u32, {.algorithm = name});
    for (int i = 0; i < 50; ++i) {
      run(plan, 0, a);
      run(plan, 1, b);
      if (i % 7 == 0) run(plan, 0, nullptr);
    }
    expect_both({a, b, nullptr});
    forget(0);
    forget(1);
  }
}

// A list of boxes is read from a table that another stream is still computing, and the next table waits for the sums.
TEST_F(SatscopeStreamsDeviceTest, SumsOfBoxesTakeTurnsWithTables) {
  const Stream a, b;
  const auto box = on_device(std::vector<satscope::Box>{{0, 0, size.width, size.height}});
  for (const auto& name : satscope::algorithms(satscope::cuda, satscope::u8_u32)) {
    SCOPED_TRACE(name);
    satscope::Plan plan(size, satscope::u8_u32, {.algorithm = name});
    const auto sums = on_device(std::vector<std::uint32_t>(sides * 50));
    auto& table = sides_[0].table;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      plan(sides_[i % sides].image.data(), width, table.data(), table_pitch, a);
      plan.box_sums(table.data(), table_pitch, box.data(), 1, sums.data() + i, b);
    }
    if (!done_within(std::chrono::seconds(60), b)) give_up("sums of boxes on another stream");
    const auto found = from_device(sums);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], sides_[i % sides].expected.back()) << i;
  }
}

// The streams' handles may be used again.
TEST_F(SatscopeStreamsDeviceTest, StreamsThatAreDestroyedAtOnce) {
  satscope::Plan plan(size, satscope::u8_u32);
  for (std::size_t i = 0; i < 100; ++i) {
    const Stream stream;
    run(plan, i % 2, stream);
  }
  check(cudaDeviceSynchronize());
  expect_both({});
}

TEST_F(SatscopeStreamsDeviceTest, FiltersTakeTurns) {
  const Stream a, b;
  satscope::Filter filter(size, satscope::Filter::gray, "box_blur", "passes=3"),
      host(size, satscope::Filter::gray, "box_blur", "passes=3", {.device = satscope::host});
  Buffer<std::uint8_t> results[sides];
  for (auto& result : results) result = Buffer<std::uint8_t>(pixels, Device::cuda);
  for (int i = 0; i < 30; ++i) {
    filter(sides_[0].image.data(), width, results[0].data(), width, a);
    filter(sides_[1].image.data(), width, results[1].data(), width, b);
  }
  check(cudaStreamSynchronize(a));
  check(cudaStreamSynchronize(b));
  for (std::size_t k = 0; k < sides; ++k) {
    std::vector<std::uint8_t> expected(pixels);
    host(sides_[k].pixels.data(), width, expected.data(), width);
    EXPECT_TRUE(from_device(results[k]) == expected) << k;
  }
}

// Launches on two streams, and calls on a third one.
TEST_F(SatscopeStreamsDeviceTest, GraphsAndCallsTakeTurns) {
  const Stream a, b, c;
  for (const char* algorithm : {"", "one_wave", "1r1w_skss_lb", "2r1w"}) {
    SCOPED_TRACE(algorithm);
    satscope::Plan plan(size, satscope::u8_u32, {.algorithm = algorithm});
    run(plan, 1, c);
    const Executable first(a, [&] { run(plan, 0, a); }), second(b, [&] {
      run(plan, 1, b);
      run(plan, 1, b);
    });
    for (int i = 0; i < 50; ++i) {
      first.launch(a);
      second.launch(b);
      run(plan, 1, c);
      first.launch(b);
    }
    expect_both({a, b, c});
    forget(0);
    forget(1);
  }
}

// The plan moves from one stream of a capture to another, which has forked from it, and back.
TEST_F(SatscopeStreamsDeviceTest, StreamsOfOneCaptureTakeTurns) {
  const Stream a, b;
  satscope::Plan plan(size, satscope::u8_u32, {.algorithm = "1r1w_skss_lb"});
  cudaEvent_t fork{}, join{};
  check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const Executable graph(a, [&] {
    check(cudaEventRecord(fork, a));
    check(cudaStreamWaitEvent(b, fork, 0));
    for (int i = 0; i < 5; ++i) {
      run(plan, 0, a);
      run(plan, 1, b);
    }
    check(cudaEventRecord(join, b));
    check(cudaStreamWaitEvent(a, join, 0));
  });
  for (int i = 0; i < 20; ++i) graph.launch(i % 2 ? a : b);
  expect_both({a, b});
  check(cudaEventDestroy(fork));
  check(cudaEventDestroy(join));
}

// What allocates and waits is no part of the graph, and does not end the capture, even one in global mode.
TEST_F(SatscopeStreamsDeviceTest, PlansAreMadeAndDestroyedWhileAnotherStreamIsCaptured) {
  const Stream a;
  satscope::Plan plan(size, satscope::u8_u32);
  const auto work = [&] {
    run(plan, 0, a);
    satscope::Plan other({300, 200}, satscope::f32_f32);
    satscope::Filter filter({300, 200}, satscope::Filter::bgr, "box_blur");
    other.tune();
    run(plan, 1, a);
  };
  const Executable graph(a, work, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 3; ++i) graph.launch(a);
  expect_both({a});
}

TEST_F(SatscopeDeviceTest, TiltedTables) {
  const Stream stream;
  for (const bool padded : {false, true}) {
    satscope::Plan plan(size, satscope::u8_u32, {.padded = padded, .tilted = true});
    run(plan, stream);
    check(cudaStreamSynchronize(stream));
    expect_the_hosts(plan);
  }
}

TEST_F(SatscopeDeviceTest, TunedPlansHaveTheHostsTable) {
  const Stream stream;
  satscope::Plan plan(size, satscope::u8_u32, {.padded = true});
  EXPECT_FALSE(plan.origin().empty());
  plan.tune();
  EXPECT_NE(plan.origin().find("measured here"), std::string::npos) << plan.origin();
  RecordProperty("fastest", plan.algorithm() + ' ' + plan.parameters() + ": " + plan.origin());
  for (int i = 0; i < 2; ++i) run(plan, stream);
  check(cudaStreamSynchronize(stream));
  expect_the_hosts(plan);
}

// Five images in a graph: the whole memory, and what begins one to four rows further down. By one algorithm that takes them at once,
// by one that does not, and by what the plan chooses; the first call is in the graph. Then more images by the same plan, and fewer: what
// it keeps between calls does not depend on how many there are.
TEST_F(SatscopeDeviceTest, BatchesInAGraphAndOfOtherCounts) {
  const Stream stream;
  constexpr satscope::Size part{size.width, size.height - 10};
  constexpr std::size_t most = 11, sums = width * height;
  for (const char* algorithm : {"", "scanrow_column", "one_wave"})
    for (const bool padded : {false, true}) {
      SCOPED_TRACE(std::string(algorithm) + (padded ? " padded" : ""));
      satscope::Plan plan(part, satscope::u8_u32, {.algorithm = algorithm, .padded = padded}),
          host(part, satscope::u8_u32, {.device = satscope::host, .padded = padded});
      const auto bytes = plan.memory_bytes();
      for (const auto& [count, launches] : {std::pair(5, 2), {2, 1}, {int{most}, 1}, {1, 1}, {3, 1}, {int{most}, 1}}) {
        const satscope::Batch batch{count, width, sums * sizeof(std::uint32_t)};
        std::vector expected(most * sums, 0xcdcdcdcdu);
        const auto tables = on_device(expected);
        const auto call = [&] { plan(image_.data(), width, tables.data(), table_pitch, batch, stream); };
        if (launches > 1)
          run_in_graph(stream, launches, call);
        else
          call();
        check(cudaStreamSynchronize(stream));
        host(pixels_.data(), width, expected.data(), table_pitch, batch);
        EXPECT_EQ(from_device(tables), expected) << count;
      }
      EXPECT_TRUE(*algorithm || plan.memory_bytes() == bytes) << plan.memory_bytes() << ", not " << bytes;
    }
}

// Colour pixels as they are: the tables of their channels, of two images. In a graph, then with other counts by the same plan.
TEST_F(SatscopeDeviceTest, InterleavedChannels) {
  const Stream stream;
  constexpr int channels = 3;
  constexpr satscope::Size part{(size.width - 5) / channels, size.height / 2};
  constexpr std::size_t w = part.width, h = part.height, most = 2 * channels;
  using Named = std::pair<const char*, const char*>;
  for (const auto& [algorithm, parameters] :
       {Named{"", ""}, {"scanrow_column", ""}, {"one_wave", ""}, {"one_wave", "tile=16x1"}})
    for (const bool padded : {false, true}) {
      SCOPED_TRACE(std::string(algorithm) + parameters + (padded ? " padded" : ""));
      const std::size_t sums = (w + padded) * (h + padded), pitch = (w + padded) * sizeof(std::uint32_t);
      satscope::Plan plan(part, satscope::u8_u32, {.algorithm = algorithm, .parameters = parameters, .padded = padded});
      satscope::Plan host(part, satscope::u8_u32, {.device = satscope::host, .padded = padded});
      EXPECT_TRUE(plan.takes_channels());
      std::vector<std::uint8_t> channel(w * h);
      const auto check_count = [&](int count, int launches) {
        std::vector expected(most * sums, 0xcdcdcdcdu);
        const auto tables = on_device(expected);
        const satscope::Batch batch{count, width * h, sums * sizeof(std::uint32_t), channels};
        const auto call = [&] { plan(image_.data() + 1, width, tables.data(), pitch, batch, stream); };
        if (launches > 0)
          run_in_graph(stream, launches, call);
        else
          call();
        check(cudaStreamSynchronize(stream));
        for (std::size_t t = 0; t < static_cast<std::size_t>(count) * channels; ++t) {
          for (std::size_t y = 0; y < h; ++y)
            for (std::size_t x = 0; x < w; ++x)
              channel[y * w + x] = pixels_[1 + (t / channels * h + y) * width + x * channels + t % channels];
          host(channel.data(), w, expected.data() + t * sums, pitch);
        }
        EXPECT_EQ(from_device(tables), expected) << count;
      };
      check_count(2, 2);
      check_count(1, 0);
      check_count(2, 0);
    }
  satscope::Plan other(part, satscope::u8_u32, {.algorithm = "2r1w"}), tilted(part, satscope::u8_u32, {.tilted = true});
  for (auto* plan : {&other, &tilted}) {
    EXPECT_FALSE(plan->takes_channels());
    const satscope::Batch batch{1, 0, w * h * sizeof(std::uint32_t), channels};
    EXPECT_THROW((*plan)(image_.data(), width, table_.data(), w * sizeof(std::uint32_t), batch, stream), satscope::Error);
  }
}

TEST_F(SatscopeDeviceTest, MoreImagesThanAGridHasRows) {
  constexpr int count = 65536 + 77;
  const auto images = on_device(std::vector<std::uint8_t>(count, 3));
  const auto tables = on_device(std::vector<std::uint32_t>(count * std::size_t{4} + 9, 99));
  satscope::Plan plan({1, 1}, satscope::u8_u32, {.padded = true});
  plan(images.data(), 1, tables.data(), 8, {.count = count, .image_stride = 1, .table_stride = 16});
  const auto found = from_device(tables);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], i >= count * std::size_t{4} ? 99u : i % 4 == 3 ? 3u : 0u) << i;
}

// At once; of pixels of 16 bits, which the algorithms of batches do not have, one image after another.
TEST_F(SatscopeDeviceTest, ABatchOfEveryType) {
  constexpr satscope::Size small{37, 21};
  constexpr std::size_t pixels = 37 * 21, count = 9;
  const auto check_type = [&]<class Pixel, class Sum>(satscope::Type type, Pixel, Sum) {
    SCOPED_TRACE(static_cast<int>(type));
    std::vector<Pixel> images(count * pixels);  // so small that every sum is exact
    for (std::size_t i = 0; i < images.size(); ++i)
      images[i] = static_cast<Pixel>(pixels_[i % pixels_.size()] * (sizeof(Pixel) == 2 ? 257u : 1u));
    const satscope::Batch batch{count, pixels * sizeof(Pixel), pixels * sizeof(Sum)};
    satscope::Plan host(small, type, {.device = satscope::host}), plan(small, type);
    std::vector<Sum> expected(images.size());
    host(images.data(), 37 * sizeof(Pixel), expected.data(), 37 * sizeof(Sum), batch);
    const auto there = on_device(images);
    const Buffer<Sum> tables(images.size(), Device::cuda);
    plan(there.data(), 37 * sizeof(Pixel), tables.data(), 37 * sizeof(Sum), batch);
    EXPECT_EQ(from_device(tables), expected);
    if (type != satscope::u16_u32) return;
    EXPECT_FALSE(plan.takes_channels());
    const satscope::Batch colours{.table_stride = pixels * 4, .channels = 3};
    EXPECT_THROW(plan(there.data(), 37 * 3 * 2, tables.data(), 37 * 4, colours), satscope::Error);
  };
  check_type(satscope::u8_u32, std::uint8_t(), std::uint32_t());
  check_type(satscope::u8_f32, std::uint8_t(), float());
  check_type(satscope::u32_u32, std::uint32_t(), std::uint32_t());
  check_type(satscope::f32_f32, float(), float());
  check_type(satscope::f64_f64, double(), double());
  check_type(satscope::u8_u64, std::uint8_t(), std::uint64_t());
  check_type(satscope::u16_u32, std::uint16_t(), std::uint32_t());
}

__global__ void sum_boxes(const std::uint32_t* table, std::size_t pitch, bool padded, const satscope::Box* boxes,
                          std::uint32_t* sums) {
  sums[threadIdx.x] = satscope::box_sum(table, pitch, boxes[threadIdx.x], padded);
}

TEST_F(SatscopeDeviceTest, SumsOfBoxesInAKernel) {
  const std::vector<satscope::Box> boxes{
      {0, 0, 1, 1}, {0, 0, size.width, size.height}, {0, 7, 20, 30}, {9, 0, 20, 30}, {31, 17, 100, 99}, {5, 5, 0, 9}};
  const auto there = on_device(boxes);
  const Buffer<std::uint32_t> sums(boxes.size(), Device::cuda);
  for (const bool padded : {false, true}) {
    satscope::Plan plan(size, satscope::u8_u32, {.padded = padded});
    run(plan, nullptr);
    sum_boxes<<<1, static_cast<unsigned>(boxes.size())>>>(table_.data(), table_pitch, padded, there.data(), sums.data());
    check(cudaGetLastError());
    const auto found = from_device(sums);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      std::uint32_t sum = 0;
      for (int y = boxes[i].y; y < boxes[i].y + boxes[i].height; ++y)
        for (int x = boxes[i].x; x < boxes[i].x + boxes[i].width; ++x)
          sum += pixels_[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
      EXPECT_EQ(found[i], sum) << i;
    }
  }
}

// The first call is in a graph.
TEST_F(SatscopeDeviceTest, SumsOfManyBoxesInAGraph) {
  const Stream stream;
  std::vector<satscope::Box> boxes;
  for (int i = 0; i < 5000; ++i) boxes.push_back({i % 353 - 8, i % 231 - 5, i % 123 - 1, i % 119 - 1});
  const int count = static_cast<int>(boxes.size());
  const auto there = on_device(boxes);
  const Buffer<std::uint32_t> sums(boxes.size(), Device::cuda);
  for (const int kind : {0, 1, 2, 3}) {
    const bool padded = kind % 2 != 0, tilted = kind > 1;
    satscope::Plan plan(size, satscope::u8_u32, {.padded = padded, .tilted = tilted});
    run_in_graph(stream, 2, [&] {
      run(plan, stream);
      plan.box_sums(table_.data(), table_pitch, there.data(), count, sums.data(), stream);
    });
    std::vector<std::uint32_t> table(pixels_.size()), expected(boxes.size());
    satscope::Plan host(size, satscope::u8_u32, {.device = satscope::host, .padded = padded, .tilted = tilted});
    host(pixels_.data(), width, table.data(), table_pitch);
    host.box_sums(table.data(), table_pitch, boxes.data(), count, expected.data());
    EXPECT_EQ(from_device(sums), expected);
    EXPECT_THROW(plan.box_sums(table_.data(), table_pitch, boxes.data(), count, sums.data(), stream), satscope::Error);
  }
}

// The host's picture of the same pixels, from memory and on a surface; the first call and the first draw() are in a graph.
TEST_F(SatscopeDeviceTest, EveryFilterHasTheHostsPicture) {
  using satscope::Filter;
  const Stream stream;
  constexpr satscope::Size part{100, 200};
  constexpr std::size_t pixels = 100 * 200;
  const test::SurfaceArray array({100, 200});
  for (const auto& name : satscope::filters())
    for (const auto kind : {Filter::gray, Filter::bgr}) {
      if (name == "none" && kind == Filter::gray) continue;
      SCOPED_TRACE(name + (kind == Filter::gray ? " of gray" : " of colours"));
      const std::size_t pitch = kind == Filter::gray ? width : 304;  // of colours no multiple of 3
      Filter filter(part, kind, name), host(part, kind, name, {}, {.device = satscope::host});
      const auto bytes = static_cast<std::size_t>(filter.result_channels());
      ASSERT_EQ(host.result_channels(), filter.result_channels());
      std::vector<std::uint8_t> expected(pixels * bytes);
      host(pixels_.data(), pitch, expected.data(), 100 * bytes);
      const Buffer<std::uint8_t> result(pixels * bytes, Device::cuda);
      run_in_graph(stream, 2, [&] { filter(image_.data(), pitch, result.data(), 100 * bytes, stream); });
      EXPECT_EQ(from_device(result), expected);

      run_in_graph(stream, 2, [&] { filter.draw(image_.data(), pitch, array.object(), stream); });
      const auto drawn = array.bytes();
      for (std::size_t i = 0; i < pixels; ++i)
        for (std::size_t k = 0; k < 4; ++k)
          ASSERT_EQ(drawn[4 * i + k], bytes == 4 ? expected[4 * i + k] : k == 3 ? 255 : expected[i]) << i;
    }
}

TEST_F(SatscopeDeviceTest, ASurfaceThatIsTooSmallIsRefused) {
  satscope::Filter filter(size, satscope::Filter::gray, "box_blur");
  const test::SurfaceArray narrow({size.width - 1, size.height}),
      gray({4000, size.height}, cudaCreateChannelDesc<unsigned char>());
  const auto draw_on = [&](const test::SurfaceArray& array) {
    return [&] { filter.draw(image_.data(), width, array.object()); };
  };
  test::expect_refused<satscope::Error>(draw_on(narrow), "the surface has 332x210 pixels");
  test::expect_refused<satscope::Error>(draw_on(gray), "has 8 bits");
  check(cudaDeviceSynchronize());
}

TEST_F(SatscopeDeviceTest, MemoryOfTheHostIsRefused) {
  satscope::Plan plan(size, satscope::u8_u32);
  std::vector<std::uint32_t> table(pixels_.size());
  test::expect_refused<satscope::Error>([&] { plan(pixels_.data(), width, table_.data(), table_pitch); },
                                        "the image is in the host's memory");
  EXPECT_THROW(plan(image_.data(), width, table.data(), table_pitch), satscope::Error);
  run(plan, nullptr);
  check(cudaDeviceSynchronize());
  expect_the_hosts(plan);
}

TEST_F(SatscopeDeviceTest, MemoryOfAGpuIsRefusedOnTheHost) {
  satscope::Plan plan(size, satscope::u8_u32, {.device = satscope::host});
  std::vector<std::uint32_t> table(pixels_.size());
  const auto refused = [&](const void* image, void* to) {
    test::expect_refused<satscope::Error>([&] { plan(image, width, to, table_pitch); }, "is in a GPU's memory");
  };
  refused(image_.data(), table.data());
  refused(pixels_.data(), table_.data());
  void *managed = nullptr, *locked = nullptr;
  check(cudaMallocManaged(&managed, pixels_.size() * sizeof(std::uint32_t)));
  check(cudaMallocHost(&locked, pixels_.size()));
  std::copy(pixels_.begin(), pixels_.end(), static_cast<std::uint8_t*>(locked));
  plan(locked, width, managed, table_pitch);
  EXPECT_EQ(static_cast<std::uint32_t*>(managed)[0], pixels_[0]);
  check(cudaFree(managed));
  check(cudaFreeHost(locked));
}

// 64 and 256 GiB.
TEST_F(SatscopeDeviceTest, TooLittleMemoryIsSaid) {
  test::expect_refused<satscope::Error>(
      [] {
        satscope::Plan({1 << 18, 1 << 18}, satscope::u8_u32);
      },
      "not enough GPU memory for 262144x262144 pixels");
}

}  // namespace
}  // namespace gpu
