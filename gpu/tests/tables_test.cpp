// The tables of a frame on the host, and which algorithms compute them.
#include "gpu/tables.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/tests/tables_cases.h"
#include "gpu/thread_pool.h"

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
