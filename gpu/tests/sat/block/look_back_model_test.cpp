// The look-back protocol with threads as blocks. As on the GPU, the walk is that of look_back_walk.h, a slot is one atomic
// word, and a counter assigns the positions. The tests show on any machine, also under ThreadSanitizer: carries are correct
// for every order of blocks, every walk ends for every number of concurrent blocks, and a later block reads the data of
// an earlier one only through the slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/tile_order.cuh"

namespace gpu::sat {
namespace {

// Status and value in one word, published and read by one relaxed instruction.
class ModelSlot {
 public:
  void publish(Status status, std::uint32_t value) {
    word_.store(static_cast<std::uint64_t>(status) << 32 | value, std::memory_order_relaxed);
  }
  Published<std::uint32_t> read() const { return published(load()); }
  std::uint64_t load() const {
    const auto word = word_.load(std::memory_order_relaxed);
    if (word == 0) std::this_thread::yield();  // so that one processor is enough
    return word;
  }
  static Published<std::uint32_t> published(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<Status>(word >> 32)};
  }

 private:
  std::atomic<std::uint64_t> word_{0};
};

std::uint32_t part_of(int number) { return static_cast<std::uint32_t>(number) * 2654435761u ^ 0x9e3779b9u; }

// Blocks of different durations: some are delayed, so that others overtake them.
void dawdle(int number) {
  for (std::uint32_t i = 0; i < part_of(number) % 7; ++i)
    if (part_of(number) % 5 == 0) std::this_thread::yield();
}

// `threads` concurrent threads take the numbers 0 .. count - 1 in turn and call block(number).
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

class LookBackModelTest : public testing::TestWithParam<int> {};

TEST_P(LookBackModelTest, FindsTheSumOfAllPredecessors) {
  constexpr int count = 400;
  std::vector<std::uint32_t> expected(count);
  for (std::size_t i = 1; i < count; ++i) expected[i] = expected[i - 1] + part_of(static_cast<int>(i) - 1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<ModelSlot> slots(count);
    std::vector<std::uint32_t> carries(count);
    run_blocks(GetParam(), count, [&](int number) {
      dawdle(number + repeat);
      carries[static_cast<std::size_t>(number)] = carry_along(&slots[static_cast<std::size_t>(number)], part_of(number),
                                                              number, 1);
    });
    ASSERT_EQ(carries, expected) << "repeat " << repeat;
  }
}

// 1R1W-SKSS-LB's three look-backs on a grid of tiles, each tile one number, in diagonal-major order.
TEST_P(LookBackModelTest, EachTileLooksBackAlongThreeLines) {
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
      const int number = I * columns + J;
      const auto tile = static_cast<std::size_t>(number);
      dawdle(number + repeat);
      const auto local = part_of(number);
      const auto above = carry_along(&column[tile], local, I, columns);
      const auto left = carry_along(&row[tile], local, J, 1);
      const auto before = carry_along(&corner[tile], above + left + local, std::min(I, J), columns + 1);
      table[tile] = before + above + left + local;
    });
    ASSERT_EQ(table, expected) << "repeat " << repeat;
  }
}

