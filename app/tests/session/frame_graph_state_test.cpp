// What the frame graph shows and where: columns of frames, zoom levels, the scale, the target, the histogram.
#include "app/session/frame_graph_state.h"

#include <gtest/gtest.h>

namespace app {
namespace {

class FrameGraphTest : public testing::Test {
 protected:
  void add(std::uint64_t count, bool complete = true) {
    for (std::uint64_t i = 0; i < count; ++i) {
      FrameRecord frame;
      frame.id = ++id_;
      frame.work_number = id_ <= 50 ? 1 : 2;
      frame.work_us = static_cast<double>(id_ % 10) * 1000;
      history.add(frame);
      if (complete) complete_one();
    }
  }
  void complete_one() {
    FrameTimes times;
    times.id = ++completed_;
    times.work_us = static_cast<double>(completed_ % 10) * 1000;
    times.timed = true;
    times.device.computing = static_cast<double>(completed_ % 7) + 1;
    history.complete(times);
  }

  FrameHistory history;
  GraphColumns columns;

 private:
  std::uint64_t id_ = 0, completed_ = 0;
};

TEST(FrameGraphTargetTest, ItFollowsTheSourceAsItPlays) {
  Settings settings;
  capture::Status source;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 1000.0 / 60) << "no rate is known";
  source.fps = 25;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 40);
  settings.speed = 2;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 20);
  EXPECT_EQ(target_origin(settings, source), "the source's rate, played at 2x");
  settings.speed = 0.25;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 160);
  settings.max_speed = true;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 40) << "the speed is not that of the settings";
  settings.target_ms = 8;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 8) << "chosen";
}

TEST(FrameGraphLateTest, WhatFramesWaitForIsSaidAsFarAsItIsKnown) {
  FrameFigures figures;
  const auto summary_of = [&](double interval, double work, std::uint64_t dropped) {
    figures = {};
    for (std::uint64_t id = 1; id <= 20; ++id) {
      FrameTimes frame;
      frame.id = id;
      frame.dropped_before = id > 1 ? dropped : 0;
      frame.interval_us = interval * 1000;
      frame.work_us = work * 1000;
      figures.add(frame);
    }
    return summarise(figures, GraphShows::kernels, 40);
  };
  const std::string start = "Frames take 170 ms, computing 5.7: ";
  EXPECT_EQ(why_late(summary_of(170, 20, 4), 5.7, 40, false), start + "the window waits for the display");
  EXPECT_EQ(why_late(summary_of(170, 20, 4), 5.7, 40, true), start + "the window waits for the processor, which draws it");
  EXPECT_EQ(why_late(summary_of(170, 20, 0), 5.7, 40, true), start + "the window waits for the source or the display");
  EXPECT_EQ(why_late(summary_of(170, 120, 4), 5.7, 40, true), start + "the processor works 120 for the window");
  EXPECT_EQ(why_late(summary_of(170, 20, 4), 60, 40, true), "") << "computing is too slow itself";
  EXPECT_EQ(why_late(summary_of(53, 20, 4), 5.7, 40, true), "") << "a third longer is on time";
  EXPECT_EQ(why_late(summary_of(170, 20, 4), 0, 40, true), "") << "nothing was timed";
  EXPECT_EQ(why_late(summarise({}, GraphShows::kernels, 40), 5.7, 40, true), "");
}

TEST(FrameGraphTargetTest, OfALiveSourceItIsTheMeasuredRate) {
  Settings settings;
  settings.speed = 2;  // which a camera does not have
  capture::Status source;
  source.live = true;
  source.fps = 25;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 40);
  source.measured_fps = 10;
  EXPECT_DOUBLE_EQ(target_of(settings, source), 100);
  EXPECT_EQ(target_origin(settings, source), "the source's rate, as measured");
}

TEST_F(FrameGraphTest, AColumnHasTheSlowestAndTheMedianOfItsFrames) {
  add(25);
  columns.update(history, GraphShows::work, 10);
  ASSERT_EQ(columns.begin(), 0u);
  ASSERT_EQ(columns.end(), 3u);
  EXPECT_EQ(columns[0].slowest, 9u);
  EXPECT_EQ(columns[0].highest, 9000);
  EXPECT_EQ(columns[0].median, 4000);  // of 1 .. 9, 0
  EXPECT_EQ(columns[2].highest, 5000);
  EXPECT_FALSE(columns[1].change > 0);
}

TEST_F(FrameGraphTest, ColumnsFollowNewFramesAndTimesThatArriveLate) {
  add(13);
  columns.update(history, GraphShows::kernels, 5);
  add(4, false);
  columns.update(history, GraphShows::kernels, 5);
  ASSERT_EQ(columns.end(), 4u);
  EXPECT_EQ(columns[2].median, 6) << "of 5, 6, 7: 11, 12, 13";
  EXPECT_EQ(columns[3].highest, 0) << "its times are missing";
  for (int i = 0; i < 4; ++i) complete_one();
  columns.update(history, GraphShows::kernels, 5);
  EXPECT_EQ(columns[2].median, 5) << "of 5, 6, 7, 1, 2: 11 to 15";
  EXPECT_EQ(columns[3].highest, 4) << "16 and 17";
  // The same as from scratch.
  add(500);
  columns.update(history, GraphShows::kernels, 5);
  GraphColumns fresh;
  fresh.update(history, GraphShows::kernels, 5);
  ASSERT_EQ(columns.end(), fresh.end());
  for (auto number = fresh.begin(); number < fresh.end(); ++number) {
    ASSERT_EQ(columns[number].highest, fresh[number].highest) << number;
    ASSERT_EQ(columns[number].median, fresh[number].median) << number;
    ASSERT_EQ(columns[number].slowest, fresh[number].slowest) << number;
    ASSERT_EQ(columns[number].change, number == 10 ? 51u : 0u) << number;
  }
}

