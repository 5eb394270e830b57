// What frames have in common whose figures belong together, and what a mark says where it changes.
#include "app/session/frame_history.h"

#include <gtest/gtest.h>

#include "app/control/change.h"
#include "app/tests/session/frame_log_example.h"

namespace app {
namespace {

using FrameHistoryWorkFrameLogTest = FrameLogTest;

TEST_F(FrameHistoryWorkFrameLogTest, WhateverElseTheCostDependsOnStartsTheFiguresAnew) {
  log.set_circumstance("path to the window", "interop");
  frame(1);
  log.set_circumstance("path to the window", "interop");
  frame(2);
  EXPECT_EQ(log.made_of_work(), 2u);
  log.set_circumstance("path to the window", "staged");
  frame(3);
  EXPECT_EQ(log.made_of_work(), 1u);
  const auto frames = log.history().frames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].work, frames[1].work);
  EXPECT_EQ(changed(2), "path to the window: staged, before interop");
}

TEST_F(FrameHistoryWorkFrameLogTest, TheFiguresStayUntilTheNextFrame) {
  log.set_circumstance("speed", "1x");
  for (std::uint64_t id = 1; id <= 3; ++id) frame(id), log.take(times_of(id, 5));
  log.set_circumstance("speed", "2x");
  EXPECT_EQ(log.figures().frames, 3u);
  EXPECT_EQ(log.shown_indices().count(), 3u);
  EXPECT_EQ(log.shown_work()->circumstances[0].value, "1x");
  log.set_circumstance("speed", "1x");
  frame(4);
  EXPECT_EQ(log.made_of_work(), 4u) << "nothing has changed";
  log.set_circumstance("speed", "2x");
  frame(5);
  EXPECT_EQ(log.made_of_work(), 1u);
  EXPECT_EQ(changed(4), "speed: 2x, before 1x");
}

TEST_F(FrameHistoryWorkFrameLogTest, AMarkSaysWhatChanged) {
  frame(1);
  log.set_circumstance("path to the window", "staged");  // known only after the first frame: no change of the second
  frame(2, "box_blur");
  source = std::make_shared<const std::string>("another");
  made(3, "box_blur", {32, 24});
  log.drawn();
  log.reset();
  made(4, "box_blur", {32, 24});
  log.drawn();
  EXPECT_EQ(changed(1), "effect: Box blur, before None");
  EXPECT_EQ(changed(2), "source: another, before clip.mp4, 64x48\nsize: 32x24, before 64x48");
  EXPECT_EQ(changed(3), "statistics reset");
}

TEST_F(FrameHistoryWorkFrameLogTest, AMarkNamesEverySettingThatStartsTheFiguresAnew) {
  const std::pair<std::vector<Change>, std::string> all[] = {
      {{{"check", "on"}}, "check: on, before off"},
      {{{"effect", "box_blur"}}, "effect: Box blur, before None"},
      {{{"window", "31x31"}, {"border", "replicate"}},
       "Box blur, Window: 31x31, before 15x15\nBox blur, Border: Repeat the edge, before Reflect (edge once)"},
      {{{"effect", "none"}}, "effect: None, before Box blur"},
      {{{"timing", "frame"}}, "timing: Frame, before Each kernel"},
      {{{"compare", "result,host_parallel"}, {"host_parallel.threads", "1"}},
       "comparison: host_serial and host_parallel threads=1, before off"},
      {{{"host_parallel.threads", "2"}},
       "comparison: host_serial and host_parallel threads=2, before host_serial and host_parallel threads=1"},
      {{{"compare", "sat_view,original"}, {"sat_view.scale", "modulo"}},
       "comparison: The table (Scale: Lower bits, Map: Viridis, Contours: 16, Bits: 22) and Original, before host_serial "
       "and host_parallel threads=2"},
      {{{"compare_mode", "difference"}}, "comparison mode: Difference, before Wipe"},
      {{{"amplification", "9"}}, "amplification: 9, before 8"},
  };
  Settings settings;
  settings.effect = "none";
  settings.host_algorithm = "host_serial";
  std::uint64_t id = 0;
  made(++id, settings);
  log.drawn();
  for (const auto& [changes, text] : all) {
    for (const auto& change : changes) apply(settings, change);
    made(++id, settings);
    log.drawn();
    EXPECT_EQ(log.made_of_work(), 1u) << text;
    EXPECT_EQ(changed(id - 1), text);
  }
}

}  // namespace
}  // namespace app