// decoupled_fallback in one direction: the last block starts first, and no more run than there are threads. Who waits too
// long does the work of all before it that have not come.
TEST_P(LookBackModelTest, BlocksDoTheWorkOfThoseThatDoNotCome) {
  constexpr int count = 60;
  std::vector<std::uint32_t> expected(count);
  for (int k = 1; k < count; ++k)
    expected[static_cast<std::size_t>(k)] = expected[static_cast<std::size_t>(k) - 1] + part_of(k - 1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<ModelSlot> slots(count);
    std::vector<std::uint32_t> carries(count);
    run_blocks(GetParam(), count, [&](int serial) {
      const int own = count - 1 - serial;
      const auto slot = [&](int k) { return &slots[static_cast<std::size_t>(k)]; };
      auto& carry = carries[static_cast<std::size_t>(own)];
      PollBudget budget{repeat % 4};
      carry = carry_along_observed(Unobserved{}, slot(own), part_of(own), own, 1, budget);
      if (!budget.spent()) return;
      for (int k = 0; k <= own; ++k)
        if (k == own || slot(k)->read().status != Status::global) carry = carry_along(slot(k), part_of(k), k, 1);
    });
    ASSERT_EQ(carries, expected) << "repeat " << repeat;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, LookBackModelTest, testing::Values(1, 2, 3, 8));

// The walk alone, on slots that do not change.
TEST(LookBackModelWalkTest, StopsAtTheFirstGlobalSum) {
  std::vector<ModelSlot> slots(10);
  slots[3].publish(Status::global, 1000);
  for (std::size_t i = 0; i < 3; ++i) slots[i].publish(Status::local, 7);  // must not enter the sum
  for (std::size_t i = 4; i < 9; ++i) slots[i].publish(Status::local, 1);
  const auto slot = [&](int d) { return &slots[static_cast<std::size_t>(9 - d)]; };
  EXPECT_EQ(look_back<std::uint32_t>(9, slot), 1005u);
  EXPECT_EQ((look_back<std::uint32_t, 1>(9, slot)), 1005u);
  EXPECT_EQ(look_back<std::uint32_t>(3, slot), 3u);  // the line begins there
  EXPECT_EQ(look_back<std::uint32_t>(0, slot), 0u);
}

TEST(LookBackModelWalkTest, TellsAfterEachSumHowFarItHasCome) {
  std::vector<ModelSlot> slots(10);
  for (std::size_t i = 4; i < 10; ++i) slots[i].publish(Status::local, 1);
  slots[3].publish(Status::global, 1000);
  std::vector<int> told;
  const auto tell = [&](int d) { told.push_back(d); };
  const auto slot = [&](int d) { return &slots[static_cast<std::size_t>(9 - d)]; };
  look_back<std::uint32_t, 4>(9, slot, tell);
  EXPECT_EQ(told, (std::vector{1, 2, 3, 4, 5, 6}));
  told.clear();
  look_back<std::uint32_t>(0, slot, tell);
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(carry_along_observed(tell, &slots[9], 5u, 5, 1), 5u);
  EXPECT_EQ(told.back(), 5);
  EXPECT_EQ(slots[9].read().value, 10u);
}

TEST(LookBackModelWalkTest, EndsWhenTheBudgetIsSpent) {
  std::vector<ModelSlot> slots(4);
  for (std::size_t i = 1; i < 3; ++i) slots[i].publish(Status::local, 7);  // nothing comes of slot 0
  const auto slot = [&](int d) { return &slots[static_cast<std::size_t>(3 - d)]; };
  PollBudget budget{5};
  EXPECT_EQ(look_back<std::uint32_t>(2, slot, Unobserved{}, budget), 14u);
  EXPECT_FALSE(budget.spent());
  EXPECT_EQ(budget.polls, 0) << "it found something each time";
  EXPECT_EQ(look_back<std::uint32_t>(3, slot, Unobserved{}, budget), 14u);
  EXPECT_TRUE(budget.spent());

  budget.polls = 0;
  carry_along_observed(Unobserved{}, &slots[3], 1u, 3, 1, budget);
  EXPECT_TRUE(budget.spent());
  EXPECT_EQ(slots[3].read().status, Status::local) << "a part of the carry was published";
}

// The step of a warp for its 32 slots, compared with the definition: from the nearest slot on, add up to the first global
// sum; wait if there is an empty slot before it.
std::uint32_t lanes_to_add_by_definition(std::uint32_t globals, std::uint32_t empties) {
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (empties >> lane & 1) return 0;
    lanes |= 1u << lane;
    if (globals >> lane & 1) break;
  }
  return lanes;
}

TEST(LookBackModelWalkTest, WarpAddsUpToTheFirstGlobalSum) {
  static_assert(lanes_to_add(0, 0) == ~0u);          // 32 local sums: all, and continue
  static_assert(lanes_to_add(0, 0x80000000u) == 0);  // the farthest is missing
  static_assert(lanes_to_add(0x80000000u, 0) == ~0u);
  static_assert(lanes_to_add(0x80000000u, 0x40000000u) == 0);
  static_assert(lanes_to_add(1, ~1u) == 1);                // slots behind a global sum do not matter
  static_assert(lanes_to_add(0x50, 0xffffff80u) == 0x1f);  // the nearer of two
  static_assert(lanes_to_add(0x50, 0x20) == 0x1f);
  static_assert(lanes_to_add(0x50, 0x08) == 0);
  // All states of the seven nearest slots, and of seven around each position, among local sums and among global ones.
  for (int place = 0; place + 7 <= 32; ++place)
    for (int code = 0; code < 2187; ++code) {
      std::uint32_t globals = 0, empties = 0;
      for (int i = place, rest = code; i < place + 7; ++i, rest /= 3) {
        if (rest % 3 == 1) globals |= 1u << i;
        if (rest % 3 == 2) empties |= 1u << i;
      }
      const std::uint32_t behind = place + 7 < 32 ? ~0u << (place + 7) : 0;
      ASSERT_EQ(lanes_to_add(globals, empties), lanes_to_add_by_definition(globals, empties)) << place << ", " << code;
      ASSERT_EQ(lanes_to_add(globals | behind, empties), lanes_to_add_by_definition(globals | behind, empties));
      ASSERT_EQ(lanes_to_add(globals, empties | behind), lanes_to_add_by_definition(globals, empties | behind));
    }
}

}  // namespace
}  // namespace gpu::sat
