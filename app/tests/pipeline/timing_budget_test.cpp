#include "app/pipeline/pipeline.h"
#include "gpu/timeline.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;
constexpr TimingBudget::Clock::time_point start{};

// Of `frames` frames, how many are timed if timing one takes `cost` microseconds and frames begin every `interval`.
int timed(TimingBudget& budget, int frames, double cost, std::chrono::microseconds interval) {
  int count = 0;
  for (int i = 0; i < frames; ++i) {
    if (!budget.affords(start + i * interval)) continue;
    budget.spend(cost);
    ++count;
  }
  return count;
}

TEST(TimingBudgetTest, TimesEveryFrameIfThatCostsLessThanTheShare) {
  TimingBudget budget(0.03);
  EXPECT_EQ(timed(budget, 10'000, 20, 700us), 10'000);
}

TEST(TimingBudgetTest, LeavesOutAsManyFramesAsNeeded) {
  TimingBudget budget(0.03);
  constexpr int frames = 10'000, cost = 42, interval = 700, first = 2000;
  const auto spent = timed(budget, frames, cost, std::chrono::microseconds(interval)) * cost;
  EXPECT_LE(spent, 0.03 * frames * interval + first + cost);
  EXPECT_GE(spent, 0.03 * frames * interval) << "and no more";
}

TEST(TimingBudgetTest, TimesTheFirstFramesOfARun) {
  TimingBudget budget(0.03);
  EXPECT_EQ(timed(budget, 50, 40, 1us), 50);
}

TEST(TimingBudgetTest, IdleTimeDoesNotAddUp) {
  TimingBudget budget(0.03);
  EXPECT_TRUE(budget.affords(start + 1h));
  EXPECT_TRUE(budget.affords(start + 2h));
  budget.spend(2000);
  EXPECT_FALSE(budget.affords(start + 2h));
}

TEST(TimingBudgetTest, OneInterruptionIsNotPaidForLong) {
  TimingBudget budget(0.03);
  EXPECT_TRUE(budget.affords(start));
  budget.spend(1e6);
  EXPECT_FALSE(budget.affords(start + 1ms));
  EXPECT_TRUE(budget.affords(start + 100ms));
}

TEST(TimingBudgetTest, EveryLaunchIsTimedWhateverItCosts) {
  TimingBudget budget(0.03), unlimited(1);
  for (auto* each : {&budget, &unlimited}) {
    EXPECT_EQ(each->detail(TimingChoice::off, start), gpu::TimingDetail::off);
    EXPECT_EQ(each->detail(TimingChoice::frame, start), gpu::TimingDetail::frame);
    EXPECT_EQ(each->detail(TimingChoice::kernels, start), gpu::TimingDetail::launches);
    each->spend(1e6);
    EXPECT_EQ(each->detail(TimingChoice::every, start), gpu::TimingDetail::launches);
  }
  EXPECT_EQ(budget.detail(TimingChoice::kernels, start), gpu::TimingDetail::off);
  EXPECT_EQ(unlimited.detail(TimingChoice::kernels, start), gpu::TimingDetail::launches);
}

}  // namespace
}  // namespace app
