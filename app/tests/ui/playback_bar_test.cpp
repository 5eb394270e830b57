// The playback bar, and the question before the program quits, under mouse and keyboard.
#include <imgui_internal.h>

#include <tuple>

#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

class PlaybackBarTest : public PanelsTest {
 protected:
  void SetUp() override {
    PanelsTest::SetUp();
    state_.capture.no_seek.clear();
    draw(2);
  }
  Rect bar() const { return layout(settings_, 1280, 1000, 1).playback; }
  float middle() const { return bar().y + bar().height / 2; }
  static float width_of_step() { return ImGui::GetFontSize() + 2 * ImGui::GetStyle().FramePadding.x; }
  // Moves the mouse with its button down, in so many steps.
  void drag(float from, float to, int steps) {
    auto& io = ImGui::GetIO();
    io.MousePos = {from, middle()};
    draw();
    io.MouseDown[0] = true;
    for (int i = 0; i <= steps; ++i) {
      io.MousePos.x = from + (to - from) * static_cast<float>(i) / static_cast<float>(steps);
      draw();
    }
    io.MouseDown[0] = false;
    draw();
  }
};

TEST_F(PlaybackBarTest, TheSeekBarGoesWhereItIsClickedAndDragged) {
  const auto x = bar().x + bar().width * 0.2f;
  click(x, middle());
  ASSERT_EQ(sought_.size(), 1u);
  EXPECT_GT(sought_[0], 0.2 * state_.capture.length);
  EXPECT_LT(sought_[0], 0.8 * state_.capture.length);
  drag(x, x + 100, 10);
  ASSERT_EQ(sought_.size(), 12u);
  EXPECT_TRUE(std::is_sorted(sought_.begin(), sought_.end()));
  EXPECT_GT(sought_.back(), sought_.front() + 1);
  drag(x, bar().x + bar().width + 500, 3);
  EXPECT_DOUBLE_EQ(sought_.back(), state_.capture.length) << "beyond the bar is its end";
}

TEST_F(PlaybackBarTest, UntilTheSourceIsThereThePlaceThatWasSoughtIsShown) {
  const auto shows = [](double time) { return TextCheck::place_of(seconds(time), "playback").has_value(); };
  for (const float part : {0.22f, 0.15f}) {
    state_.seeking = true;
    click(bar().x + bar().width * part, middle());
    draw(2);
    EXPECT_TRUE(shows(sought_.back())) << part;
    EXPECT_FALSE(shows(state_.position)) << part;
    state_.seeking = false;
    draw(2);
    EXPECT_FALSE(shows(sought_.back())) << part;
    EXPECT_TRUE(shows(state_.position)) << part;
  }
}

TEST_F(PlaybackBarTest, AMouseThatRestsAsksOnce) {
  auto& io = ImGui::GetIO();
  io.MousePos = {bar().x + bar().width * 0.2f, middle()};
  draw();
  io.MouseDown[0] = true;
  draw(30);
  io.MouseDown[0] = false;
  draw();
  EXPECT_EQ(sought_.size(), 1u);
}

TEST_F(PlaybackBarTest, StepsSpeedAndLoopAreThereWhileTheMouseIs) {
  const auto shown = [](const char* text) { return TextCheck::place_of(text, "playback").has_value(); };
  ImGui::GetIO().MousePos = {600, 400};
  draw(3);
  EXPECT_FALSE(shown("Loop"));
  EXPECT_TRUE(shown("frame 2.0 of"));
  ImGui::GetIO().MousePos = {bar().x + 300, middle()};
  draw(3);
  const auto loop = TextCheck::place_of("Loop", "playback"), speed = TextCheck::place_of("1x", "playback");
  ASSERT_TRUE(loop && speed);
  const auto side = width_of_step();
  for (int i = 0; i < 3; ++i) click(speed->Min.x - 16 - side * (2.5f - static_cast<float>(i)), middle());
  EXPECT_EQ(commands_, (std::vector<Command>{"seek 0", "step -1", "step 1"}));
  const bool before = settings_.loop;
  click(loop->GetCenter().x, middle());
  EXPECT_NE(settings_.loop, before);
  EXPECT_EQ(click(bar().x + 20, middle()), std::vector{Action::toggle_pause}) << "it stays where it was";
}

