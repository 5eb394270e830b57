// The tab of the detector with a cascade: what it says before a window is chosen, its stages and features, and what is drawn over the picture.
#include <imgui_internal.h>

#include "app/session/cascade_words.h"
#include "app/tests/ui/controls_test.h"
#include "app/ui/panel.h"
#include "app/ui/trace_colours.h"

namespace app::ui {
namespace {

class DetectorTabTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.dock = Dock::detector;
    state_.cascade.available = true;
    draw(2);
  }
  // A screen pixel is a pixel of the picture.
  void draw_under_panels() override {
    view_ = {1, {0.5, 0.5}, state_.picture, {}};
    const auto area = places().picture;
    view_.area = {area.x, area.y, area.width, area.height};
    words_ = draw_cascade_window(view_, state_.cascade, settings_);
    over_picture_.assign(ImGui::GetBackgroundDrawList()->VtxBuffer.begin(), ImGui::GetBackgroundDrawList()->VtxBuffer.end());
  }
  void show() {
    state_.cascade.window = example_cascade_window();
    settings_.cascade_at = Pointer{150, 130};
    draw(2);
  }
  int drawn(ImU32 colour) const { return static_cast<int>(std::ranges::count(over_picture_, colour, &ImDrawVert::col)); }
  bool corner(ImU32 colour, double x, double y) const {
    const auto at = view_.image_to_screen({x, y});
    return std::ranges::any_of(over_picture_, [&](const ImDrawVert& v) {
      return v.col == colour && std::abs(v.pos.x - at.x) < 1.5 && std::abs(v.pos.y - at.y) < 1.5;
    });
  }

  View view_;
  std::vector<Rect> words_;
  std::vector<ImDrawVert> over_picture_;
};

constexpr ImU32 white = colour::rgb(0xffffff, 150), black = colour::rgb(0, 150);

TEST_F(DetectorTabTest, SaysWhatToDo) {
  EXPECT_TRUE(shown("Click a face", "dock"));
  state_.cascade.problem = "no window has its centre there";
  draw(2);
  EXPECT_TRUE(shown("no window has its centre there", "dock"));
  state_.cascade = {};
  draw(2);
  EXPECT_TRUE(words_.empty());
}

TEST_F(DetectorTabTest, IsOfferedWhereTheEffectHasACascade) {
  settings_.dock = Dock::frame;
  draw(2);
  EXPECT_TRUE(shown("Detector", "dock"));
  state_.cascade = {};
  draw(2);
  EXPECT_FALSE(shown("Detector", "dock"));
}

TEST_F(DetectorTabTest, ShowsTheStageThatRejectedTheWindowUntilAnotherIsChosen) {
  show();
  EXPECT_TRUE(shown("Not found: passes 1 of 3 stages", "dock"));
  EXPECT_TRUE(shown("40x40 at (130, 110)", "dock"));
  EXPECT_TRUE(shown("-0.625", "dock/")) << "the sum of the stage that rejected it";
  EXPECT_TRUE(shown("stage 2: sum -0.625, threshold 0.500: rejected", "##Background"));
  EXPECT_FALSE(shown("0.8750", "dock/")) << "a value of the third stage";
  click_text("0.750", "dock/");  // the third stage's sum
  EXPECT_EQ(settings_.cascade_stage, 3);
  EXPECT_TRUE(shown("0.8750", "dock/"));
  EXPECT_TRUE(shown("stage 3: sum 0.750, threshold 0.250: not reached (would pass)", "##Background"));
}

TEST_F(DetectorTabTest, TheVotesOfTheStageAddUpInWords) {
  show();
  EXPECT_TRUE(shown("Votes of 3 features: -0.250 - 0.375 = -0.625", "dock/"));
  EXPECT_TRUE(shown("Stage 2", "dock/"));
}

TEST_F(DetectorTabTest, WhatATreesPathDoesNotReachIsNotEvaluated) {
  show();
  EXPECT_TRUE(shown("not evaluated", "dock/"));
}

TEST_F(DetectorTabTest, AFeatureThatLeavesTheVoteToAnotherHasADash) {
  auto window = *example_cascade_window();
  window.stages.stages[1].nodes[0].vote.reset();
  state_.cascade.window = std::make_shared<const CascadeWindow>(window);
  settings_.cascade_at = Pointer{150, 130};
  draw(2);
  ImGui::GetIO().MousePos = middle_of("\u2013", "dock/");
  draw(3);
  EXPECT_TRUE(shown("another feature of its tree", "##Tooltip")) << texts_of("##Tooltip");
}

