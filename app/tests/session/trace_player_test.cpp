// The player of a tile trace, with the settings that the panel changes.
#include "app/session/trace_player.h"

#include <gtest/gtest.h>

#include "app/control/change.h"
#include "app/tests/pipeline/tile_example.h"

namespace app {
namespace {

class TracePlayerTest : public testing::Test {
 protected:
  void draw(double seconds) { player_.update(trace_, settings_, seconds); }
  // As the panel's button does at the end.
  void press_play() {
    apply(settings_, Change{"trace_at", "0"}, {});
    apply(settings_, Change{"trace_play", "on"}, {});
  }

  Settings settings_;  // one play takes 6 s
  TracePlayer player_;
  TracePlayer::Trace trace_ = std::make_shared<TileHistory>(example_history());
};

TEST_F(TracePlayerTest, AtTheEndItStopsAndPlayBeginsAgainAsOftenAsWanted) {
  for (int play = 0; play < 3; ++play) {
    draw(0);
    EXPECT_EQ(player_.position(), 0) << play;
    draw(3);
    EXPECT_DOUBLE_EQ(player_.position(), 0.5) << play;
    EXPECT_TRUE(player_.plays(trace_, settings_));
    draw(4);
    EXPECT_EQ(player_.position(), 1) << play;
    EXPECT_FALSE(settings_.trace_play);
    EXPECT_EQ(settings_.trace_at, 1);
    EXPECT_FALSE(player_.plays(trace_, settings_));
    draw(1);
    EXPECT_EQ(player_.position(), 1);
    press_play();
  }
}

TEST_F(TracePlayerTest, WithoutATraceNothingPlaysOrEnds) {
  trace_ = nullptr;
  for (int i = 0; i < 3; ++i) draw(9);
  EXPECT_EQ(settings_, Settings());
  EXPECT_FALSE(player_.plays(trace_, settings_));
}

TEST_F(TracePlayerTest, ALoopHasNoEnd) {
  settings_.trace_loop = true;
  draw(0);
  draw(7.5);
  EXPECT_DOUBLE_EQ(player_.position(), 0.25);
  EXPECT_TRUE(settings_.trace_play);
}

TEST_F(TracePlayerTest, StoppedTheSettingsSayWhichMomentIsShown) {
  draw(0);
  draw(1.5);
  settings_.trace_play = false;
  draw(1);
  EXPECT_DOUBLE_EQ(player_.position(), 0.25);
  EXPECT_DOUBLE_EQ(settings_.trace_at, 0.25);
  settings_.trace_at = 0.75;
  draw(1);
  EXPECT_DOUBLE_EQ(player_.position(), 0.75);
}

TEST_F(TracePlayerTest, TheNextTracePlaysUnlessTheUserStoppedTheOneBefore) {
  draw(0);
  draw(9);
  ASSERT_FALSE(settings_.trace_play);
  trace_ = std::make_shared<TileHistory>(example_history());
  EXPECT_TRUE(player_.plays(trace_, settings_)) << "the window draws it without an input";
  draw(1);
  EXPECT_TRUE(settings_.trace_play);
  EXPECT_EQ(player_.position(), 0);
  draw(9);
  settings_.trace_at = 0.5;
  draw(1);
  trace_ = std::make_shared<TileHistory>(example_history());
  draw(1);
  EXPECT_FALSE(settings_.trace_play);
  EXPECT_EQ(player_.position(), 0.5);
}

TEST_F(TracePlayerTest, OneThatIsStoppedAtItsStartIsStopped) {
  draw(0);
  draw(9);
  trace_ = std::make_shared<TileHistory>(example_history());
  draw(1);
  ASSERT_TRUE(settings_.trace_play);
  settings_.trace_play = false;
  draw(1);
  trace_ = std::make_shared<TileHistory>(example_history());
  draw(1);
  EXPECT_FALSE(settings_.trace_play);
}

}  // namespace
}  // namespace app
