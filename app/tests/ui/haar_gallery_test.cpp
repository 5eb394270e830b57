// The gallery of features in the dock and over the picture, without a display.
#include "app/control/feature_gallery.h"
#include "app/tests/ui/controls_test.h"
#include "app/ui/layout.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

class HaarGalleryTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.dock = Dock::detector;
    state_.cascade = {};
    show(HaarFeature{HaarType::type_2_y, 3, 4, 5, 6});
    auto found = std::make_shared<FoundResponses>();
    found->feature = on_picture(chosen(), settings_.feature_scale);
    found->picture = state_.picture;
    found->strongest = {{40, 30, 123'456}, {400, 200, -98'765}, {7, 9, 1'234}};
    state_.features = {found, true};
    draw(2);
  }
  void draw_under_panels() override { ranks_ = draw_features(view_, state_.features, settings_, numbers_); }
  void show(const HaarFeature& feature) {
    app::apply(settings_, changes_to_show_feature(settings_, number_of(feature), 4, state_.picture));
    view_.image = state_.picture;
  }
  HaarFeature chosen() const { return feature_at(settings_.feature); }

  View view_{0, {0.5, 0.5}, {60, 50}, {320, 40, 900, 500}};
  std::vector<Rect> ranks_, numbers_;
};

TEST_F(HaarGalleryTest, ItSaysHowManyFeaturesThereAre) {
  EXPECT_TRUE(shown("of 162 336", "dock"));
  EXPECT_TRUE(shown("43 200 features", "dock"));
}

TEST_F(HaarGalleryTest, AClickOnAPictureChoosesTheTypeAndKeepsTheSize) {
  const auto count = TextCheck::place_of("43 200 features", "dock");
  ASSERT_TRUE(count);
  click(count->Min.x - 20, count->GetCenter().y);  // the last picture
  EXPECT_EQ(chosen().type, HaarType::type_4);
  EXPECT_EQ(chosen().width, 5);
  EXPECT_EQ(chosen().height, 6);
  EXPECT_TRUE(draws_chosen_feature(settings_, state_.picture));
}

TEST_F(HaarGalleryTest, TheButtonsBesideTheSliderAreTheActionsOfTheKeys) {
  EXPECT_EQ(click_text("<", "dock"), std::vector{Action::previous_feature});
  EXPECT_EQ(click_text(">", "dock"), std::vector{Action::next_feature});
  EXPECT_EQ(type("n"), std::vector{Action::next_feature});
}

TEST_F(HaarGalleryTest, ADragInTheWindowMovesTheFeatureWithinIt) {
  const auto dock = places().dock;
  const auto pad = ImGui::GetStyle().WindowPadding;
  const auto top = middle_of("Rectangles", "dock");
  drag({dock.x + pad.x + 60, top.y}, {dock.x + pad.x + 1000, top.y + 900});
  EXPECT_EQ(chosen().x + chosen().full_width(), feature_window);
  EXPECT_EQ(chosen().y + chosen().full_height(), feature_window);
  EXPECT_EQ(chosen().width, 5);
  EXPECT_EQ(chosen().height, 6);
}

TEST_F(HaarGalleryTest, ANumberThatIsTypedIsFittedIntoTheWindow) {
  const auto row = TextCheck::place_of("Rectangles", "dock");
  ASSERT_TRUE(row);
  for (const auto& [typed, width] : {std::pair{"99", 24}, {"0", 1}, {"3000000000", 24}, {"-3000000000", 1}}) {
    click(row->Max.x + 20, row->GetCenter().y);
    for (int i = 0; i < 3; ++i) press(KeyCode::backspace);
    type(typed);
    click(1279, 200);
    EXPECT_EQ(chosen().width, width) << typed;
    EXPECT_EQ(chosen().x, 0);
    EXPECT_EQ(chosen().height, 6);
  }
}

TEST_F(HaarGalleryTest, AClickOnAResponseMovesTheFeatureThere) {
  click_text("-98 765", "dock/tab_");
  EXPECT_EQ(settings_.pointer, (Pointer{400, 200}));
  EXPECT_TRUE(draws_chosen_feature(settings_, state_.picture));
}

TEST_F(HaarGalleryTest, AnotherEffectSaysHowTheFeatureIsShown) {
  EXPECT_FALSE(shown("Show", "dock"));
  settings_.effect = "box_blur";
  draw(2);
  EXPECT_EQ(click_text("Show", "dock"), std::vector{Action::show_feature});
}

TEST_F(HaarGalleryTest, TheResponsesAreOverThePictureWhileTheTabIsShown) {
  EXPECT_EQ(ranks_.size(), 3u);
  settings_.dock = Dock::frame;
  draw();
  EXPECT_TRUE(ranks_.empty());
  settings_.dock = Dock::detector;
  state_.features.found = std::make_shared<FoundResponses>(FoundResponses{{}, {1, 1}, {{0, 0, 5}}});
  draw();
  EXPECT_TRUE(ranks_.empty()) << "of a picture of another size";
}

TEST_F(HaarGalleryTest, RanksDoNotHideTheNumbersInTheCells) {
  const auto usual = ranks_;
  ASSERT_EQ(usual.size(), 3u);
  numbers_ = {{320, usual[0].y + 4, 900, usual[0].height}};
  draw();
  ASSERT_EQ(ranks_.size(), 3u);
  for (const auto& rank : ranks_) EXPECT_FALSE(overlaps(rank, numbers_));
}

TEST_F(HaarGalleryTest, TheUsualWindowHasRoomForTheList) {
  ImGui::GetIO().DisplaySize = {1280, 800};
  state_.picture = {1920, 1080};
  draw(3);
  EXPECT_TRUE(shown("+123 456", "dock/tab_"));
  EXPECT_TRUE(shown("43 200 features", "dock"));
}

TEST_F(HaarGalleryTest, ItSaysWhyThereAreNone) {
  auto found = *state_.features.found;
  found.strongest.clear();
  state_.features.found = std::make_shared<FoundResponses>(found);
  draw(2);
  EXPECT_TRUE(shown("responds nowhere", "dock/tab_"));
  found.feature.width = 5000;
  state_.features.found = std::make_shared<FoundResponses>(found);
  draw(2);
  EXPECT_TRUE(shown("choose a smaller scale", "dock/tab_"));
  found.problem = "memory is exhausted";
  state_.features.found = std::make_shared<FoundResponses>(found);
  draw(2);
  EXPECT_TRUE(shown("memory is exhausted", "dock/tab_"));
  state_.features.found = nullptr;
  draw(2);
  EXPECT_TRUE(shown("are listed here", "dock/tab_"));
}

}  // namespace
}  // namespace app::ui
