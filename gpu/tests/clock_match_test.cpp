#include "gpu/clock_match.h"

#include <gtest/gtest.h>

namespace gpu {
namespace {

TEST(ClockMatchTest, TheTightestBoundHolds) {
  ClockMatch match;
  match.not_before(0, 1000);
  EXPECT_EQ(match.host_time(5), 1005);
  match.not_before(10, 1030);  // it started this late: the clocks differ by 1020
  EXPECT_EQ(match.host_time(10), 1030);
  match.not_before(20, 1025);  // was queued long before the device came to it: says little
  EXPECT_NEAR(match.host_time(20), 1040, 0.01);
  match.not_after(30, 1045);  // seen done
  EXPECT_EQ(match.host_time(30), 1045);
  match.not_after(40, 2000);
  EXPECT_EQ(match.host_time(40), 1055);
}

TEST(ClockMatchTest, ABoundLoosensWithTimeBecauseClocksDrift) {
  ClockMatch match;
  match.not_before(0, 1000);
  match.not_before(1e6, 1e6);  // a second later, and nothing new: 1000 held
  EXPECT_NEAR(match.host_time(1e6), 1e6 + 900, 1e-6);
}

TEST(ClockMatchTest, StartsAnewWithAnotherClock) {
  ClockMatch match;
  match.not_after(0, -5);  // nothing is known that this could bound
  match.not_before(0, 1000);
  match.restart();
  match.not_before(0, 10);
  EXPECT_EQ(match.host_time(1), 11);
}

}  // namespace
}  // namespace gpu