TEST_F(PlaybackBarTest, WhatAFrameCostsStaysInItsPlaceUnderTheMouse) {
  settings_.dock_open = false;
  const auto place = [](const char* text) { return TextCheck::place_of(text, "playback"); };
  ImGui::GetIO().MousePos = {600, 400};
  draw(3);
  const auto costs = place("frame 2.0 of"), rate = place("30 fps");
  ASSERT_TRUE(costs && rate);
  const auto seek = place("0:16");
  ASSERT_TRUE(seek) << "the length, at the end of the seek bar";
  const float over_line = (costs->Max.x + rate->Min.x) / 2;
  for (const float x : {costs->Min.x + 5, over_line, rate->Min.x + 5}) {
    ImGui::GetIO().MousePos = {x, middle()};
    draw(3);
    EXPECT_FALSE(place("Loop")) << x;
    EXPECT_TRUE(place("frame 2.0 of")) << x;
  }
  ImGui::GetIO().MousePos = {bar().x + 200, middle()};
  draw(3);
  EXPECT_TRUE(place("Loop"));
  ASSERT_TRUE(place("frame 2.0 of") && place("0:16"));
  EXPECT_EQ(place("frame 2.0 of")->Min.x, costs->Min.x);
  EXPECT_EQ(place("0:16")->Min.x, seek->Min.x) << "what one aims at does not move";
  const bool loop = settings_.loop;
  for (const float x : {costs->Min.x + 5, over_line}) {
    settings_.dock = Dock::race;
    settings_.dock_open = false;
    click(x, middle());
    EXPECT_EQ(settings_.dock, Dock::frame) << x;
    EXPECT_TRUE(settings_.dock_open) << x;
  }
  EXPECT_EQ(settings_.loop, loop);
}

TEST_F(PlaybackBarTest, InANarrowWindowTheControlsComeFromTheLeft) {
  const auto shown = [](const char* text) { return TextCheck::place_of(text, "playback").has_value(); };
  settings_.dock_open = false;
  ImGui::GetIO().DisplaySize = {800, 1000};
  ImGui::GetIO().MousePos = {600, 400};
  draw(3);
  const auto costs = TextCheck::place_of("frame 2.0 of", "playback");
  ASSERT_TRUE(costs);
  ImGui::GetIO().MousePos = {costs->Max.x - 5, middle()};
  draw(3);
  EXPECT_FALSE(shown("Loop"));
  ImGui::GetIO().MousePos = {bar().x + 120, middle()};
  draw(3);
  const auto loop = TextCheck::place_of("Loop", "playback");
  ASSERT_TRUE(loop);
  EXPECT_FALSE(shown("frame 2.0 of")) << "there is no room for both";
  const bool before = settings_.loop;
  click(loop->GetCenter().x, middle());
  EXPECT_NE(settings_.loop, before) << "it is still there when the mouse is";
}

TEST_F(PlaybackBarTest, TheSpeedIsChosenFromAListThatKeepsItThere) {
  for (const auto& [now, text, speed] : {std::tuple{"1x", "2x", 2.0}, {"2x", "0.25x", 0.25}}) {
    ImGui::GetIO().MousePos = {bar().x + 300, middle()};
    draw(3);
    const auto list = TextCheck::place_of(now, "playback");
    ASSERT_TRUE(list) << now;
    click(list->GetCenter().x, list->GetCenter().y);
    draw(2);
    ImGui::GetIO().MousePos = {600, 400};
    draw(2);
    const auto entry = TextCheck::place_of(text, "##Combo");
    ASSERT_TRUE(entry) << text;
    click(entry->GetCenter().x, entry->GetCenter().y);
    EXPECT_EQ(settings_.speed, speed);
    draw(40);
  }
}

TEST_F(PlaybackBarTest, TheSpeedOfASourceThatHasNoneStays) {
  state_.capture.no_seek = "a camera cannot seek";
  state_.capture.kind = capture::SourceKind::camera;
  settings_.loop = false;
  ImGui::GetIO().MousePos = {bar().x + 300, middle()};
  draw(3);
  const auto loop = TextCheck::place_of("Loop", "playback"), speed = TextCheck::place_of("1x", "playback");
  ASSERT_TRUE(loop && speed);
  click(speed->GetCenter().x, middle());
  EXPECT_FALSE(TextCheck::place_of("2x", "##Combo"));
  click(loop->GetCenter().x, middle());
  EXPECT_FALSE(settings_.loop);
}

