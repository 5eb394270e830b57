// The look-back protocol with threads for blocks: the walk is the GPU's own (look_back_walk.h), a slot is one atomic word
// as there, places are handed out by a counter as there. What it proves on any machine, also under ThreadSanitizer:
// carries are right in whatever order blocks run, every walk ends however few run at once, and all that a later block
// reads of an earlier one it reads through the slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "gpu/sat/look_back_walk.h"
#include "gpu/sat/tile_order.cuh"

namespace gpu::sat {
namespace {

// Status and value in one word, published and read by one relaxed instruction.
class ModelSlot {
 public:
  void publish(Status status, std::uint32_t value) {
    word_.store(static_cast<std::uint64_t>(status) << 32 | value, std::memory_order_relaxed);
  }
  Published<std::uint32_t> read() const {
    const auto word = word_.load(std::memory_order_relaxed);
    if (word == 0) std::this_thread::yield();  // so that one processor is enough
    return {static_cast<std::uint32_t>(word), static_cast<Status>(word >> 32)};
  }

 private:
  std::atomic<std::uint64_t> word_{0};
};

std::uint32_t part_of(int number) { return static_cast<std::uint32_t>(number) * 2654435761u ^ 0x9e3779b9u; }

// Blocks of uneven length: now and then one dawdles, so that others overtake it.
void dawdle(int number) {
  for (std::uint32_t i = 0; i < part_of(number) % 7; ++i)
    if (part_of(number) % 5 == 0) std::this_thread::yield();
}

// One block's whole part in a line, as carry_along() has it.
std::uint32_t carry_along(std::vector<ModelSlot>& slots, int place, int predecessors, int step, std::uint32_t local) {
  auto& mine = slots[static_cast<std::size_t>(place)];
  if (predecessors > 0) mine.publish(Status::local, local);
  const auto carry = look_back<std::uint32_t>(
      predecessors, [&](int d) { return &slots[static_cast<std::size_t>(place - d * step)]; });
  mine.publish(Status::global, carry + local);
  return carry;
}

// `threads` at once take numbers 0 .. count - 1 in turn and call block(number).
template <class Block>
void run_blocks(int threads, int count, const Block& block) {
  std::atomic<int> next{0};
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      for (int number; (number = next.fetch_add(1, std::memory_order_relaxed)) < count;) block(number);
    });
  for (auto& thread : pool) thread.join();
}

class LookBackModel : public testing::TestWithParam<int> {};

TEST_P(LookBackModel, FindsTheSumOfAllBefore) {
  constexpr int count = 400;
  std::vector<std::uint32_t> expected(count);
  for (int i = 1; i < count; ++i) expected[static_cast<std::size_t>(i)] = expected[static_cast<std::size_t>(i - 1)] + part_of(i - 1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<ModelSlot> slots(count);
    std::vector<std::uint32_t> carries(count);
    run_blocks(GetParam(), count, [&](int number) {
      dawdle(number + repeat);
      carries[static_cast<std::size_t>(number)] = carry_along(slots, number, number, 1, part_of(number));
    });
    ASSERT_EQ(carries, expected) << "repeat " << repeat;
  }
}

// 1R1W-SKSS-LB's three look-backs on a grid of tiles, each tile one number, in diagonal-major order.
TEST_P(LookBackModel, ThreeLinesMeetInATile) {
  constexpr int rows = 13, columns = 17;
  std::vector<std::uint32_t> expected(rows * columns);
  for (int I = 0; I < rows; ++I)
    for (int J = 0; J < columns; ++J) {
      std::uint32_t sum = 0;
      for (int i = 0; i <= I; ++i)
        for (int j = 0; j <= J; ++j) sum += part_of(i * columns + j);
      expected[static_cast<std::size_t>(I * columns + J)] = sum;
    }
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<ModelSlot> row(rows * columns), column(rows * columns), corner(rows * columns);
    std::vector<std::uint32_t> table(rows * columns);
    run_blocks(GetParam(), rows * columns, [&](int serial) {
      const auto [I, J] = diagonal_major(serial, rows, columns);
      const int tile = I * columns + J;
      dawdle(tile + repeat);
      const auto local = part_of(tile);
      const auto above = carry_along(column, tile, I, columns, local);
      const auto left = carry_along(row, tile, J, 1, local);
      const auto before = carry_along(corner, tile, std::min(I, J), columns + 1, above + left + local);
      table[static_cast<std::size_t>(tile)] = before + above + left + local;
    });
    ASSERT_EQ(table, expected) << "repeat " << repeat;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, LookBackModel, testing::Values(1, 2, 3, 8));

// The walk alone, on slots that stand still.
TEST(LookBackWalk, StopsAtTheFirstGlobalSum) {
  std::vector<ModelSlot> slots(10);
  slots[3].publish(Status::global, 1000);
  for (int i = 0; i < 3; ++i) slots[static_cast<std::size_t>(i)].publish(Status::local, 7);  // never to be read for the sum
  for (int i = 4; i < 9; ++i) slots[static_cast<std::size_t>(i)].publish(Status::local, 1);
  const auto slot = [&](int d) { return &slots[static_cast<std::size_t>(9 - d)]; };
  EXPECT_EQ(look_back<std::uint32_t>(9, slot), 1005u);
  EXPECT_EQ((look_back<std::uint32_t, 1>(9, slot)), 1005u);
  EXPECT_EQ(look_back<std::uint32_t>(3, slot), 3u);  // the line begins there
  EXPECT_EQ(look_back<std::uint32_t>(0, slot), 0u);
}

}  // namespace
}  // namespace gpu::sat
