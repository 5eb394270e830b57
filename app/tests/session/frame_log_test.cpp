// The history of frames: when a frame is complete, and which frames the figures are about.
#include "app/session/frame_log.h"

#include <gtest/gtest.h>

#include <thread>

#include "app/tests/session/frame_log_example.h"

namespace app {
namespace {

using namespace std::chrono_literals;

TEST_F(FrameLogTest, AFrameIsCompleteWhenItIsPresentedAndItsTimesHaveArrived) {
  frame(1);
  EXPECT_EQ(log.latest().size(), 1u);
  EXPECT_EQ(log.figures().frames, 0u);
  log.take(times_of(1, 30));
  ASSERT_EQ(complete.size(), 1u);
  EXPECT_EQ(complete[0].times.spans.size(), 2u);
  EXPECT_EQ(log.figures().frames, 1u);
  EXPECT_EQ(log.figures().stages.total().last, 30);
  log.take(times_of(2, 40));  // times of the host arrive before the picture is drawn
  made(2);
  EXPECT_EQ(complete.size(), 1u);
  log.drawn();
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[1].times.spans[0].ended, 40) << "not those of another frame";
}

TEST_F(FrameLogTest, EveryFrameGetsItsOwnTimesInAnyOrderOfArrival) {
  for (std::uint64_t id = 1; id <= 4; ++id) frame(id);
  for (const std::uint64_t id : {3u, 1u, 4u, 2u}) log.take(times_of(id, static_cast<double>(id)));
  ASSERT_EQ(complete.size(), 4u);
  for (std::uint64_t id = 1; id <= 4; ++id) {
    EXPECT_EQ(complete[id - 1].id, id);
    EXPECT_EQ(complete[id - 1].times.spans[0].ended, static_cast<double>(id));
    EXPECT_EQ(log.latest()[id - 1].times.id, id);
  }
}

TEST_F(FrameLogTest, TimesThatNeverArriveDelayAFrameOnlyBriefly) {
  for (std::uint64_t id = 1; id <= FrameLog::frames_awaited + 5; ++id) frame(id);
  EXPECT_EQ(complete.size(), 5u);
  EXPECT_EQ(log.figures().untimed, 5u);
  log.flush();
  EXPECT_EQ(complete.size(), FrameLog::frames_awaited + 5);
  EXPECT_EQ(log.figures().stages.frames(), 0u);
}

TEST_F(FrameLogTest, AFrameThatIsNeverDrawnIsNotLogged) {
  made(1);
  made(2);
  log.drawn();
  log.flush();
  ASSERT_EQ(complete.size(), 1u);
  EXPECT_EQ(complete[0].id, 2u);
}

TEST_F(FrameLogTest, FiguresCoverTheFramesSinceTheWorkChanged) {
  for (std::uint64_t id = 1; id <= 3; ++id) frame(id), log.take(times_of(id, 100));
  frame(4);  // its times are still missing
  frame(5, "box_blur");
  log.take(times_of(4, 100));
  log.take(times_of(5, 7));
  ASSERT_EQ(complete.size(), 5u);
  EXPECT_EQ(complete[3].selection->effect->name, "none");
  EXPECT_EQ(complete[3].of_work, 4u);
  EXPECT_EQ(complete[4].of_work, 1u);
  EXPECT_EQ(log.figures().frames, 1u);
  EXPECT_EQ(log.figures().stages.total().max, 7);
  EXPECT_EQ(log.figures().interval_us.count(), 0u) << "the interval is between two selections";
  made(6, "box_blur", {32, 24});
  EXPECT_EQ(log.figures().frames, 0u);
  log.drawn();
  source = std::make_shared<const std::string>("another");
  made(7, "box_blur", {32, 24});
  EXPECT_EQ(log.made_of_work(), 1u);
}

TEST_F(FrameLogTest, AResetAlsoDiscardsFramesInFlight) {
  frame(1);
  log.reset();
  log.take(times_of(1, 100));
  EXPECT_EQ(log.figures().frames, 0u);
  EXPECT_EQ(complete.size(), 1u);
  frame(2);
  log.take(times_of(2, 5));
  EXPECT_EQ(log.figures().frames, 1u);
  EXPECT_EQ(log.figures().stages.total().max, 5);
}

TEST_F(FrameLogTest, IdleTimeOfTheWindowBelongsToNoFrame) {
  for (std::uint64_t id = 1; id <= 3; ++id) frame(id), std::this_thread::sleep_for(2ms);
  std::this_thread::sleep_for(400ms);
  log.begin_turn();
  log.idle();
  frame(4);
  frame(5);
  log.flush();
  ASSERT_EQ(complete.size(), 5u);
  EXPECT_EQ(complete[3].interval_us, 0);
  EXPECT_EQ(log.figures().interval_us.count(), 3u);
  EXPECT_LT(log.figures().interval_us.max(), 300'000);
}

TEST_F(FrameLogTest, WaitingIsNotCountedAsWork) {
  made(1);
  std::this_thread::sleep_for(200ms);
  log.waited(200ms);
  log.drawn();
  log.flush();
  ASSERT_EQ(complete.size(), 1u);
  EXPECT_LT(complete[0].work_us, 150'000);
  EXPECT_GE(complete[0].age_us(), 200'000);
}

TEST_F(FrameLogTest, RatesFallToZeroIfNoFramesArrive) {
  for (std::uint64_t id = 1; id <= 5; ++id) frame(id), std::this_thread::sleep_for(2ms);
  EXPECT_GT(log.pictures_per_second(), 0);
  const auto end = FrameLog::Clock::now() + 1100ms;
  while (FrameLog::Clock::now() < end) std::this_thread::sleep_for(10ms), log.begin_turn(), log.drawn();
  EXPECT_EQ(log.pictures_per_second(), 0);
  EXPECT_GT(log.drawn_per_second(), 0);
}

TEST_F(FrameLogTest, KeepsTheLatestFrames) {
  for (std::uint64_t id = 1; id <= 3 * FrameLog::frames_kept; ++id) frame(id), log.take(times_of(id, 1));
  EXPECT_EQ(log.latest().size(), FrameLog::frames_kept);
  EXPECT_EQ(log.latest().back().id, 3 * FrameLog::frames_kept);
  EXPECT_EQ(log.latest().front().id, 2 * FrameLog::frames_kept + 1);
  EXPECT_EQ(log.figures().frames, 3 * FrameLog::frames_kept) << "the figures cover all of them";
}

}  // namespace
}  // namespace app
