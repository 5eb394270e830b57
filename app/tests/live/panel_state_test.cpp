// What the tabs show of known figures and records.
#include "app/live/panel_state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

FrameRecord frame(std::uint64_t id, const std::shared_ptr<const Selection>& selection, double us, int drawn_bytes = 4) {
  FrameRecord record;
  record.id = id;
  record.drawn_bytes = drawn_bytes;
  record.selection = selection;
  record.work_us = 1000;
  record.times.id = id;
  if (us <= 0) return record;
  record.times.timed = true;
  record.times.paths = std::make_shared<std::vector<std::string>>(
      std::vector<std::string>{"upload", "2r1w", "2r1w/tile sums", "none"});
  record.times.spans = {{0, -1, 0, 0, 5, true, gpu::SpanKind::transfer},
                        {1, -1, 1, 5, 5 + us, true},
                        {2, 1, 1, 5, 5 + us, true},
                        {3, -1, 2, 5 + us, 10 + us, true}};
  record.times.points = 6;
  record.times.timing_us = 10;
  return record;
}

// More sources than are remembered, and each of some again: the newest first, none twice.
TEST(PanelStateTest, RecentSourcesAreThereOnce) {
  Session session(host_settings("synthetic:10x10"), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  PanelState state(session, {});
  std::vector<std::string> expected;
  for (const int width : {10, 11, 10, 12, 11, 13, 14, 15, 16, 17, 18, 11, 19, 20, 20, 18}) {
    const auto source = "synthetic:" + std::to_string(width) + "x10";
    session.change(Change{"source", source});
    ASSERT_TRUE(step_until(session, [&] { return session.feed().request() && session.feed().request()->source == source; }));
    state.freeze();
    std::erase(expected, source);
    expected.insert(expected.begin(), source);
    if (expected.size() > 8) expected.pop_back();
    EXPECT_EQ(state.state().recent, expected);
  }
}

TEST(PanelStateTest, SourcesAreThereAgainAtTheNextStartWithTheirWholeNames) {
  const TemporaryFolder folder;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::ofstream("m.csv") << "1,2\n3,4\n";
  app::Run run;
  run.recent = folder.path() / "kept" / "recent.json";
  const std::vector<std::string> expected{(std::filesystem::current_path() / "m.csv").string(), "synthetic:10x10"};
  for (const bool again : {false, true}) {
    Session session(host_settings(again ? "matrix:4x4" : "synthetic:10x10"), {{}, "no driver"}, run, true,
                    [](auto&, auto&) {});
    PanelState state(session, {});
    EXPECT_EQ(state.state().recent, again ? expected : std::vector<std::string>());
    for (const std::string source : {"synthetic:10x10", "m.csv"}) {
      if (again) break;
      session.change(Change{"source", source});
      EXPECT_TRUE(
          step_until(session, [&] { return session.feed().request() && session.feed().request()->source == source; }));
      state.freeze();
    }
  }
  std::filesystem::current_path(here);
}

TEST(PanelStateTest, TheSourceThatPlaysIsNamedAsTheSettingNamesItAndOnlyOnce) {
  const TemporaryFolder folder;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::ofstream("m.csv") << "1,2\n3,4\n";
  Session session(host_settings("m.csv"), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  PanelState state(session, {});
  for (const auto& source :
       {std::string("m.csv"), (std::filesystem::current_path() / "m.csv").string(), std::string("m.csv")}) {
    session.change(Change{"source", source});
    EXPECT_TRUE(step_until(session, [&] { return session.feed().request() && session.feed().request()->source == source; }));
    state.freeze();
    EXPECT_EQ(state.state().recent, std::vector{source});
  }
  std::filesystem::current_path(here);
}

TEST(PanelStateTest, WhatALessonShowsWasNotOpenedByTheUser) {
  Session session(host_settings("synthetic:10x10"), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  PanelState state(session, {});
  const std::vector<std::string> expected{"synthetic:10x10"};
  const auto plays = [&](std::string_view source) {
    return step_until(session,
                      [&] { return session.feed().request() && session.feed().request()->source.ends_with(source); });
  };
  ASSERT_TRUE(plays("10x10"));
  state.freeze();
  EXPECT_EQ(state.state().recent, expected);
  const Change lesson[] = {{"presentation", "on"}, {"lesson", "2"}};
  session.change(lesson);
  ASSERT_TRUE(plays("astronaut.png"));
  state.freeze();
  EXPECT_EQ(state.state().recent, expected);
  session.change(Change{"presentation", "off"});
  EXPECT_TRUE(step_until(session, [&] {
    state.freeze();  // the lesson's source may still be there
    EXPECT_EQ(state.state().recent, expected);
    return session.feed().request()->source == "synthetic:10x10";
  }));
}

TEST(PanelStateTest, TheListOfSourcesIsSharedByWindowsWithoutPasswordsAndTrustsNoFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "recent.json";
  EXPECT_TRUE(kept_sources(file).empty());
  keep_sources(file, {"/a b.mp4", "rtsp://me:SECRET@camera/1", "", "/caf\xe9.png"});
  keep_sources(file, {"rtsp://camera/2", "/a b.mp4"});  // another window
  EXPECT_EQ(kept_sources(file), (std::vector<std::string>{"rtsp://camera/2", "/a b.mp4", "/caf\xe9.png"}));
  for (const char* text : {"", "{", "3", "[[1]]", "{\"a\": \"b\"}", "[null]"}) {
    std::ofstream(file) << text;
    EXPECT_TRUE(kept_sources(file).empty()) << text;
  }
  EXPECT_TRUE(kept_sources(folder.path()).empty());
  keep_sources(folder.path(), {"/a.mp4"});
  keep_sources(file / "below" / "a.json", {"/a.mp4"});
}

// The line for a shell, which has the command, goes to stderr.
TEST(PanelStateTest, AMissingSourceIsExplainedInTheWordsOfTheWindow) {
  Session session(host_settings("synthetic:10x10"), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  PanelState state(session, {});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  session.change(Change{"source", "/nowhere/missing.mp4"});
  ASSERT_TRUE(step_until(session, [&] { return session.messages().any(); }));
  state.age_messages();
  ASSERT_EQ(state.state().messages.size(), 1u);
  const auto& text = state.state().messages[0].text;
  EXPECT_TRUE(text.ends_with("check the path, or see the list of sources")) << text;
  EXPECT_EQ(for_window("no camera sends frames (see `satscope list cameras`): the bundled clip plays"),
            "no camera sends frames (see the list of sources): the bundled clip plays");
  EXPECT_EQ(for_window("saved"), "saved");
}

class KernelsStateTest : public testing::Test {
 protected:
  static std::shared_ptr<const Selection> selection_on(gpu::Device device, TimingChoice timing = TimingChoice::kernels) {
    Settings settings;
    settings.cuda_algorithm = "2r1w";
    settings.effect = "none";
    settings.timing = timing;
    return std::make_shared<Selection>(make_selection(settings, device));
  }
  std::shared_ptr<const Selection> selection = selection_on(gpu::Device::cuda);
};

TEST_F(KernelsStateTest, TheAlgorithmsOwnRowHasItsPartOfTheBoundAndKernelsTheirRates) {
  FrameFigures figures;
  figures.add(frame(1, selection, 20));
  const gpu::Size size{640, 480};
  const auto state = kernels_state(figures, *selection, size, BoundTime{5, "convert_copy"});
  ASSERT_EQ(state.rows.size(), 4u);
  const auto traffic = selection->algorithm->traffic(size, gpu::SatType::u8_u32, selection->algorithm_arguments,
                                                     gpu::current_gpu_limits());
  ASSERT_TRUE(state.rows[1].gb_per_s);
  EXPECT_DOUBLE_EQ(*state.rows[1].gb_per_s, static_cast<double>(traffic.bytes()) / 20e-6 / 1e9);
  EXPECT_DOUBLE_EQ(state.rows[1].of_bound.value(), 0.25);
  for (const auto i : {0, 2, 3}) {
    EXPECT_EQ(state.rows[static_cast<std::size_t>(i)].gb_per_s.has_value(), i == 3);
    EXPECT_FALSE(state.rows[static_cast<std::size_t>(i)].of_bound);
  }
  // The effect: three bytes read and four drawn per pixel in 5 us; four more where memory and texture are drawn.
  EXPECT_DOUBLE_EQ(state.rows[3].gb_per_s.value(), 640 * 480 * (3 + 4) / 5e-6 / 1e9);
  figures.add(frame(2, selection, 20, 8));
  EXPECT_DOUBLE_EQ(kernels_state(figures, *selection, size, {}).rows[3].gb_per_s.value(), 640 * 480 * (3 + 6) / 5e-6 / 1e9);
  EXPECT_EQ(state.computing, 25);
  EXPECT_EQ(state.transfers, 5);
  EXPECT_EQ(state.timing_points, 6);
  EXPECT_DOUBLE_EQ(state.timing_share, 0.01);
}

TEST_F(KernelsStateTest, TheSimulatedGpuHasNoBandwidth) {
  FrameFigures figures;
  figures.add(frame(1, selection, 20));
  const auto state = kernels_state(figures, *selection_on(gpu::Device::simulated), {640, 480}, {});
  for (const auto& row : state.rows) EXPECT_FALSE(row.gb_per_s || row.of_bound);
}

TEST_F(KernelsStateTest, FramesThatNobodyWantedTimedAreNotMissing) {
  FrameFigures figures;
  figures.add(frame(1, selection, 0));
  EXPECT_EQ(kernels_state(figures, *selection, {64, 48}, {}).untimed_frames, 1u);
  const auto off = selection_on(gpu::Device::cuda, TimingChoice::off);
  EXPECT_EQ(kernels_state(figures, *off, {64, 48}, {}).untimed_frames, 0u);
}

// A comparison has more rows than kernels.
TEST_F(KernelsStateTest, KernelsHaveDifferentColoursInTheOrderInWhichTheyRun) {
  auto record = frame(1, selection, 20);
  record.times.paths = std::make_shared<std::vector<std::string>>(
      std::vector<std::string>{"upload", "luma", "A: original", "A: original/none", "B: box_blur", "B: box_blur/2r1w",
                               "B: box_blur/2r1w/tile sums", "B: box_blur/2r1w/tables", "B: box_blur/box blur", "compose"});
  record.times.spans.clear();
  for (const int parent : {-1, -1, -1, 2, -1, 4, 5, 5, 4, -1}) {
    const auto path = static_cast<int>(record.times.spans.size());
    record.times.spans.push_back(
        {path, parent, 0, path * 10.0, path * 10.0 + 9, true, path == 0 ? gpu::SpanKind::transfer : gpu::SpanKind::compute});
  }
  FrameFigures figures;
  figures.add(record);
  const auto state = kernels_state(figures, *selection, {640, 480}, {});
  ASSERT_EQ(state.rows.size(), 9u);
  EXPECT_EQ(state.rows[2].title(), "A: Original") << "not once more below it, as its only kernel";
  EXPECT_EQ(state.rows[3].title(), "B: Box blur");
  EXPECT_EQ(state.rows[7].title(), "Box blur") << "one of its kernels";
  std::size_t kernels = 0;
  for (const auto& row : state.rows) {
    if (!has_colour(row)) continue;
    EXPECT_EQ(row.colour, kernels++) << row.stage.name;
  }
  EXPECT_EQ(kernels, 6u);
}

TEST_F(KernelsStateTest, TheTimelineIsThatOfTheLatestFrameWithTimesOrOfThePinnedOne) {
  std::vector<FrameRecord> frames{frame(4, selection, 10), frame(5, selection, 20), frame(6, selection, 0)};
  auto shown = timeline_state(frames, {});
  EXPECT_EQ(shown.id, 5u);
  EXPECT_FALSE(shown.pinned);
  EXPECT_TRUE(shown.host_queues);
  EXPECT_EQ(shown.frame.spans.size(), 4u);
  shown = timeline_state(frames, 4);
  EXPECT_EQ(shown.id, 4u);
  EXPECT_TRUE(shown.pinned);
  EXPECT_EQ(timeline_state(frames, 6).missing, "this frame was not timed");
  EXPECT_NE(timeline_state(frames, 2).missing.find("no longer kept"), std::string::npos);
  frames.assign(3, frame(7, selection_on(gpu::Device::host, TimingChoice::off), 0));
  EXPECT_EQ(timeline_state(frames, {}).missing, "timing is off");
  EXPECT_TRUE(timeline_state({}, {}).missing.empty());
}

}  // namespace
}  // namespace app
