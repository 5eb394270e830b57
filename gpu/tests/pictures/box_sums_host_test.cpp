// Sums of boxes on the host, and what is refused.
#include "gpu/execution/thread_pool.h"
#include "gpu/tests/pictures/box_sums_cases.h"
#include "gpu/tests/refusal.h"

namespace gpu::test {
namespace {

TEST(BoxSumsHostTest, AreTheSumsOfThePixels) {
  ThreadPool pool(2);
  auto context = Context::on_host(pool, {});
  expect_box_sums(context, Device::host);
}

TEST(BoxSumsHostTest, NeedNoScratchMemoryAndAreOneLaunch) {
  auto dry = Context::dry(Device::cuda);
  const ImageView<double> sums{nullptr, 1, 5000, 1};
  sum_boxes(dry, view_without_memory<const double>({640, 480}), false, {nullptr, 5000}, sums);
  EXPECT_EQ(dry.workspace_bytes(), 0u);
  ASSERT_EQ(dry.launches().size(), 1u);
  EXPECT_EQ(dry.launches()[0].name, "box sums");
}

TEST(BoxSumsHostTest, WhatIsRefused) {
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  std::vector<std::uint32_t> memory(200);
  std::vector<std::int32_t> list(40);
  const ImageView<const std::uint32_t> table{memory.data(), 10, 10, 10};
  const auto refused = [&](const AnyConstImageView& of, bool padded, const Boxes& boxes, const AnyImageView& sums,
                           const std::string& says) {
    expect_refused([&] { sum_boxes(context, of, padded, boxes, sums); }, says);
  };
  const auto sums_at = [&](std::size_t at, int count, int stride = 1) {
    return ImageView<std::uint32_t>{memory.data() + at, 1, count, stride};
  };
  const Boxes boxes{list.data(), 10};
  sum_boxes(context, table, false, boxes, sums_at(100, 10));
  sum_boxes(context, table, false, {}, ImageView<std::uint32_t>{nullptr, 1, 0, 1});
  refused(table, false, boxes, sums_at(100, 9), "10 boxes, and memory for 9 sums");
  refused(table, false, boxes, sums_at(95, 10), "the sums overlap the table");
  refused(table, false, {memory.data() + 100, 10}, sums_at(100, 10), "the list of boxes");
  refused(table, false, boxes, sums_at(100, 10, 0), "a row of the sums has 4 bytes");
  refused(table, false, {list.data(), 10, 3}, sums_at(100, 10), "a row of the list of boxes has 16 bytes");
  refused(table, false, {list.data() + 1, 4, 4, true}, sums_at(100, 4), "multiple of 8 bytes");
  refused(table, false, {nullptr, 10}, sums_at(100, 10), "the list of boxes has no memory");
  refused(ImageView<const std::uint32_t>{memory.data(), 1, 10, 10}, true, boxes, sums_at(100, 10), "at least two columns");
  refused(ImageView<const std::uint32_t>{memory.data(), 10, 1, 10}, true, boxes, sums_at(100, 10), "at least two columns");
  refused(ImageView<const std::uint8_t>{nullptr, 10, 10, 10}, false, boxes, sums_at(100, 10),
          "no table has sums of 8 or 16 bits");
  refused(table, false, boxes, ImageView<std::uint32_t>{memory.data() + 100, 2, 10, 2}, "10 boxes, and memory for 10 sums");
  refused(ImageView<const std::uint32_t>{memory.data(), 0, 10, 10}, false, boxes, sums_at(100, 10), "the table is empty");
  refused(table, false, boxes, ImageView<float>{reinterpret_cast<float*>(memory.data() + 100), 1, 10, 1}, "different types");
}

}  // namespace
}  // namespace gpu::test
