// The figures of a running session.
#include <gtest/gtest.h>

#include <functional>

#include "app/tests/session/session_steps.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class SessionFiguresTest : public testing::Test {
 protected:
  static Settings settings() {
    auto settings = host_settings("synthetic:64x48");
    settings.effect = "none";
    settings.max_speed = true;
    return settings;
  }
  void show(int pictures, std::string_view effect) { app::show(session, pictures, effect); }

  static app::Run offscreen() {
    app::Run run;
    run.offscreen = true;
    return run;
  }

  std::function<void()> on_picture = [] {};
  Session session{settings(), {{}, "no driver"}, offscreen(), true, [this](gpu::Context&, const Picture&) { on_picture(); }};
};

TEST_F(SessionFiguresTest, AReportCoversTheFramesSinceTheWorkChanged) {
  show(20, "none");
  session.settings().effect = "sat_view";
  show(7, "sat_view");
  session.finish();
  const auto report = session.saver().report();
  EXPECT_EQ(report.figures.frames, 7u);
  EXPECT_EQ(report.figures.work_us.count(), 7u);
  EXPECT_LE(report.figures.interval_us.count(), 6u) << "fewer where the source was late on a busy machine: nothing was due";
  EXPECT_GT(report.figures.interval_us.count(), 0u);
  EXPECT_EQ(report.figures.stages.frames(), 7u);
  EXPECT_EQ(report.selection.effect->name, "sat_view");
  for (const auto& row : report.figures.stages.rows()) EXPECT_NE(row.name, "none");
}

// Whatever draws the window meanwhile: a text cursor that blinks, the mouse.
TEST_F(SessionFiguresTest, TimeInWhichNothingWasDueIsNoInterval) {
  show(5, "none");
  session.perform(Action::pause);
  for (int rests = 0; rests < 3;) {
    session.log().begin_turn();
    rests = session.step(5ms) || session.engine().busy() ? 0 : rests + 1;
    session.log().drawn();
  }
  session.perform(Action::resume);
  show(5, "none");
  session.finish();
  const auto figures = session.saver().report().figures;
  EXPECT_GE(figures.frames, 10u);
  EXPECT_EQ(figures.interval_us.count(), figures.frames - 2) << "neither the first frame nor the one after the pause";
}

TEST_F(SessionFiguresTest, EveryFrameHasItsOwnTimesAndIds) {
  show(15, "none");
  session.settings().effect = "sat_view";
  show(15, "sat_view");
  session.finish();
  const auto frames = session.log().latest();
  ASSERT_GE(frames.size(), 30u);
  std::uint64_t before = 0;
  for (const auto& frame : frames) {
    EXPECT_EQ(frame.id, before + 1 + frame.dropped_before);
    before = frame.id;
    EXPECT_EQ(frame.times.id, frame.id);
    ASSERT_TRUE(frame.times.timed);
    const auto last = frame.times.path(frame.times.spans.back());
    EXPECT_EQ(last == "none", frame.selection->effect->name == "none") << last;
    EXPECT_LE(frame.captured, frame.taken);
    EXPECT_LE(frame.taken, frame.enqueued);
    EXPECT_LE(frame.enqueued, frame.presented);
    EXPECT_EQ(*frame.source, *frames[0].source);
  }
}

// It was captured and has no picture: it counts as dropped.
TEST_F(SessionFiguresTest, AFrameWhosePictureFailsLeavesNoGapInTheIds) {
  session.settings().effect = "no_such_effect";
  for (int i = 0; i < 400 && !session.feed().last(); ++i) session.step(50ms);
  ASSERT_TRUE(session.feed().last() && session.messages().any());
  ASSERT_EQ(session.pictures(), 0u);
  session.settings().effect = "none";
  show(3, "none");
  session.settings().effect = "haar";
  session.settings().effect_values["haar"]["width"] = "100";  // wider than the frame
  show(3, "none");
  session.finish();
  std::uint64_t before = 0, dropped = 0;
  for (const auto& frame : session.log().latest()) {
    EXPECT_EQ(frame.id, before + 1 + frame.dropped_before);
    before = frame.id;
    dropped += frame.dropped_before;
  }
  EXPECT_GE(dropped, 1u);
}

TEST_F(SessionFiguresTest, ASwitchBetweenInteropAndStagedResetsTheFigures) {
  session.maker().presented(true, "");
  show(5, "none");
  session.maker().presented(true, "");
  EXPECT_EQ(session.log().made_of_work(), 5u);
  session.maker().presented(false, "switched off");
  show(3, "none");
  session.finish();
  EXPECT_EQ(session.saver().report().figures.frames, 3u);
}

// It changes the intervals between frames.
TEST_F(SessionFiguresTest, AnotherSpeedResetsTheFigures) {
  session.settings().max_speed = false;
  session.settings().speed = 4;
  show(3, "none");
  const auto changes = [&](auto change) {
    const auto before = session.log().latest().back().work_number;
    change();
    for (int i = 0; i < 3; ++i) session.maker().measure_again(), show(1, "none");
    return session.log().latest().back().work_number != before;
  };
  EXPECT_TRUE(changes([&] { session.settings().speed = 2; }));
  EXPECT_FALSE(changes([&] { session.settings().loop = true; }));
  EXPECT_TRUE(changes([&] { session.settings().max_speed = true; }));
  EXPECT_FALSE(changes([&] { session.settings().speed = 1; })) << "at max speed there is no other";
  session.settings().source = "matrix:8x8";
  while (!session.maker().has_picture_of_source()) show(1, "none");
  EXPECT_FALSE(changes([&] { session.settings().max_speed = false; })) << "a still picture has no speed";
}

// The first picture decides, however long nothing was drawn before it.
TEST_F(SessionFiguresTest, TheSinkSaysOfItsOwnPictureHowItIsPresented) {
  int pictures = 0;
  on_picture = [&] { session.maker().presented(++pictures <= 5, "switched off"); };
  show(9, "none");
  session.finish();
  EXPECT_EQ(session.saver().report().figures.first, 6u);
  EXPECT_EQ(session.saver().report().figures.frames, 4u);
  EXPECT_EQ(session.log().latest().front().work_number + 1, session.log().latest().back().work_number);
}

}  // namespace
}  // namespace app
