// The palette: what is typed finds commands and settings, arrows and Enter choose; what cannot be done now is disabled.
#include <gtest/gtest.h>

#include <imgui.h>
#include <imgui_internal.h>

#include "app/control/palette_entries.h"
#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

class PalettePanelTest : public PanelsTest {};

TEST_F(PalettePanelTest, ThePaletteFindsAndAppliesWhatIsTyped) {
  settings_.palette = true;
  draw(3);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  EXPECT_TRUE(type("effect the table").empty());
  EXPECT_TRUE(press(KeyCode::enter).empty());
  EXPECT_EQ(settings_.effect, "sat_view");
  EXPECT_FALSE(settings_.palette);
}

TEST_F(PalettePanelTest, PixelateHidesFaces) {
  settings_.palette = true;
  draw(3);
  type("pixelate");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.effect, "faces");
  EXPECT_EQ(settings_.effect_values["faces"]["show"], "pixelated");
}

// What it covers a part of, as the names of a comparison, is behind a scrim.
TEST_F(PalettePanelTest, WhatIsBelowThePaletteIsDimmed) {
  EXPECT_FALSE(ImGui::GetTopMostPopupModal());
  settings_.palette = true;
  draw(3);
  const auto* modal = ImGui::GetTopMostPopupModal();
  ASSERT_TRUE(modal);
  EXPECT_EQ(std::string_view(modal->Name), "palette");
}

TEST_F(PalettePanelTest, WhatIsTypedWhileThePaletteOpensIsNotLost) {
  settings_.palette = true;
  for (const char letter : std::string("effect the table")) EXPECT_TRUE(type({&letter, 1}).empty());
  press(KeyCode::enter);
  EXPECT_EQ(settings_.effect, "sat_view");
  for (const auto enter : {KeyCode::enter, KeyCode::pad_enter}) {
    settings_.palette = true;
    type("effect the table");
    press(enter);
    EXPECT_FALSE(settings_.palette);
  }
}

TEST_F(PalettePanelTest, ThePaletteIsDrivenByTheArrowsAndAsksForValues) {
  settings_.palette = true;
  draw(3);
  type("target");
  press(KeyCode::enter);  // the first entry asks for a value
  EXPECT_TRUE(settings_.palette);
  draw(2);
  press(KeyCode::backspace);  // the value, 0; the cursor is at the end of the line
  type("8");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.target_ms, 8);
  settings_.palette = true;
  draw(3);
  type("effect");
  const auto first = settings_.effect;
  press(KeyCode::down);
  press(KeyCode::down);
  press(KeyCode::up);
  press(KeyCode::enter);
  EXPECT_NE(settings_.effect, first);
}

// Whatever the arrows chose for the one before.
TEST_F(PalettePanelTest, AnotherQueryBeginsAtItsFirstEntry) {
  const auto start = settings_;
  const auto chosen = [&](const std::vector<std::string>& parts, int steps) {
    settings_ = start;
    settings_.palette = true;
    draw(3);
    for (const auto& part : parts) {
      if (&part != parts.data())
        for (int i = 0; i < 4; ++i) press(KeyCode::down);
      type(part);
    }
    for (int i = 0; i < steps; ++i) press(KeyCode::down);
    press(KeyCode::enter);
    EXPECT_FALSE(settings_.palette);
    return settings_.effect;
  };
  const auto second = chosen({"effect"}, 1), third = chosen({"effect"}, 2);
  ASSERT_NE(second, third);
  EXPECT_EQ(chosen({"effec", "t"}, 1), second);
  EXPECT_EQ(chosen({"e", "ff", "ect"}, 2), third);
}

TEST_F(PalettePanelTest, WhatThePaletteStartsIsAnActionAndEscapeClosesIt) {
  settings_.palette = true;
  draw(3);
  type("pause or resume");
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::toggle_pause});
  settings_.palette = true;
  draw(3);
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.palette);
}

// As a program that draws slowly finds them: the next key is pressed while Enter is let go.
TEST_F(PalettePanelTest, EscapeRightAfterARefusedLineClosesIt) {
  settings_.palette = true;
  draw(3);
  type("target_ms = abc");
  imgui::report(KeyCode::enter, true);
  draw();
  EXPECT_TRUE(settings_.palette);
  imgui::report(KeyCode::enter, false);
  imgui::report(KeyCode::escape, true);
  draw();
  imgui::report(KeyCode::escape, false);
  draw();
  EXPECT_FALSE(settings_.palette);
}

TEST_F(PalettePanelTest, ATabOfTheDockIsShownWhateverHidesIt) {
  settings_.panels = settings_.dock_open = false;
  settings_.palette = true;
  draw(3);
  type("dock race");
  press(KeyCode::enter);
  EXPECT_TRUE(shows(settings_, Dock::race));
}

TEST_F(PalettePanelTest, ADisabledEntryOfThePaletteDoesNothing) {
  state_.context.no_simulated = "it is not built";
  settings_.palette = true;
  draw(3);
  const auto before = settings_;
  type("algorithm 1r1w_skss_lb");
  press(KeyCode::enter);
  EXPECT_EQ(settings_, before);
}

TEST_F(PalettePanelTest, WhyAValueIsRefusedIsSaidInFull) {
  settings_.palette = true;
  draw(3);
  type("target_ms = abc");
  draw(2);
  const auto refused = typed_change("target_ms = abc", settings_, {});
  ASSERT_TRUE(refused && !refused->why_not.empty());
  EXPECT_TRUE(TextCheck::place_of(refused->why_not, "palette")) << refused->why_not;
}

