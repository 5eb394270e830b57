#include "app/output/video_clock.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

const VideoClock::Clock::time_point start{};

TEST(VideoClockTest, FollowsTheSourceWhileItPlays) {
  VideoClock clock(true, 25);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 7}, 1, start), 0);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 7.5}, 1, start + 3s), 0.5);  // read late: the source's clock counts
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 8}, 0.5, start + 4s), 1.5);  // at half its speed
}

TEST(VideoClockTest, CountsRealTimeWhereTheSourceJumpsOrStandsStill) {
  VideoClock clock(true, 25);
  clock.picture({1, 0, 7}, 1, start);
  EXPECT_DOUBLE_EQ(clock.picture({1, 1, 7.04}, 1, start + 2s), 2);  // sought
  EXPECT_DOUBLE_EQ(clock.picture({2, 1, 7.08}, 1, start + 3s), 3);  // another source
  EXPECT_DOUBLE_EQ(clock.picture({2, 1, 7.08}, 1, start + 4s), 4);  // the same picture with another effect
  EXPECT_DOUBLE_EQ(clock.hold(start + 10s), 10);
  EXPECT_DOUBLE_EQ(clock.hold(start + 12s), 12);
  EXPECT_DOUBLE_EQ(clock.picture({2, 1, 7.12}, 1, start + 12s), 12.04);  // it goes on
}

TEST(VideoClockTest, PausesOfALiveSourceCountOnce) {
  VideoClock clock(true, 25);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 7, true}, 1, start), 0);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 17, true}, 1, start + 10s), 10);  // none came
  EXPECT_DOUBLE_EQ(clock.hold(start + 12s), 12);                          // the user paused it
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 20, true}, 1, start + 13s), 13);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 20.5, true}, 1, start + 14s), 13.5);
}

TEST(VideoClockTest, WithoutRealTimeAJumpTakesOnePicture) {
  VideoClock clock(false, 25);
  clock.picture({1, 0, 7}, 1, start);
  EXPECT_DOUBLE_EQ(clock.picture({1, 1, 3}, 1, start + 2s), 0.04);
  EXPECT_DOUBLE_EQ(clock.hold(start + 10s), 0.04);
}

}  // namespace
}  // namespace app