// The rejecting stage would otherwise be scrolled to.
TEST_F(DetectorTabTest, AWindowIsSeenFromItsSentenceOnAlsoInALowDock) {
  ImGui::GetIO().DisplaySize = {800, 600};
  settings_.dock_open = false;
  draw(2);
  show();
  settings_.dock_open = true;
  draw(4);
  const auto& windows = ImGui::GetCurrentContext()->Windows;
  const auto* tab = std::find_if(windows.begin(), windows.end(), [](const auto* window) {
    return window->Active && std::string_view(window->Name).starts_with("dock/tab_");
  });
  ASSERT_NE(tab, windows.end());
  EXPECT_EQ((*tab)->Scroll.y, 0);
}

TEST_F(DetectorTabTest, InTheUsualWindowTwentyStagesAndTheirFeaturesAreInSight) {
  ImGui::GetIO().DisplaySize = {1280, 800};
  auto long_one = *example_cascade_window();
  auto& stages = long_one.stages.stages;
  while (stages.size() < 20) stages.push_back(stages.front());
  long_one.stages.passed = 20;
  state_.cascade.window = std::make_shared<const CascadeWindow>(long_one);
  settings_.cascade_at = Pointer{150, 130};
  draw(3);
  for (const char* words : {"Found: passes 20 of 20 stages", "Vote", "Stage 20"})
    EXPECT_TRUE(shown(words, "dock/")) << words;
}

TEST_F(DetectorTabTest, AFeatureIsDrawnAloneUntilItIsClickedAgain) {
  show();
  EXPECT_EQ(drawn(white), 0);
  click_text("0.1250", "dock/");  // the value of the stage's first feature
  EXPECT_EQ(settings_.cascade_feature, 1);
  EXPECT_TRUE(shown("feature 1: 0.1250 is not below 0.0000: vote -0.250", "##Background"));
  EXPECT_TRUE(shown("black -1, white +3", "##Background"));
  // 12 x 6 of 20 x 20 pixels from (4, 5) on, twice as large; a third of it is white.
  for (const auto& [x, y] : {std::pair(138, 120), {162, 120}, {162, 132}, {138, 132}}) EXPECT_TRUE(corner(black, x, y)) << x;
  for (const auto& [x, y] : {std::pair(146, 120), {154, 132}}) EXPECT_TRUE(corner(white, x, y)) << x;
  EXPECT_FALSE(corner(white, 138, 120));
  click_text("0.1250", "dock/");
  EXPECT_EQ(settings_.cascade_feature, 0);
}

TEST_F(DetectorTabTest, ATiltedFeatureIsDrawnAsItLies) {
  show();
  settings_.cascade_feature = 2;
  draw(2);
  // From (10, 4): 6 to the right and down, then 3 to the left and down.
  for (const auto& [x, y] : {std::pair(10, 4), {16, 10}, {13, 13}, {7, 7}})
    EXPECT_TRUE(corner(black, 130 + 2 * x, 110 + 2 * y)) << x;
}

TEST_F(DetectorTabTest, ChoosingAnotherStageDrawsAllOfItsFeatures) {
  show();
  settings_.cascade_feature = 2;
  draw(2);
  click_text("0.750", "dock/");
  EXPECT_EQ(settings_.cascade_feature, 0);
}

TEST_F(DetectorTabTest, AClickOnATitleSortsTheStages) {
  show();
  const auto second_is_first = [&] { return middle_of("-0.625", "dock/").y < middle_of("0.750", "dock/").y; };
  EXPECT_TRUE(second_is_first());
  click_text("Stage", "dock/");
  EXPECT_FALSE(second_is_first()) << "from the last one on";
  click_text("-0.625", "dock/");
  EXPECT_EQ(settings_.cascade_stage, 2);
  click_text("Sum", "dock/");
  EXPECT_TRUE(second_is_first());
}

TEST_F(DetectorTabTest, KeysAskForTheNextStageAndThePrevious) {
  show();
  EXPECT_EQ(type(">"), std::vector{Action::next_stage});
  EXPECT_EQ(type("<"), std::vector{Action::previous_stage});
  const auto at = middle_of("0.750", "dock/");
  ImGui::GetIO().MousePos = at;
  draw(3);
  EXPECT_TRUE(shown("<, >: previous and next stage", "##Tooltip"));
}

TEST_F(DetectorTabTest, TheWindowIsForgottenByItsButtonAndByEscape) {
  show();
  click_text("Clear", "dock");
  EXPECT_FALSE(settings_.cascade_at);
  show();
  press(KeyCode::escape);
  EXPECT_FALSE(settings_.cascade_at);
  show();
  settings_.dock = Dock::race;
  press(KeyCode::escape);
  EXPECT_TRUE(settings_.cascade_at) << "it is not shown";
}

