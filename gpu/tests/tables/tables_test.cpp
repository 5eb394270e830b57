// The tables of a frame on the host, and which algorithms compute them.
#include "gpu/tables/tables.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/tests/tables/tables_cases.h"

namespace gpu::test {
namespace {

TEST(TablesTest, AreRightWhateverTheHostsAlgorithm) {
  for (const auto size : table_sizes) {
    const auto frame = HostFrame::noise(size, 3);
    const TableReference expected(frame);
    for (const auto* algorithm : sat_algorithms()) {
      if (algorithm->device != Device::host) continue;
      SCOPED_TRACE(std::string(algorithm->name) + " " + std::to_string(size.width) + "x" + std::to_string(size.height));
      ThreadPool pool;  // as many threads as a dry replay assumes
      const TableCopies copies(size, Device::host);
      compute_all_tables(*algorithm, Device::host, frame.colour.view(), frame.gray.view(), copies,
                         [&](auto workspace) { return Context::on_host(pool, workspace); });
      expect_same(copies, expected.copies);
    }
  }
}

// A triangle that lies inside the image has y + 1 rows of 1, 3, 5 ... pixels, (y + 1)^2 in all.
TEST(TablesTest, TiltedOfWhiteIsASquareNumber) {
  const Size size{401, 200};
  const HostFrame frame(size, [](int, int) { return Bgr{255, 255, 255}; });
  const Image<std::uint32_t> tilted(size, Device::host);
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  compute_tilted(context, frame.gray.view(), tilted.view());
  for (int y = 0; y < size.height; ++y)
    ASSERT_EQ(tilted.view()(200, y), 255u * static_cast<unsigned>((y + 1) * (y + 1))) << y;
}

// An algorithm that supports only 8-bit images and 32-bit sums, as NPP does.
constexpr SatType sums_only[] = {SatType::u8_u32};
const SatAlgorithm& without_squares() {
  static const SatAlgorithm algorithm = [] {
    auto copy = host_algorithm();
    copy.name = "without_squares";
    copy.types = sums_only;
    return copy;
  }();
  return algorithm;
}

TEST(TablesTest, SquaresFallBackIfTheTypeIsMissingAndTheNoteSaysSo) {
  EXPECT_EQ(table_note(host_algorithm(), {.squares = true, .channels = true}, 100, Device::host), "");
  EXPECT_EQ(table_note(without_squares(), {.tilted = true, .channels = true}, 100, Device::host), "");
  EXPECT_EQ(table_note(without_squares(), {.squares = true}, 100, Device::host),
            "without_squares has no 8u64u: host_parallel computes the table of squares");
  EXPECT_EQ(&table_algorithm(without_squares(), SatType::u8_u32, 100, Device::host), &without_squares());

  const auto frame = HostFrame::noise({97, 65}, 3);
  ThreadPool pool;
  const TableCopies copies(frame.size(), Device::host);
  compute_all_tables(without_squares(), Device::host, frame.colour.view(), frame.gray.view(), copies,
                     [&](auto workspace) { return Context::on_host(pool, workspace); });
  expect_same(copies, TableReference(frame).copies);
}

TEST(TablesTest, WhatAnAlgorithmComputesItComputesItself) {
  static constexpr SatType squares_only[] = {SatType::u8_u64};
  auto without_sums = host_algorithm(), low = host_algorithm();
  without_sums.name = "without_sums", without_sums.types = squares_only;
  low.most_rows = 100;
  EXPECT_EQ(table_note(without_sums, {.squares = true, .tilted = true}, 100, Device::host), "");
  EXPECT_EQ(table_note(without_sums, {.squares = true, .channels = true}, 100, Device::host),
            "without_sums has no 8u32u: host_parallel computes the table of channels");
  EXPECT_EQ(&table_algorithm(low, SatType::u8_u32, 100, Device::host), &low);
  EXPECT_EQ(table_algorithm(low, SatType::u8_u32, 101, Device::host).name, "host_parallel");
}

TableTargets targets_without_memory(Size size) {
  TableTargets targets;
  targets.squares = view_without_memory<std::uint64_t>(size);
  for (auto& channel : targets.channels) channel = view_without_memory<std::uint32_t>(size);
  return targets;
}

// Those that were chosen reach the algorithm for which they were.
TEST(TablesTest, AnAlgorithmGetsItsArguments) {
  static constexpr Parameter parameters[] = {choice("k", "1,2", "for this test")};
  static std::string seen;
  auto algorithm = host_algorithm();
  algorithm.parameters = parameters;
  algorithm.run = [](Context&, AnyConstImageView, AnyImageView, const Arguments& arguments) { seen += arguments.text("k"); };
  const Size size{8, 6};
  auto dry = Context::dry(Device::host, 1);
  const auto targets = targets_without_memory(size);
  for (const char* k : {"1", "2"}) {
    Arguments arguments(algorithm.parameters);
    arguments.set("k", k);
    seen.clear();
    compute_tables(dry, algorithm, arguments, {.squares = true, .channels = true}, view_without_memory<const Bgr>(size),
                   view_without_memory<const std::uint8_t>(size), targets);
    EXPECT_EQ(seen, std::string(4, *k));
  }
}

// An algorithm that takes several tables at once reads the channels where they are: in one call, without images of their own.
TEST(TablesTest, ChannelsAreTakenAtOnceWhereTheAlgorithmCan) {
  struct Seen {
    AnyConstImageView image;
    AnyImageView sat;
    ImageBatch batch;
    std::string k;
  };
  static constexpr Parameter parameters[] = {choice("k", "1,2", "for this test")};
  static std::vector<Seen> seen;
  auto algorithm = host_algorithm();
  algorithm.name = "at_once";
  algorithm.parameters = parameters;
  algorithm.run = [](Context&, AnyConstImageView, AnyImageView, const Arguments&) { ADD_FAILURE() << "one after another"; };
  algorithm.run_batch = [](Context&, const AnyConstImageView& image, const AnyImageView& sat, const Arguments& arguments,
                           const ImageBatch& batch) {
    seen.push_back({image, sat, batch, arguments.text("k")});
  };
  const Size size{97, 5};
  const int pitch = 3 * 97 + 2;  // no multiple of a pixel
  alignas(16) static std::byte pixels[5 * 293];
  const BgrView colour(reinterpret_cast<const Bgr*>(pixels), size.width, size.height, pitch);
  const Image<std::uint32_t> tables({size.width, 3 * size.height}, Device::host);
  TableTargets targets;
  for (int i = 0; i < 3; ++i) {
    const auto view = tables.view();
    targets.channels[i] = {view.row(i * size.height), size.width, size.height, view.stride};
  }
  Arguments arguments(algorithm.parameters);
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});  // no memory for images of channels
  for (const char* k : {"1", "2"}) {
    arguments.set("k", k);
    seen.clear();
    compute_tables(context, algorithm, arguments, {.channels = true}, colour, {}, targets);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].k, k);
    EXPECT_EQ(seen[0].image.data, pixels);
    EXPECT_EQ(seen[0].image.size(), size);
    EXPECT_EQ(seen[0].image.stride, pitch);
    EXPECT_EQ(seen[0].image.type, ElementType::u8);
    EXPECT_EQ(seen[0].sat.data, targets.channels[0].data);
    EXPECT_EQ(seen[0].batch.count, 1);
    EXPECT_EQ(seen[0].batch.channels, 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(targets.channels[0].data + seen[0].batch.sat_at(i), targets.channels[i].data) << i;
  }
  // Tables of large pictures come one after another, from images of their own.
  algorithm.run = [](Context&, AnyConstImageView, AnyImageView, const Arguments&) { seen.push_back({}); };
  auto dry = Context::dry(Device::host, 1);
  seen.clear();
  const Size large{8192, 8192};
  compute_tables(dry, algorithm, arguments, {.channels = true}, view_without_memory<const Bgr>(large), {},
                 targets_without_memory(large));
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_GE(dry.workspace_bytes(), 3 * large.pixels());
  // So do tables that are not equally far apart.
  std::swap(targets.channels[1], targets.channels[2]);
  seen.clear();
  compute_tables(dry, algorithm, arguments, {.channels = true}, colour, {}, targets);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_THROW(compute_sat_batch(context, host_algorithm(), {pixels, 97, 5, pitch, ElementType::u8}, targets.channels[0],
                                 Arguments(), {}),
               std::invalid_argument);
}