TEST_F(FrameGraphTest, ColumnsOfFramesThatAreNoLongerKeptAreGone) {
  add(FrameHistory::frames_kept);
  columns.update(history, GraphShows::work, 64);
  add(FrameHistory::frames_kept + 100);
  columns.update(history, GraphShows::work, 64);
  EXPECT_EQ(columns.end(), (history.added() + 63) / 64);
  EXPECT_GE(columns.begin() * 64, history.added() - FrameHistory::frames_kept);
  EXPECT_EQ(columns[columns.begin()].highest, 9000);
}

TEST_F(FrameGraphTest, TheNewestFrameIsAtTheRightEdgeInColumnsOfWholePixels) {
  add(1000);
  Settings settings;
  auto view = graph_view(history, settings, 10, 310, 1);
  EXPECT_EQ(view.pitch, 3);
  EXPECT_EQ(view.per_column, 1u);
  EXPECT_EQ(view.columns(), 100u);
  EXPECT_EQ(view.last, 999u);
  EXPECT_EQ(view.x(999), 307);
  EXPECT_EQ(view.column_at(309), 999u);
  EXPECT_EQ(view.column_at(306.5f), 998u);
  EXPECT_EQ(view.column_at(500), 999u);
  settings.graph_frames = 3000;
  view = graph_view(history, settings, 10, 310, 1);
  EXPECT_EQ(view.pitch, 1);
  EXPECT_EQ(view.per_column, 10u);
  EXPECT_EQ(view.last, 99u);
  EXPECT_EQ(view.column_at(10), std::nullopt) << "there are not so many frames";
  settings.graph_end = 500;
  EXPECT_EQ(graph_view(history, settings, 10, 310, 1).last, 49u);
}

TEST_F(FrameGraphTest, TheWheelReachesEveryFrameAndTheSingleBars) {
  add(1000);
  Settings settings;
  for (const float step : {1.f, -1.f}) {
    int before = 0;
    for (int i = 0; i < 60; ++i) {
      const auto view = graph_view(history, settings, 0, 300, 1);
      settings.graph_frames = zoomed_frames(view, step);
      before = settings.graph_frames;
    }
    const auto view = graph_view(history, settings, 0, 300, 1);
    if (step > 0) {
      EXPECT_EQ(view.pitch, 24);
    } else {
      EXPECT_GE(view.frames(), FrameHistory::frames_kept);
    }
    EXPECT_EQ(before, settings.graph_frames);
  }
  // Each step changes what is seen.
  settings.graph_frames = 8;
  auto view = graph_view(history, settings, 0, 300, 1);
  for (int i = 0; i < 12; ++i) {
    settings.graph_frames = zoomed_frames(view, -1);
    const auto next = graph_view(history, settings, 0, 300, 1);
    EXPECT_GT(next.frames(), view.frames()) << i;
    view = next;
  }
}

TEST_F(FrameGraphTest, EndsAreIdsAndTheNewestIsNone) {
  add(100);
  EXPECT_EQ(end_at(history, 100), 0);
  EXPECT_EQ(end_at(history, 500), 0);
  EXPECT_EQ(end_at(history, 40), 40);
  EXPECT_EQ(end_at(history, -3), 1);
  EXPECT_EQ(frame_number_of(history, 40), 40u);
  EXPECT_EQ(frame_number_of(history, 0), std::nullopt);
  EXPECT_EQ(frame_numbered(history, 101), nullptr);
}

TEST(FrameGraphScaleTest, ShowsTheTargetAndIsNotFlattenedByAnOutlier) {
  EXPECT_GT(top_of_times(10, 10, 16.7), 16.7);
  EXPECT_LT(top_of_times(10, 900, 16.7), 40);
  EXPECT_GE(top_of_times(35, 36, 16.7), 36);
  EXPECT_LT(top_of_times(0.05, 0.06, 16.7), 0.2) << "kernels are no slivers";
  EXPECT_GT(top_of_times(0, 0, 16.7), 0);
}

TEST(FrameGraphScaleTest, StepsAreRound) {
  EXPECT_DOUBLE_EQ(round_step(0.9), 1);
  EXPECT_DOUBLE_EQ(round_step(1.1), 2);
  EXPECT_DOUBLE_EQ(round_step(3), 5);
  EXPECT_DOUBLE_EQ(round_step(51), 100);
}

TEST(FrameGraphStateTest, TheHistogramCountsEveryFrame) {
  FrameFigures figures;
  for (int i = 1; i <= 200; ++i) {
    FrameTimes frame;
    frame.work_us = i == 200 ? 1e6 : 5000 + i;
    figures.add(frame);
  }
  Settings settings;
  settings.graph_shows = GraphShows::work;
  FrameGraphState state;
  summarise(figures, settings, state);
  std::uint64_t sum = 0;
  for (const auto count : state.histogram) sum += count;
  EXPECT_EQ(sum, 200u);
  EXPECT_GE(state.histogram.back(), 1u) << "the outlier";
}

TEST(FrameGraphStateTest, FramesAreNamed) {
  EXPECT_EQ(frames_text(FiguresFrames{1, 7, 7, false}), "1 frame");
  EXPECT_EQ(frames_text(FiguresFrames{301, 1200, 1500, true}), "frames 1200 to 1500, 301 frames");
  EXPECT_EQ(frames_text(FiguresFrames{1, 7, 7, true}), "frame 7, 1 frame");
  EXPECT_EQ(frames_text(FiguresFrames{0, 0, 0, true}), "no frame of those selected");
}

}  // namespace
}  // namespace app
