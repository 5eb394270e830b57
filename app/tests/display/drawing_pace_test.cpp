#include "app/display/drawing_pace.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

class DrawingPaceTest : public ::testing::Test {
 protected:
  // A frame is drawn from now on, for that long.
  void draw(std::chrono::milliseconds takes) {
    const auto began = now_;
    now_ += takes;
    pace_.drawn(began, now_);
  }

  DrawingPace pace_;
  DrawingPace::Clock::time_point now_{1h};
};

TEST_F(DrawingPaceTest, UsuallyTheSwapPacesTheLoop) {
  pace_.follow(false, false, 50);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(pace_.swap_may_wait());
    EXPECT_TRUE(pace_.due(now_));
    EXPECT_EQ(pace_.patience(4ms, now_), 4ms);
    draw(30ms);
  }
}

TEST_F(DrawingPaceTest, WhereEveryFrameIsNeededTheMonitorsRateIsTheLimit) {
  pace_.follow(false, true, 50);
  EXPECT_FALSE(pace_.swap_may_wait());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pace_.due(now_));
    EXPECT_EQ(pace_.patience(4ms, now_), 0ms);
    draw(2ms);
    EXPECT_FALSE(pace_.due(now_));
    EXPECT_EQ(pace_.patience(4ms, now_), 18ms);
    now_ += 17ms;
    EXPECT_FALSE(pace_.due(now_));
    now_ += 1ms;
  }
}

TEST_F(DrawingPaceTest, ASlowDisplayHasHalfOfTheTime) {
  pace_.follow(false, true, 50);
  draw(30ms);
  EXPECT_EQ(pace_.patience(4ms, now_), 30ms);
  now_ += 29ms;
  EXPECT_FALSE(pace_.due(now_));
  now_ += 1ms;
  EXPECT_TRUE(pace_.due(now_));
  draw(1000ms);
  EXPECT_EQ(pace_.patience(4ms, now_), 50ms) << "input is looked at meanwhile";
  now_ += 499ms;
  EXPECT_FALSE(pace_.due(now_));
  now_ += 1ms;
  EXPECT_TRUE(pace_.due(now_)) << "a frame is seen from time to time, however long it takes";
}

TEST_F(DrawingPaceTest, AnIconifiedWindowIsNeverDrawn) {
  for (const bool every_frame : {false, true}) {
    pace_.follow(true, every_frame, 50);
    EXPECT_FALSE(pace_.due(now_ + 10s));
    EXPECT_EQ(pace_.patience(4ms, now_), 50ms);
    pace_.follow(false, every_frame, 50);
    EXPECT_TRUE(pace_.due(now_ + 10s));
  }
}

TEST_F(DrawingPaceTest, WithoutARateItIsThatOfMostMonitors) {
  pace_.follow(false, true, 0);
  draw(0ms);
  now_ += 16ms;
  EXPECT_FALSE(pace_.due(now_));
  now_ += 1ms;
  EXPECT_TRUE(pace_.due(now_));
}

}  // namespace
}  // namespace app