// The tables of a frame one after another, and those of several frames, take as much scratch memory as the one that takes most.
TEST(TablesTest, ScratchMemoryIsReleasedBehindEachTable) {
  const Size size{97, 65};
  const auto colour = view_without_memory<Bgr>(size);
  const auto bytes_of = [&](auto&& work) {
    auto dry = Context::dry(Device::host, 3);
    work(dry);
    return dry.workspace_bytes();
  };
  const auto& algorithm = *find_sat_algorithm("host_parallel");
  const Arguments arguments(algorithm.parameters);
  const auto tables = [&](Tables wanted, int times) {
    return bytes_of([&](Context& context) {
      for (int i = 0; i < times; ++i)
        compute_tables(context, algorithm, arguments, wanted, colour, view_without_memory<const std::uint8_t>(size),
                       targets_without_memory(size));
    });
  };
  const auto squares = tables({.squares = true}, 1), channels = tables({.channels = true}, 1);
  EXPECT_GT(squares, 0u);
  EXPECT_GT(channels, 3 * size.pixels());
  EXPECT_EQ(tables({.squares = true, .channels = true}, 1), std::max(squares, channels));
  EXPECT_EQ(tables({.squares = true, .channels = true}, 3), std::max(squares, channels));
  const auto colour_sums = [&](int times) {
    return bytes_of([&](Context& context) {
      for (int i = 0; i < times; ++i)
        compute_sat(context, algorithm, BgrView(colour), view_without_memory<std::uint32_t>(size), arguments);
    });
  };
  EXPECT_GT(colour_sums(1), size.pixels());
  EXPECT_EQ(colour_sums(3), colour_sums(1));
}