TEST_F(PlaybackBarTest, ASourceWithoutPlacesHasNoSeekBar) {
  state_.capture.no_seek = "a camera cannot seek";
  state_.capture.kind = capture::SourceKind::camera;
  draw(2);
  EXPECT_TRUE(click(bar().x + 300, middle()).empty());
  EXPECT_TRUE(sought_.empty());
  EXPECT_EQ(click(bar().x + 20, middle()), std::vector{Action::toggle_pause}) << "it can still be paused";
}

TEST_F(PlaybackBarTest, WhatAFrameCostsIsSaidInWords) {
  ImGui::GetIO().MousePos = {600, 400};
  draw(3);
  EXPECT_TRUE(TextCheck::place_of("table 0.82 ms, box blur 0.92, frame 2.0 of 16.7", "playback"));
  state_.device = gpu::Device::simulated;
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("simulated: table", "playback"));
  state_.device = gpu::Device::host;
  state_.kernels = {};
  draw(2);
  EXPECT_FALSE(TextCheck::place_of("table", "playback"));
}

TEST_F(PlaybackBarTest, AFrameOfMicrosecondsIsNotNothing) {
  ImGui::GetIO().MousePos = {600, 400};
  state_.kernels.rows = {group_row("host_parallel", 18, 0.8), example_row("box blur", 1, 5, 0.2)};
  state_.kernels.computing = 23.4;
  draw(3);
  EXPECT_TRUE(TextCheck::place_of("table 0.018 ms, box blur 0.005, frame 0.023 of 16.7", "playback"));
}

TEST_F(PlaybackBarTest, AnEffectCostsAllOfItsStages) {
  ImGui::GetIO().MousePos = {600, 400};
  settings_.effect = "faces";
  state_.selection = make_selection(settings_, gpu::Device::host);
  auto& rows = state_.kernels.rows;
  rows = {example_row("luma", 1, 212.4, 0.01),   group_row("host_parallel", 822.1, 0.02),
          example_row("detect", 1, 39'426, 0.9), example_row("list faces", 1, 4, 0),
          example_row("faces", 1, 1484, 0.04),   example_row("check", 1, 300, 0.01),
          transfer_row("copy to texture", 431)};
  state_.kernels.computing = 42'249;
  draw(3);
  EXPECT_TRUE(TextCheck::place_of("table 0.82 ms, faces 40.9, frame 42.2 of 16.7", "playback"));
  settings_.effect = "none";
  state_.selection = make_selection(settings_, gpu::Device::host);
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("table 0.82 ms, frame 42.2 of 16.7", "playback")) << "nothing is drawn from it";
  settings_.effect = "faces";
  state_.selection = make_selection(settings_, gpu::Device::host);
  rows = {example_row("luma", 1, 212.4, 0.01), group_row("host_parallel", 822.1, 0.02), group_row("A: original", 300, 0.01),
          group_row("B: faces", 40'900, 0.96)};
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("table 0.82 ms, faces 40.9, frame 42.2 of 16.7", "playback")) << "beside the original";
  rows.back() = example_row("B: faces/faces", 1, 40'900, 0.96);
  rows.back().stage.depth = 0;
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("table 0.82 ms, faces 40.9, frame 42.2 of 16.7", "playback")) << "its only kernel";
}

TEST_F(PlaybackBarTest, AStillPictureHasNoTimeAndNoRate) {
  ImGui::GetIO().MousePos = {600, 400};
  for (const auto kind : {capture::SourceKind::image, capture::SourceKind::matrix}) {
    state_.capture.kind = kind;
    draw(2);
    EXPECT_TRUE(TextCheck::place_of("A still picture", "playback"));
    EXPECT_FALSE(TextCheck::place_of("0:07.3", "playback"));
    EXPECT_FALSE(TextCheck::place_of("fps", "playback"));
    EXPECT_FALSE(TextCheck::place_of("of 16.7", "playback")) << "it has no next frame";
  }
}

TEST_F(PlaybackBarTest, TheRateIsAmberWhereItIsBelowTheTargetAndWhereNothingComes) {
  settings_.dock_open = false;
  state_.graph.target_ms = 1000.0 / 60;
  for (const double fps : {60., 46., 44., 20.}) {
    state_.picture_fps = fps;
    draw(2);
    EXPECT_EQ(has(*ImGui::FindWindowByName("playback")->DrawList, colour::warning), fps < 45) << fps << ": a third longer";
  }
  state_.picture_fps = 60;
  state_.idle = true;
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("idle", "playback"));
  state_.capture.silent = true;
  state_.capture.message = "it has sent no frames for 4 s";
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("no signal", "playback"));
  EXPECT_TRUE(has(*ImGui::FindWindowByName("playback")->DrawList, colour::warning));
  EXPECT_TRUE(TextCheck::place_of("no signal", "bar")) << "of the source, too";
}

