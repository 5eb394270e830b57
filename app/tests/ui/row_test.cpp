// The transport bar, and the question before the program quits, under mouse and keyboard.
#include <imgui_internal.h>

#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"

namespace app::ui {
namespace {

class TransportBarTest : public PanelsTest {
 protected:
  void SetUp() override {
    PanelsTest::SetUp();
    state_.capture.no_seek.clear();
    draw(2);
  }
  Rect bar() const { return layout(settings_, 1280, 1000, 1).transport; }
  float middle() const { return bar().y + bar().height / 2; }
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

TEST_F(TransportBarTest, TheSeekBarGoesWhereItIsClickedAndDragged) {
  const auto x = bar().x + bar().width / 2;
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

TEST_F(TransportBarTest, UntilTheSourceIsThereThePlaceThatWasSoughtIsShown) {
  const auto shows = [](double time) { return TextCheck::place_of(seconds(time) + " /", "transport").has_value(); };
  for (const float part : {0.6f, 0.5f}) {
    state_.source.seeking = true;
    click(bar().x + bar().width * part, middle());
    draw(2);
    EXPECT_TRUE(shows(sought_.back())) << part;
    EXPECT_FALSE(shows(state_.position)) << part;
    state_.source.seeking = false;
    draw(2);
    EXPECT_FALSE(shows(sought_.back())) << part;
    EXPECT_TRUE(shows(state_.position)) << part;
  }
}

TEST_F(TransportBarTest, AMouseThatRestsAsksOnce) {
  auto& io = ImGui::GetIO();
  io.MousePos = {bar().x + bar().width / 2, middle()};
  draw();
  io.MouseDown[0] = true;
  draw(30);
  io.MouseDown[0] = false;
  draw();
  EXPECT_EQ(sought_.size(), 1u);
}

TEST_F(TransportBarTest, TheButtonsAreInTheOrderOfEveryPlayer) {
  const auto side = ImGui::GetFrameHeight(), left = bar().x + ImGui::GetStyle().WindowPadding.x;
  std::vector<Action> actions;
  for (int i = 0; i < 4; ++i)
    for (const auto action : click(left + side * (static_cast<float>(i) + 0.5f), middle())) actions.push_back(action);
  EXPECT_EQ(actions, (std::vector{Action::to_start, Action::step_back, Action::toggle_pause, Action::step_forward}));
}

TEST_F(TransportBarTest, ASourceWithoutPlacesHasNoSeekBar) {
  state_.capture.no_seek = "a camera cannot seek";
  state_.capture.kind = capture::SourceKind::camera;
  const auto side = ImGui::GetFrameHeight(), left = bar().x + ImGui::GetStyle().WindowPadding.x;
  EXPECT_TRUE(click(left + side / 2, middle()).empty());
  EXPECT_TRUE(click(bar().x + bar().width / 2, middle()).empty());
  EXPECT_TRUE(sought_.empty());
  EXPECT_EQ(click(left + side * 2.5f, middle()), std::vector{Action::toggle_pause}) << "it can still be paused";
}

TEST_F(TransportBarTest, WithoutPanelsItAppearsAtTheLowerEdge) {
  settings_.panels = false;
  click(640, 500);
  EXPECT_TRUE(sought_.empty());
  click(640, 985);
  EXPECT_EQ(sought_.size(), 1u);
  const auto background = ImGui::GetColorU32(ImGuiCol_WindowBg);
  EXPECT_TRUE(has(*ImGui::FindWindowByName("transport")->DrawList, background)) << "it lies on the picture";
}

TEST_F(TransportBarTest, WithoutPanelsADragHoldsItWhereverTheMouseGoes) {
  settings_.panels = false;
  auto& io = ImGui::GetIO();
  const auto drag_to = [&](ImVec2 place, bool down) {
    io.MousePos = place;
    io.MouseDown[0] = down;
    draw(2);
  };
  for (int time = 0; time < 2; ++time) {
    sought_.clear();
    drag_to({640, 985}, false);
    drag_to({640, 985}, true);
    ASSERT_EQ(sought_.size(), 1u) << time;
    drag_to({700, 300}, true);
    ASSERT_EQ(sought_.size(), 2u) << time;
    EXPECT_GT(sought_[1], sought_[0]) << time;
    drag_to({700, 300}, false);
    drag_to({760, 300}, true);
    EXPECT_EQ(sought_.size(), 2u) << "it is gone " << time;
    drag_to({760, 300}, false);
  }
}

TEST_F(TransportBarTest, KeysChangeTheSpeed) {
  type("}");
  EXPECT_EQ(settings_.speed, 2);
  type("}}}");
  EXPECT_EQ(settings_.speed, 4);
  press(KeyCode::backspace);
  EXPECT_EQ(settings_.speed, 1);
  type("{{{{");
  EXPECT_EQ(settings_.speed, 0.25);
}

TEST_F(TransportBarTest, QuittingWhileSomethingIsRecordedAsksFirst) {
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

TEST_F(TransportBarTest, ClosingTheWindowWhileSomethingIsRecordedAsksFirst) {
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

TEST_F(TransportBarTest, QuittingWithAChangedMatrixOffersToSaveIt) {
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

  state_.matrix_unsaved = true;
  EXPECT_FALSE(panels_.may_close(state_));
  draw(2);
  EXPECT_EQ(type("q"), std::vector{Action::save_matrix}) << "the key that saves a video saves the numbers, too";
  state_.matrix_unsaved = false;
  EXPECT_EQ(draw(), std::vector{Action::quit});

  state_.matrix_unsaved = true;
  EXPECT_FALSE(panels_.may_close(state_));
  draw(2);
  EXPECT_FALSE(panels_.may_close(state_)) << "likewise";
  EXPECT_EQ(draw(), std::vector{Action::save_matrix});
}

TEST_F(TransportBarTest, TabAndTheArrowsChooseAnAnswerAndOtherKeysWait) {
  state_.matrix_unsaved = true;
  const auto before = settings_;
  type("q");
  draw(2);
  EXPECT_TRUE(press(KeyCode::tab).empty());
  EXPECT_TRUE(type("eIs").empty());
  EXPECT_EQ(settings_, before) << "Tab hides no panels behind the question, nor do other keys act there";
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
  press(KeyCode::left);  // around to the last one
  press(KeyCode::tab);   // and to the first
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::save_matrix});
}

TEST_F(TransportBarTest, AMatrixThatCannotBeSavedKeepsTheProgramOpen) {
  state_.matrix_unsaved = state_.recording = true;
  EXPECT_TRUE(type("q").empty());
  draw(2);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::save_matrix});
  EXPECT_TRUE(draw(5).empty());
  EXPECT_FALSE(TextCheck::place_of("It could not be saved: no space; free some", "quit"));
  state_.matrix_problem = "no space; free some";
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("It could not be saved: no space; free some", "quit"))
      << "the question covers the message";
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "canceled";
  state_.matrix_unsaved = false;
  EXPECT_TRUE(draw(3).empty());
}

}  // namespace
}  // namespace app::ui
