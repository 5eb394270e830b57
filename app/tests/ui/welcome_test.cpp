// What a newcomer sees: the hints, the sentence about tables with its example, and the simple layout.
#include <imgui_internal.h>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/text_check_window.h"
#include "app/ui/layout.h"

namespace app::ui {
namespace {

constexpr const char* hint_texts[] = {"Drag this line", "Choose the algorithm", "Race all algorithms"};

void compare(Settings& settings, State& state) {
  settings.compare = {true, "original", "result"};
  state.selection = make_selection(settings, gpu::Device::host);
}

class WelcomeHintsTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    compare(settings_, state_);
    settings_.hints = true;
    draw(3);
  }
  void draw_under_panels() override {
    const auto area = places().picture;
    const View view{0, {0.5, 0.5}, state_.picture, {area.x, area.y, area.width, area.height}};
    state_.notes = draw_comparison(view, state_.selection, 0.3);
    state_.wipe_handle = wipe_handle(view, state_.selection, 0.3);
  }
  static int hints_shown() {
    return static_cast<int>(std::ranges::count_if(hint_texts, [](const char* text) { return shown(text, "hints"); }));
  }
  // Whether a line of a hint ends beside it.
  static bool pointed_at(const Rect& target) {
    const auto* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
      if (std::string_view(data->CmdLists[i]->_OwnerName) == "hints")
        for (const auto& v : data->CmdLists[i]->VtxBuffer)
          if (v.col == colour::accent && v.pos.x > target.x - 12 && v.pos.x < target.x + target.width + 12 &&
              v.pos.y > target.y - 12 && v.pos.y < target.y + target.height + 12)
            return true;
    return false;
  }
  static bool pointed_at(const std::string& text, std::string_view window) {
    const auto place = TextCheck::place_of(text, window);
    return place && pointed_at(Rect{place->Min.x, place->Min.y, place->GetWidth(), place->GetHeight()});
  }
};

TEST_F(WelcomeHintsTest, PointAtTheWipeTheAlgorithmAndTheRace) {
  EXPECT_EQ(hints_shown(), 3);
  ASSERT_TRUE(state_.wipe_handle);
  EXPECT_TRUE(pointed_at(*state_.wipe_handle));
  EXPECT_TRUE(shown("Original", "hints")) << "as the picture names it";
  EXPECT_TRUE(pointed_at("host_parallel", "choices"));
  EXPECT_TRUE(pointed_at("Race", "dock"));
  EXPECT_FALSE(pointed_at("Timeline", "dock"));
  EXPECT_FALSE(pointed_at("Device", "choices"));
}

TEST_F(WelcomeHintsTest, TheHandleIsWhereTheComparisonDrawsIt) {
  const View view{0, {0.5, 0.5}, {100, 50}, {0, 0, 200, 100}};
  const auto handle = wipe_handle(view, state_.selection, 0.25);
  ASSERT_TRUE(handle);
  EXPECT_NEAR(handle->x + handle->width / 2, 50, 1);
  EXPECT_NEAR(handle->y + handle->height / 2, 50, 1);
  EXPECT_FALSE(wipe_handle({8, {0.9, 0.5}, {100, 50}, {0, 0, 200, 100}}, state_.selection, 0.25)) << "out of sight";
  auto difference = state_.selection;
  difference.composition.mode = Composition::Mode::difference;
  EXPECT_FALSE(wipe_handle(view, difference, 0.25));
  EXPECT_FALSE(wipe_handle(view, example_state(example_settings()).selection, 0.25)) << "nothing is compared";
}

TEST_F(WelcomeHintsTest, GoWithTheFirstClickWhichDoesWhatItAlwaysDoes) {
  click_text("Timeline", "dock");
  EXPECT_FALSE(settings_.hints);
  EXPECT_EQ(settings_.dock, Dock::timeline);
  EXPECT_EQ(hints_shown(), 0);
}

TEST_F(WelcomeHintsTest, GoWithTheFirstKeyButNotWithTheMouseOverThem) {
  ImGui::GetIO().MousePos = middle_of("Race all algorithms", "hints");
  draw(3);
  EXPECT_TRUE(settings_.hints);
  EXPECT_EQ(type("P"), std::vector{Action::reset_statistics});
  EXPECT_FALSE(settings_.hints);
  settings_.hints = true;
  press(KeyCode::page_down);
  EXPECT_FALSE(settings_.hints);
}