TEST(TablesTest, AnAlgorithmOfTheSameDeviceReplacesOneWithoutTheType) {
  for (const auto* algorithm : sat_algorithms())
    for (const auto device : {Device::host, Device::cuda, Device::simulated})
      if (runs_on(*algorithm, device)) {
        const auto& by = table_algorithm(*algorithm, SatType::u8_u64, 100, device);
        EXPECT_TRUE(runs_on(by, device)) << algorithm->name;
        EXPECT_NE(std::ranges::find(by.types, SatType::u8_u64), by.types.end()) << algorithm->name;
      }
}

TEST(TablesTest, AColourImagesSumsAreThoseOfItsLuma) {
  const auto frame = HostFrame::noise({97, 65}, 4);
  const Image<std::uint32_t> sat(frame.size(), Device::host);
  const Arguments none(host_algorithm().parameters);
  const auto run = [&](Context& context) { compute_sat(context, host_algorithm(), frame.colour.view(), sat.view(), none); };
  auto dry = Context::dry(Device::host, 1);
  run(dry);
  const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
  ThreadPool pool(1);
  auto context = Context::on_host(pool, workspace.span());
  run(context);
  expect_same("sum", sat, frame.sat);
}

template <class Sum>
void expect_borders(int width, int height, int count) {
  ThreadPool pool(2);
  auto context = Context::on_host(pool, {});
  const int stride = width + 1, each = stride * height + 2;
  std::vector<Sum> memory(static_cast<std::size_t>(each * count), Sum(7));
  clear_borders(context, ImageView<Sum>{memory.data(), width, height, stride}, {count, 0, each});
  for (int i = 0; i < each * count; ++i) {
    const int x = i % each % stride, y = i % each / stride;
    const bool border = y < height && x < width && (x == 0 || y == 0);
    ASSERT_EQ(memory[static_cast<std::size_t>(i)], border ? Sum(0) : Sum(7)) << i;
  }
}

TEST(TablesTest, BordersOfPaddedTablesBecomeZeros) {
  for (const int count : {1, 3})
    for (const auto& [width, height] : {std::pair{2, 2}, {2, 9}, {9, 2}, {5, 4}}) {
      expect_borders<std::uint32_t>(width, height, count);
      expect_borders<double>(width, height, count);
    }
}

}  // namespace
}  // namespace gpu::test
