// The section Compare under the mouse.
#include "app/tests/ui/controls_test.h"

namespace app::ui {
namespace {

class CompareTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.compare.on = true;
    draw(2);
  }
  static std::string sides(const Settings& settings) { return settings.compare.a + ',' + settings.compare.b; }
};

TEST_F(CompareTest, SwapExchangesTheSides) {
  click_text("Swap", "choices");
  EXPECT_EQ(sides(settings_), "result,original");
  settings_.compare.on = false;
  draw(2);
  click_text("Swap", "choices");
  EXPECT_EQ(sides(settings_), "result,original") << "nothing is compared";
}

TEST_F(CompareTest, TheBoxStartsAndEndsIt) {
  // The second text of that name, below the section's title.
  const auto swap = middle_of("Swap", "choices");
  const auto box = places().left.x + places().left.width * 0.4f;
  for (const bool on : {false, true}) {
    for (float x = box - 40; x < box + 20 && settings_.compare.on != on; x += 5) click(x, swap.y);
    EXPECT_EQ(settings_.compare.on, on);
  }
}

TEST_F(CompareTest, TheListsChooseTheSidesAndStartIt) {
  settings_.compare.on = false;
  draw(2);
  click_control("A");
  choose("The table");
  EXPECT_EQ(sides(settings_), "sat_view,result");
  EXPECT_TRUE(settings_.compare.on);
  click_control("B");
  choose("host_serial");
  EXPECT_EQ(sides(settings_), "sat_view,host_serial");
  click_control("B");
  choose("The table");
  EXPECT_EQ(sides(settings_), "sat_view,host_serial") << "a side is not compared with itself";
}

TEST_F(CompareTest, TheListsHaveAlgorithmsByFamilyAndYear) {
  state_.device = gpu::Device::simulated;
  settings_.device = DeviceChoice::simulated;
  draw(2);
  click_control("A");
  float above = 0;
  for (const char* text :
       {"Rows and columns", "2r2w", "Scan and transpose", "transpose_harris", "Tiles in one kernel", "1r1w_skss"}) {
    const auto place = TextCheck::place_of(text, "##Combo");
    ASSERT_TRUE(place) << text;
    EXPECT_GT(place->Min.y, above) << text;
    above = place->Min.y;
  }
}

TEST_F(CompareTest, TheListsLeaveOutWhatTheDeviceCannotRunAndSaySo) {
  click_control("A");
  EXPECT_FALSE(shown("2r1w", "##Combo"));
  EXPECT_TRUE(shown("more on the GPU or the simulated GPU", "##Combo"));
  EXPECT_TRUE(shown("Box blur", "##Combo"));
  EXPECT_FALSE(shown("box_blur", "##Combo"));
}

TEST_F(CompareTest, EachViewHasItsSlider) {
  const auto click_wipe = [&](float fraction) { click_control("Amplify", fraction, -ImGui::GetFrameHeightWithSpacing()); };
  click_wipe(0.05f);
  const auto wipe = settings_.wipe;
  EXPECT_LT(wipe, 0.45);
  click_wipe(0.4f);
  EXPECT_GT(settings_.wipe, wipe + 0.2);
  click_control("Amplify", 0.5f);
  EXPECT_EQ(settings_.amplification, 8) << "nothing is amplified";

  click_control("View");
  choose("Difference");
  EXPECT_EQ(settings_.compare_mode, gpu::Composition::Mode::difference);
  const auto before = settings_.wipe;
  click_wipe(0.1f);
  EXPECT_EQ(settings_.wipe, before) << "a difference has no wipe";
  click_control("Amplify", 0.05f);
  EXPECT_LT(settings_.amplification, 8);
  click_control("Amplify", 0.5f);
  EXPECT_GT(settings_.amplification, 8);
}

}  // namespace
}  // namespace app::ui