TEST_F(WelcomeHintsTest, AreWhatEscapeClosesFirst) {
  settings_.graph_pinned = 1180;
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.hints);
  EXPECT_EQ(settings_.graph_pinned, 1180);
}

TEST_F(WelcomeHintsTest, ComeBackFromThePalette) {
  settings_.hints = settings_.panels = false;
  settings_.simple = true;
  settings_.palette = true;
  draw(3);
  type("show the hints");
  press(KeyCode::enter);
  draw(3);
  EXPECT_FALSE(settings_.palette);
  EXPECT_TRUE(settings_.hints);
  EXPECT_EQ(hints_shown(), 3) << "with the panels that they point at";
}

TEST_F(WelcomeHintsTest, WithoutAComparisonOneSaysHowToStartIt) {
  settings_.compare.on = false;
  state_.selection = make_selection(settings_, gpu::Device::host);
  draw(3);
  EXPECT_TRUE(shown("Press C", "hints"));
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  draw(3);
  EXPECT_FALSE(shown("Press C", "hints")) << "the matrix covers the picture";
}

// Neither each other, nor the names of the comparison, nor a message hides one; all at the smallest window, too.
class WelcomeHintsTextTest : public TextCheckTest {
 protected:
  void check(const std::string& what, bool with_message = true) {
    auto settings = example_settings();
    auto state = example_state(settings);
    compare(settings, state);
    settings.hints = true;
    state.messages = {{Message::Kind::warning, "no GPU here: the CPU computes", 0.1}};
    for (const double wipe : {0.02, 0.3, 0.5, 0.98}) {
      expect_no_faults(state, settings, what, [&](const Settings& now) {
        const auto view = view_of(now, state.picture);
        state.notes = draw_comparison(view, state.selection, wipe);
        state.wipe_handle = wipe_handle(view, state.selection, wipe);
      });
      std::vector<Rect> seen;
      for (const char* text : {"Drag this line", "Choose the algorithm", "Race all algorithms"})
        expect_apart(text, "hints", seen);
      if (with_message) expect_apart("no GPU here", "messages", seen);
    }
  }
  void expect_apart(const char* text, std::string_view window, std::vector<Rect>& seen) const {
    const auto place = TextCheck::place_of(text, window);
    ASSERT_TRUE(place) << where_ << ": no '" << text << "'";
    const Rect rect{place->Min.x, place->Min.y, place->GetWidth(), place->GetHeight()};
    EXPECT_FALSE(overlaps(rect, seen)) << where_ << ": " << text;
    seen.push_back(rect);
  }
};

TEST_F(WelcomeHintsTextTest, AreAllSeenAtAnySizeAndScale) {
  for (const float scale : {1.f, 1.5f, 2.f, 3.f})
    for (const ImVec2 size : {ImVec2(800 * scale, 600 * scale), ImVec2(1280 * scale, 800 * scale), ImVec2(3840, 2160)}) {
      open(size, scale);
      check("hints");
    }
  open({800, 600}, 1.5);
  check("hints with larger text", false);
  open({800, 600}, 1, Theme::light);
  check("hints in the light theme");
}

class WelcomeAboutTest : public ControlsTest {};

TEST_F(WelcomeAboutTest, ASentenceSaysWhatATableIsAndMoreShowsItOnAMatrix) {
  EXPECT_TRUE(shown("A summed area table holds", "about"));
  settings_.matrix_editor = false;
  EXPECT_TRUE(click_text("More", "about").empty());
  EXPECT_EQ(settings_.source, "matrix:8x8");
  EXPECT_TRUE(settings_.matrix_editor);
  show_matrix(state_);
  draw(2);
  EXPECT_FALSE(shown("More", "about"));
  click_text("Back", "about");
  EXPECT_EQ(settings_.source, "lobby.mp4");
  state_ = example_state(settings_);
  draw(2);
  EXPECT_TRUE(shown("More", "about"));
}

TEST_F(WelcomeAboutTest, BackGoesToWhereTheSourceWasLeftAndPausedAsItWas) {
  for (const bool paused : {false, true})
    for (const bool toggled : {false, true}) {  // while the matrix is shown
      started_.clear();
      state_ = example_state(settings_);
      state_.position = 7.25;
      state_.paused = paused;
      click_text("More", "about");
      EXPECT_TRUE(started_.empty());
      show_matrix(state_);
      state_.position = 0;
      state_.paused = paused != toggled;
      draw(2);
      const auto actions = click_text("Back", "about");
      EXPECT_EQ(started_, std::vector{7.25});
      if (toggled)
        EXPECT_EQ(actions, std::vector{paused ? Action::pause : Action::resume});
      else
        EXPECT_TRUE(actions.empty());
    }
}

