// The tables of a frame on the GPU, by every algorithm.
#include "gpu/tables/tables.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/tables/tables_cases.h"

namespace gpu::test {
namespace {

class TablesDeviceTest : public NeedsGpu<testing::Test> {};

TEST_F(TablesDeviceTest, AreRightWhateverTheAlgorithm) {
  for (const auto size : table_sizes) {
    const auto frame = HostFrame::noise(size, 3);
    const TableReference expected(frame);
    const auto colour = on_device(frame.colour);
    const auto gray = on_device(frame.gray);
    for (const auto* algorithm : sat_algorithms()) {
      if (algorithm->device != Device::cuda || !why_unavailable(*algorithm).empty()) continue;
      SCOPED_TRACE(std::string(algorithm->name) + " " + std::to_string(size.width) + "x" + std::to_string(size.height));
      const TableCopies copies(size, Device::cuda);
      compute_all_tables(*algorithm, Device::cuda, colour.view(), gray.view(), copies,
                         [](auto workspace) { return Context::on_stream(nullptr, workspace); });
      check(cudaDeviceSynchronize());
      expect_same(copies, expected.copies);
    }
  }
}

// A view's memory: `offset` elements before its first one, and `gap` behind each row. All that is outside has one value.
template <class T>
struct Surroundings {
  Surroundings(Size size, int offset, int gap, T outside)
      : size(size),
        offset(offset),
        stride(size.width + gap),
        values(static_cast<std::size_t>(offset + stride * size.height) + 8, outside) {}

  ImageView<T> view_of(T* memory) const { return {memory + offset, size.width, size.height, stride}; }
  ImageView<T> view() { return view_of(values.data()); }

  Size size;
  int offset;
  std::ptrdiff_t stride;
  std::vector<T> values;
};

// Two images one after another, by one context: of each the table is the host's, and nothing around it is written.
void expect_tilted_is_the_hosts(Size size, int image_offset, int image_gap, int table_offset, int table_gap) {
  SCOPED_TRACE(testing::Message() << size.width << "x" << size.height << ", image " << image_offset << " " << image_gap
                                  << ", table " << table_offset << " " << table_gap);
  ThreadPool pool(1);
  auto host = Context::on_host(pool, {});
  auto dry = Context::dry(Device::cuda);
  compute_tilted(dry, view_without_memory<const std::uint8_t>(size), view_without_memory<std::uint32_t>(size));
  const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
  auto context = Context::on_stream(nullptr, workspace.span());
  std::vector<Surroundings<std::uint32_t>> expected;
  std::vector<Buffer<std::uint8_t>> images;
  std::vector<Buffer<std::uint32_t>> tables;
  for (const unsigned seed : {5u, 6u}) {
    Surroundings<std::uint8_t> image(size, image_offset, image_gap, 255);
    const auto frame = HostFrame::noise(size, seed);
    for (int y = 0; y < size.height; ++y) std::copy_n(frame.gray.view().row(y), size.width, image.view().row(y));
    auto& table = expected.emplace_back(size, table_offset, table_gap, 7u);
    images.push_back(on_device(image.values));
    tables.push_back(on_device(table.values));
    compute_tilted(context, image.view_of(images.back().data()), table.view_of(tables.back().data()));
    compute_tilted(host, image.view(), table.view());
  }
  check(cudaDeviceSynchronize());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto here = from_device(tables[k]);
    const auto wrong = std::ranges::mismatch(here, expected[k].values).in1 - here.begin();
    const auto place = wrong - expected[k].offset;
    ASSERT_EQ(wrong, std::ssize(here)) << "image " << k << ": column " << place % expected[k].stride << " of row "
                                       << place / expected[k].stride;
  }
}

// One band of rows and several, columns of one warp and of several, with edges at all of them.
TEST_F(TablesDeviceTest, TheTiltedTableIsTheHosts) {
  for (const int width : {1, 2, 7, 16, 104, 111, 112, 113, 120, 226})
    for (const int height : {1, 2, 6, 8, 9, 16, 17, 50}) expect_tilted_is_the_hosts({width, height}, 0, 0, 0, 0);
}

TEST_F(TablesDeviceTest, TheTiltedTableIsTheHostsWhereverRowsBegin) {
  for (const Size size : {Size{1, 1}, Size{7, 1}, Size{1, 6}, Size{2, 2}, Size{116, 20}, Size{131, 19}, Size{254, 33}})
    for (const auto& [image_offset, image_gap] : {std::pair(0, 0), {0, 4 - size.width % 4}, {4, 4}, {1, 0}, {3, 5}})
      for (const auto& [table_offset, table_gap] : {std::pair(0, 4 - size.width % 4), {4, 0}, {1, 0}, {3, 5}})
        expect_tilted_is_the_hosts(size, image_offset, image_gap, table_offset, table_gap);
}

// More columns than a block adds up at once, more bands than it has threads for their totals, and lines through more bands
// than a block takes at once.
TEST_F(TablesDeviceTest, TheTiltedTableOfALongImageIsTheHosts) {
  for (const Size size : {Size{2040, 17}, Size{2041, 9}, Size{4500, 33}, Size{30000, 1}, Size{1, 30000}, Size{3, 9001},
                          Size{131, 8193}, Size{1250, 1200}})
    expect_tilted_is_the_hosts(size, 0, 0, 0, 0);
}

TEST_F(TablesDeviceTest, AColourImagesSumsAreThoseOfItsLuma) {
  const auto frame = HostFrame::noise({97, 65}, 4);
  const auto colour = on_device(frame.colour);
  const Image<std::uint32_t> sat(frame.size(), Device::cuda);
  const auto& algorithm = *find_sat_algorithm("1r1w_skss_lb");
  const Arguments arguments(algorithm.parameters);
  const auto run = [&](Context& context) { compute_sat(context, algorithm, colour.view(), sat.view(), arguments); };
  auto dry = Context::dry(Device::cuda);
  run(dry);
  const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
  auto context = Context::on_stream(nullptr, std::span(workspace.data(), workspace.size()));
  run(context);
  check(cudaDeviceSynchronize());
  expect_same("sum", sat, frame.sat);
}

}  // namespace
}  // namespace gpu::test