TEST_F(PalettePanelTest, AReasonWithoutRoomBesideTheTitleIsBelowIt) {
  ImGui::GetIO().DisplaySize = {800, 600};
  settings_.palette = true;
  draw(3);
  type("target_ms = " + std::string(40, 'x') + " last");
  draw(3);
  const auto title = TextCheck::place_of("target_ms = xxx", "palette"),
             reason = TextCheck::place_of("takes a number", "palette");
  const auto end = TextCheck::place_of("last'", "palette");
  ASSERT_TRUE(title && reason && end);
  EXPECT_GE(reason->Min.y, title->Max.y - 1);
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(PalettePanelTest, KeysAtTheRightEndDoNotTouchTheScrollBar) {
  settings_.palette = true;
  draw(4);
  const ImGuiWindow* list = nullptr;
  for (const auto* window : ImGui::GetCurrentContext()->Windows)
    if (window->Active && std::string_view(window->Name).find("/entries") != std::string_view::npos) list = window;
  ASSERT_TRUE(list && list->ScrollbarY);
  const auto keys = TextCheck::place_of("Space", "palette");
  ASSERT_TRUE(keys);
  EXPECT_LT(keys->Max.x, list->InnerRect.Max.x - 3);
}

// What cannot be done now is disabled, in the palette as in the window.
class WhyNotTest : public PanelsTest {
 protected:
  // What the palette starts for `query` and Enter.
  std::vector<Action> entered(std::string_view query) {
    settings_.palette = true;
    draw(3);
    type(query);
    auto actions = press(KeyCode::enter);
    settings_.palette = false;
    draw(2);
    return actions;
  }
  std::string why(const Command& command) const { return why_not(command, state_, settings_); }
};

TEST_F(WhyNotTest, ARecordingCanBeStoppedOnlyWhileThereIsOne) {
  state_.recording = false;
  EXPECT_TRUE(entered("stop recording").empty()) << "least of all to start one";
  EXPECT_EQ(entered("start recording"), std::vector{Action::record});
  state_.recording = true;
  EXPECT_EQ(entered("stop recording"), std::vector{Action::stop_record});
  EXPECT_EQ(why(Action::record), "Already recording");
  EXPECT_EQ(why(Action::toggle_record), "");
}

TEST_F(WhyNotTest, AMatrixHasOneFrameAndAVideoNoNumbers) {
  EXPECT_EQ(entered("next frame"), std::vector{Action::step});
  EXPECT_EQ(commands_.back(), Command("step 1"));
  EXPECT_EQ(why(Action::save_matrix), "The source is not a matrix");
  state_.capture.kind = capture::SourceKind::matrix;
  state_.capture.no_seek = "a matrix has one picture";
  EXPECT_TRUE(entered("next frame").empty());
  for (const auto* line :
       {"step -1", "seek 3", "seek +60", "seek 0", "toggle_pause", "multiply speed 2", "speed /3", "reset speed"})
    EXPECT_EQ(why(line), state_.capture.no_seek) << line;
  EXPECT_EQ(why(Action::save_matrix), "");
  settings_.palette = true;
  draw(3);
  type("seek = 3");
  press(KeyCode::enter);
  EXPECT_TRUE(sought_.empty());
}

TEST_F(PalettePanelTest, ARefusedCommandSaysWhyItIsRefused) {
  state_.capture.no_seek = "a matrix is a single picture";
  settings_.palette = true;
  draw(3);
  type("record to aaa");
  draw(2);
  EXPECT_FALSE(TextCheck::place_of("single picture", "palette")) << "that is about seeking";
  EXPECT_TRUE(TextCheck::place_of(".mp4", "palette"));
}

TEST_F(PalettePanelTest, AParameterOfAnotherEffectIsChosenWithIt) {
  for (const auto& [line, effect] :
       {std::pair("haar.x = 8", "haar"), {"box_blur.window = 9x9", "box_blur"}, {"set haar.x 9", "haar"}}) {
    settings_.palette = true;
    draw(3);
    type(line);
    press(KeyCode::enter);
    EXPECT_EQ(settings_.effect, effect);
    EXPECT_EQ(settings_.host_algorithm, example_settings().host_algorithm);
  }
  settings_.palette = true;
  draw(3);
  type("2r1w.W = 64");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.effect, "haar") << "an algorithm's parameter leaves the effect";
}

TEST_F(WhyNotTest, WhatARaceATraceOrACheckHasNotLeftCannotBeSaved) {
  state_.race = {};
  state_.trace = {};
  state_.check = {};
  for (const auto& [action, reason] : {std::pair{Action::stop_race, "No race is running"},
                                       {Action::export_race, "Nothing has run yet"},
                                       {Action::export_trace, "Nothing was traced yet"},
                                       {Action::save_wrong_frame, "No table was wrong"}})
    EXPECT_EQ(why(action), reason);
  EXPECT_EQ(why(Action::start_race), "");
  state_.race.on = true;
  state_.race.runs = 1;
  state_.check.wrong = 1;
  for (const auto action : {Action::stop_race, Action::export_race, Action::save_wrong_frame}) EXPECT_EQ(why(action), "");
  EXPECT_EQ(why(Action::start_race), "The race is running");
}

}  // namespace
}  // namespace app::ui