TEST_F(WelcomeAboutTest, BackHidesThePasswordOfTheSource) {
  settings_.source = "rtsp://a:secret@b/1";
  click_text("More", "about");
  show_matrix(state_);
  draw(2);
  ImGui::GetIO().MousePos = middle_of("Back", "about");
  draw(3);
  EXPECT_TRUE(shown("rtsp://a:***@b/1", "##Tooltip"));
}

TEST_F(WelcomeAboutTest, ASourceThatIsOpenedMeanwhileEndsTheExample) {
  click_text("More", "about");
  settings_.source = "other.mp4";
  draw(2);
  EXPECT_FALSE(shown("Back", "about"));
  click_text("More", "about");
  click_text("Back", "about");
  EXPECT_EQ(settings_.source, "other.mp4");
}

TEST_F(WelcomeAboutTest, OfAMatrixThatIsThereItsOwnTableIsShown) {
  settings_.source = "m.csv";
  show_matrix(state_);
  settings_.matrix_editor = false;
  draw(2);
  click_text("More", "about");
  EXPECT_EQ(settings_.source, "m.csv");
  EXPECT_TRUE(settings_.matrix_editor);
  click_text("More", "about");
  EXPECT_EQ(settings_.source, "m.csv") << "it is shown already";
}

TEST_F(WelcomeAboutTest, ALowWindowKeepsTheChoicesAndTheButtons) {
  ImGui::GetIO().DisplaySize = {640, 400};
  draw(3);
  EXPECT_FALSE(shown("A summed area table holds", "about"));
  EXPECT_TRUE(shown("More", "about"));
  EXPECT_TRUE(shown("Source", "choices"));
}

class WelcomeSimpleLayoutTest : public ControlsTest {
 protected:
  // The panels that are there.
  bool full() const { return shown("Race", "dock") && shown("Source", "choices") && shown("Help", "bar"); }
  bool simple() const {
    return !shown("Race", "dock") && !shown("Source", "choices") && !shown("Help", "bar") && shown("Box blur", "choices") &&
           shown("Window", "choices");
  }
};

TEST_F(WelcomeSimpleLayoutTest, AKeyAndAButtonSwitchBetweenBothLayouts) {
  EXPECT_TRUE(full());
  type("L");
  draw(2);
  EXPECT_TRUE(settings_.simple);
  EXPECT_TRUE(simple());
  click_text("All panels", "about");
  EXPECT_TRUE(full());
  click_text("Simple layout", "about");
  EXPECT_TRUE(simple());
  type("L");
  draw(2);
  EXPECT_TRUE(full());
}

TEST_F(WelcomeSimpleLayoutTest, TheTransportAppearsWhereTheMouseIsNear) {
  settings_.simple = true;
  draw(2);
  EXPECT_FALSE(shown("0:07.3", "transport"));
  ImGui::GetIO().MousePos = {800, height - 10};
  draw(2);
  EXPECT_TRUE(shown("0:07.3", "transport"));
  EXPECT_TRUE(shown("All panels", "about")) << "it covers no choices";
}

TEST_F(WelcomeSimpleLayoutTest, WhatTheHiddenPanelsWouldSayIsSaidOverThePicture) {
  state_.refusal = "the window is larger than the picture";
  draw(2);
  EXPECT_FALSE(shown("refused", "messages"));
  settings_.simple = true;
  draw(2);
  EXPECT_TRUE(shown("refused", "messages"));
}

TEST_F(WelcomeSimpleLayoutTest, ARecordingIsSeenAndStoppedWhereThereIsNoBar) {
  state_.recorded_seconds = 83.4;
  for (const bool panels : {true, false}) {
    settings_.simple = settings_.panels = panels;
    const auto* place = panels ? "choices" : "recording";
    state_.recording = state_.saving_video = false;
    draw(2);
    EXPECT_FALSE(shown("Recording", "") || shown("saving video", ""));
    state_.recording = state_.saving_video = true;
    draw(2);
    EXPECT_TRUE(shown("saving video", place));
    EXPECT_EQ(click_text("Recording 1:23.4", place), std::vector{Action::toggle_record});
  }
}

}  // namespace
}  // namespace app::ui