// It is a message, which goes.
TEST_F(PlaybackBarTest, AWarningOfTheSourceLeavesTheCostsAndIsUnderTheMouseOfTheSource) {
  ImGui::GetIO().MousePos = {600, 400};
  state_.capture.warning = "'lobby.mp4': requested 64x48, the file gives 960x540";
  draw(3);
  EXPECT_FALSE(TextCheck::place_of("requested", "playback"));
  EXPECT_TRUE(TextCheck::place_of("frame 2.0 of 16.7", "playback"));
  const auto source = TextCheck::place_of("Source", "bar");
  ASSERT_TRUE(source);
  ImGui::GetIO().MousePos = source->GetCenter();
  draw(4);
  EXPECT_TRUE(TextCheck::place_of("requested 64x48", "##Tooltip"));
}

// Whatever the rate of the last second and the window's own drawing are.
TEST_F(PlaybackBarTest, TheRowSaysWhyNoPicturesComeAndThatIsNeverAmber) {
  settings_.dock_open = false;
  const auto says = [&](const char* words) {
    for (const bool idle : {false, true}) {
      state_.idle = idle;
      state_.picture_fps = idle ? 0 : 5;
      draw(2);
      EXPECT_TRUE(TextCheck::place_of(words, "playback")) << words << idle;
      EXPECT_FALSE(has(*ImGui::FindWindowByName("playback")->DrawList, colour::warning)) << words << idle;
    }
  };
  ImGui::GetIO().MousePos = {600, 400};
  state_.paused = true;
  says("paused");
  state_.paused = false;
  state_.capture.phase = capture::Status::Phase::ended;
  says("ended");
  state_.capture.kind = capture::SourceKind::image;
  says("still");
}

TEST_F(PlaybackBarTest, WhatWasRefusedIsSaidInPlaceOfTheCosts) {
  ImGui::GetIO().MousePos = {600, 400};
  state_.refusal = "the window is too large";
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("refused: the window is too large", "playback"));
  EXPECT_FALSE(TextCheck::place_of("refused", "messages"));
  settings_.panels = false;
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("refused: the window is too large", "messages"));
}

TEST_F(PlaybackBarTest, TheTooltipOfTheRateHasTheLatencyAndTheSize) {
  ImGui::GetIO().MousePos = {bar().width - 30, middle()};
  draw(4);
  for (const char* words : {"960 x 540 pixels", "latency 11.4 ms", "held by the pipeline"})
    EXPECT_TRUE(TextCheck::place_of(words, "##Tooltip")) << words;
}

TEST_F(PlaybackBarTest, WithoutPanelsItAppearsAtTheLowerEdge) {
  settings_.panels = false;
  click(640, 500);
  EXPECT_TRUE(sought_.empty());
  click(250, 985);
  EXPECT_EQ(sought_.size(), 1u);
  const auto background = ImGui::GetColorU32(ImGuiCol_WindowBg);
  EXPECT_TRUE(has(*ImGui::FindWindowByName("playback")->DrawList, background)) << "it lies on the picture";
}

TEST_F(PlaybackBarTest, WithoutPanelsADragHoldsItWhereverTheMouseGoes) {
  settings_.panels = false;
  auto& io = ImGui::GetIO();
  const auto drag_to = [&](ImVec2 place, bool down) {
    io.MousePos = place;
    io.MouseDown[0] = down;
    draw(2);
  };
  for (int time = 0; time < 2; ++time) {
    sought_.clear();
    drag_to({250, 985}, false);
    drag_to({250, 985}, true);
    ASSERT_EQ(sought_.size(), 1u) << time;
    drag_to({310, 300}, true);
    ASSERT_EQ(sought_.size(), 2u) << time;
    EXPECT_GT(sought_[1], sought_[0]) << time;
    drag_to({310, 300}, false);
    drag_to({350, 300}, true);
    EXPECT_EQ(sought_.size(), 2u) << "it is gone " << time;
    drag_to({350, 300}, false);
  }
}

TEST_F(PlaybackBarTest, KeysChangeTheSpeed) {
  type("}");
  EXPECT_EQ(settings_.speed, 2);
  type("}}}");
  EXPECT_EQ(settings_.speed, 4);
  press(KeyCode::backspace);
  EXPECT_EQ(settings_.speed, 1);
  type("{{{{");
  EXPECT_EQ(settings_.speed, 0.25);
}