TEST_F(DetectorTabTest, OverThePictureOnlyWhileTheTabIsShown) {
  show();
  EXPECT_EQ(words_.size(), 1u);
  for (auto* hidden : {&settings_.panels, &settings_.dock_open}) {
    *hidden = false;
    draw(2);
    EXPECT_TRUE(words_.empty());
    *hidden = true;
  }
  settings_.dock = Dock::frame;
  draw(2);
  EXPECT_TRUE(words_.empty());
}

TEST_F(DetectorTabTest, AWindowWithoutContrastHasNoStages) {
  show();
  auto flat = std::make_shared<CascadeWindow>(*state_.cascade.window);
  flat->stages.stages.clear();
  state_.cascade.window = flat;
  draw(2);
  EXPECT_TRUE(shown("too little contrast", "dock"));
  EXPECT_TRUE(shown("too little contrast", "##Background"));
}

TEST_F(DetectorTabTest, TheColoursOfDepthsHaveALegend) {
  const auto first = colour_of_fraction(0.5 / 32);
  show();
  const auto has_it = [&] {
    return std::ranges::any_of(draw_lists(), [&](const auto* list) {
      return std::string_view(list->_OwnerName).starts_with("dock/tab_") && has(*list, first);
    });
  };
  EXPECT_FALSE(has_it());
  state_.cascade.shows_depths = true;
  draw(2);
  EXPECT_TRUE(has_it());
}

// 3 x 3 blocks of 2 x 3 of 20 x 20 pixels from (4, 5) on, twice as large; code 177 is 10110001.
TEST_F(DetectorTabTest, APatternsBlocksAreDrawnByItsCode) {
  state_.cascade.window = example_lbp_window();
  settings_.cascade_at = Pointer{150, 130};
  draw(2);
  EXPECT_TRUE(shown("In set", "dock/"));
  EXPECT_FALSE(shown("Threshold", "dock/features")) << texts_of("dock/features");
  click_text("177", "dock/");
  EXPECT_EQ(settings_.cascade_feature, 1);
  EXPECT_TRUE(shown("feature 1: code 10110001 is in its set: vote -0.250", "##Background"));
  EXPECT_TRUE(shown("3x3 blocks of 2x3: white where not below the middle, else black", "##Background"));
  EXPECT_TRUE(corner(white, 138, 120)) << "the block at the top left, bit 7";
  EXPECT_TRUE(corner(black, 142, 120)) << "above the middle, bit 6";
  EXPECT_TRUE(corner(white, 150, 120)) << "the one at the top right, bit 5";
  EXPECT_TRUE(corner(white, 150, 132)) << "right of the middle, bit 4";
  EXPECT_TRUE(corner(black, 150, 138)) << "the one at the bottom right, bit 3";
  EXPECT_TRUE(corner(black, 138, 138)) << "the one at the bottom left, bit 1";
  EXPECT_FALSE(corner(black, 144, 129)) << "the middle is clear";
  const auto whites = drawn(white), blacks = drawn(black);
  EXPECT_EQ(whites, blacks) << "four blocks each";
  EXPECT_GT(whites, 0);
  click_text("177", "dock/");
  EXPECT_EQ(settings_.cascade_feature, 0);
}

TEST(DetectorTabWordsTest, APatternsNodeSaysItsCode) {
  const auto window = example_lbp_window();
  const auto& nodes = window->stages.stages[1].nodes;
  EXPECT_EQ(feature_words(*window->cascade, nodes[1], 1), "feature 2: code 10110010 is not in its set: vote -0.375");
  EXPECT_EQ(feature_words(*window->cascade, nodes[2], 2), "feature 3: code 10110011 is not in its set, not evaluated");
  EXPECT_EQ(drawing_words(*window->cascade, nodes[1]), "3x3 blocks of 3x3: white where not below the middle, else black");
}

TEST(DetectorTabWordsTest, WhatIsChosenStaysInsideWhatThereIs) {
  const auto window = example_cascade_window();
  Settings settings;
  EXPECT_EQ(shown_stage(window->stages, settings), 1);
  EXPECT_EQ(shown_feature(window->stages, settings), -1);
  settings.cascade_stage = settings.cascade_feature = 99;
  EXPECT_EQ(shown_stage(window->stages, settings), 2);
  EXPECT_EQ(shown_feature(window->stages, settings), static_cast<int>(window->stages.stages[2].nodes.size()) - 1);
  auto other = *window;
  other.stages.visited = false;
  EXPECT_NE(result_words(other).find("left out"), std::string::npos);
  other.stages.stages.clear();
  EXPECT_EQ(shown_stage(other.stages, settings), -1);
  EXPECT_EQ(shown_feature(other.stages, settings), -1);
}

}  // namespace
}  // namespace app::ui
