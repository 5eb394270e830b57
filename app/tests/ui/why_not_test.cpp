// What cannot be done now is disabled, in the palette as in the window.
#include "app/ui/panel.h"

#include <gtest/gtest.h>

#include "app/tests/ui/panels_test.h"

namespace app::ui {
namespace {

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
  std::string why(Action action) const { return why_not(action, state_, settings_); }
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
  EXPECT_EQ(entered("next frame"), std::vector{Action::step_forward});
  EXPECT_EQ(why(Action::save_matrix), "The source is no matrix");
  state_.capture.kind = capture::SourceKind::matrix;
  state_.capture.no_seek = "a matrix has one picture";
  EXPECT_TRUE(entered("next frame").empty());
  for (const auto action :
       {Action::step_back, Action::seek, Action::seek_far_forward, Action::to_start, Action::toggle_pause, Action::faster})
    EXPECT_EQ(why(action), state_.capture.no_seek) << info(action).name;
  EXPECT_EQ(why(Action::save_matrix), "");
  settings_.palette = true;
  draw(3);
  type("seek = 3");
  press(KeyCode::enter);
  EXPECT_TRUE(sought_.empty());
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
