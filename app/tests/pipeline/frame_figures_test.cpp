// Statistics over frames: what a mix of timed and untimed ones gives.
#include "app/pipeline/frame_figures.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace app {
namespace {

FrameRecord frame_of(std::uint64_t id, bool timed) {
  FrameRecord record;
  record.id = id;
  record.interval_us = 100;
  record.work_us = 20;
  record.times.timed = timed;
  record.times.timing_us = 10;
  record.times.points = 4;
  record.times.paths = std::make_shared<std::vector<std::string>>(std::initializer_list<std::string>{"luma"});
  if (timed) record.times.spans = {{0, -1, 0, 0, 50, true}};
  return record;
}

TEST(FrameFiguresTest, UntimedFramesCountButHaveNoTimesOfStages) {
  FrameFigures figures;
  for (std::uint64_t id = 3; id < 11; ++id) figures.add(frame_of(id, id < 5));
  EXPECT_EQ(figures.frames, 8u);
  EXPECT_EQ(figures.first, 3u);
  EXPECT_EQ(figures.last, 10u);
  EXPECT_EQ(figures.untimed, 6u);
  EXPECT_EQ(figures.points, 8u);
  EXPECT_EQ(figures.stages.frames(), 2u);
  EXPECT_EQ(figures.interval_us.count(), 8u);
  EXPECT_DOUBLE_EQ(figures.fps(), 1e4);
}

TEST(FrameFiguresTest, TheShareOfTheTimingIsOfAllFrames) {
  FrameFigures figures;
  EXPECT_EQ(figures.timing_share(), 0);
  for (const bool timed : {true, true}) figures.add(frame_of(figures.frames, timed));
  EXPECT_DOUBLE_EQ(figures.timing_share(), 0.1);
  for (int untimed = 0; untimed < 6; ++untimed) figures.add(frame_of(figures.frames, false));
  EXPECT_DOUBLE_EQ(figures.timing_share(), 0.025) << "10 of 100 us, in a quarter of the frames";
}

}  // namespace
}  // namespace app
