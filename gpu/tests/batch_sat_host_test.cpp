// Batches: what takes them needs no scratch memory and as many launches as one image; and the borders of padded tables on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "gpu/sat.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"

namespace gpu {
namespace {

TEST(BatchSatHostTest, NoScratchMemoryAndTheLaunchesOfOneImage) {
  int found = 0;
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->run_batch) continue;
    ++found;
    const Arguments arguments(algorithm->parameters);
    for (const auto type : algorithm->types) {
      const auto image = view_without_memory({640, 480}, info(type).input),
                 sat = view_without_memory({640, 480}, info(type).sum);
      auto one = Context::dry(Device::cuda), many = Context::dry(Device::cuda);
      algorithm->run(one, image, sat, arguments);
      algorithm->run_batch(many, image, sat, arguments, {1000, 640 * 480, 640 * 480});
      EXPECT_EQ(many.workspace_bytes(), 0u);
      ASSERT_EQ(many.launches().size(), one.launches().size());
      for (std::size_t i = 0; i < many.launches().size(); ++i) EXPECT_EQ(many.launches()[i].name, one.launches()[i].name);
    }
  }
  EXPECT_GE(found, 1);
}

TEST(BatchSatHostTest, TheMostImagesHaveRowsOfBlocksThatCanBeCounted) {
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->run_batch) continue;
    auto context = Context::dry(Device::cuda);
    algorithm->run_batch(context, view_without_memory({1, 1}, ElementType::u8),
                         view_without_memory({1, 1}, ElementType::u32), Arguments(algorithm->parameters),
                         {ImageBatch::most_images, 1, 1});
    for (const auto& launch : context.launches()) {
      const auto y = launch.shape.grid.y, z = launch.shape.grid.z;
      EXPECT_LE(std::max(y, z), 65535u) << launch.name;
      EXPECT_GE(std::uint64_t{y} * z, std::uint64_t{ImageBatch::most_images}) << launch.name;
      EXPECT_LE(std::uint64_t{y} * z, std::uint64_t{std::numeric_limits<int>::max()}) << launch.name;
    }
  }
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

TEST(BatchSatHostTest, BordersBecomeZeros) {
  for (const int count : {1, 3})
    for (const auto& [width, height] : {std::pair{2, 2}, {2, 9}, {9, 2}, {5, 4}}) {
      expect_borders<std::uint32_t>(width, height, count);
      expect_borders<double>(width, height, count);
    }
}

}  // namespace
}  // namespace gpu