TEST_F(PlaybackBarTest, QuittingWhileSomethingIsRecordedAsksFirst) {
  EXPECT_EQ(type("q"), std::vector{Action::quit}) << "nothing is recorded";
  state_.recording = true;
  EXPECT_TRUE(type("q").empty());
  draw(2);
  EXPECT_EQ(type("q"), std::vector{Action::quit});

  EXPECT_TRUE(type("q").empty());
  draw(2);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::quit});

  EXPECT_TRUE(type("q").empty());
  draw(2);
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "it keeps recording";
  EXPECT_TRUE(press(KeyCode::enter).empty());
  EXPECT_TRUE(type("q").empty()) << "it asks anew";
}

TEST_F(PlaybackBarTest, ClosingTheWindowWhileSomethingIsRecordedAsksFirst) {
  EXPECT_TRUE(panels_.may_close(state_));
  state_.recording = true;
  EXPECT_FALSE(panels_.may_close(state_));
  draw(2);
  EXPECT_TRUE(panels_.may_close(state_));
  EXPECT_FALSE(panels_.may_close(state_));
  draw();
  state_.recording = false;
  EXPECT_EQ(draw(), std::vector{Action::quit}) << "the recording ended by itself";
}

TEST_F(PlaybackBarTest, QuittingWithAChangedMatrixOffersToSaveIt) {
  state_.matrix_unsaved = true;
  EXPECT_TRUE(type("q").empty());
  draw(2);
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "canceled";
  EXPECT_TRUE(press(KeyCode::enter).empty()) << "no question any more";
  EXPECT_TRUE(type("q").empty()) << "it asks anew";
  draw(2);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::save_matrix}) << "it quits only when that is done";
  EXPECT_TRUE(draw(3).empty());
  state_.matrix_unsaved = false;
  EXPECT_EQ(draw(), std::vector{Action::quit});
  draw(2);  // the question is gone

  state_.matrix_unsaved = true;
  EXPECT_FALSE(panels_.may_close(state_));
  draw(2);
  EXPECT_EQ(type("q"), std::vector{Action::save_matrix}) << "the key that saves a video saves the numbers, too";
  state_.matrix_unsaved = false;
  EXPECT_EQ(draw(), std::vector{Action::quit});
  draw(2);  // the question is gone

  state_.matrix_unsaved = true;
  EXPECT_FALSE(panels_.may_close(state_));
  draw(2);
  EXPECT_FALSE(panels_.may_close(state_)) << "likewise";
  EXPECT_EQ(draw(), std::vector{Action::save_matrix});
}

TEST_F(PlaybackBarTest, TheArrowsChooseAnAnswerAndOtherKeysWait) {
  state_.matrix_unsaved = true;
  const auto before = settings_;
  type("q");
  draw(2);
  EXPECT_TRUE(type("eIs").empty());
  press(KeyCode::right);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::quit}) << "without the numbers";

  type("q");
  draw(2);
  press(KeyCode::right);
  press(KeyCode::right);
  EXPECT_TRUE(press(KeyCode::enter).empty()) << "canceled";
  EXPECT_TRUE(draw(2).empty());
  EXPECT_TRUE(press(KeyCode::enter).empty()) << "no question any more";

  type("q");
  draw(2);
  EXPECT_TRUE(press(KeyCode::tab).empty());
  EXPECT_EQ(settings_, before) << "Tab hides no panels behind the question, nor do other keys act there";
  press(KeyCode::escape);

  type("q");
  draw(2);
  press(KeyCode::right);
  press(KeyCode::left);  // back to the first
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::save_matrix});
}

TEST_F(PlaybackBarTest, AMatrixThatCannotBeSavedKeepsTheProgramOpen) {
  state_.matrix_unsaved = state_.recording = true;
  EXPECT_TRUE(type("q").empty());
  draw(2);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::save_matrix});
  EXPECT_TRUE(draw(5).empty());
  EXPECT_FALSE(TextCheck::place_of("It could not be saved: no space; free some", "Quit?"));
  state_.matrix_problem = "no space; free some";
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("It could not be saved: no space; free some", "Quit?"))
      << "the question covers the message";
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "canceled";
  state_.matrix_unsaved = false;
  EXPECT_TRUE(draw(3).empty());
}

}  // namespace
}  // namespace app::ui
