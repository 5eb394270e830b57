// The preferences under the mouse.
#include "app/tests/ui/controls_test.h"

#include "app/control/settings_file.h"

namespace app::ui {
namespace {

class PreferencesTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    open();
  }
  void open() {
    settings_.preferences = true;
    draw(3);
    ASSERT_TRUE(shown("Preferences", "Preferences"));
  }
  // What is at the height of a text, so far right of it.
  std::vector<Action> click_beside(const std::string& text, float right) {
    const auto place = TextCheck::place_of(text, "Preferences");
    if (!place) ADD_FAILURE() << text;
    if (!place) return {};
    auto actions = click(place->Max.x + right, place->GetCenter().y);
    rest();
    return actions;
  }
};

TEST_F(PreferencesTest, AreOpenedByTheirKeyAndClosedByEscapeTheirButtonsAndTheSetting) {
  const auto* dialog = ImGui::FindWindowByName("Preferences");
  ASSERT_TRUE(dialog);
  press(KeyCode::escape);
  draw(2);
  EXPECT_FALSE(settings_.preferences);
  EXPECT_FALSE(dialog->Active);
  imgui::report_control(true);
  imgui::report(imgui::KeyCode::comma, true);
  draw();
  imgui::report(imgui::KeyCode::comma, false);
  imgui::report_control(false);
  draw(3);
  EXPECT_TRUE(settings_.preferences);
  EXPECT_TRUE(dialog->Active);
  click_text("Close", "Preferences");
  EXPECT_FALSE(settings_.preferences);
  open();
  settings_.preferences = false;  // by a script
  draw(2);
  EXPECT_FALSE(dialog->Active);
  EXPECT_FALSE(settings_.preferences);
}

TEST_F(PreferencesTest, EverythingIsResetByAButton) {
  settings_.theme = Theme::light;
  click_text("Reset everything", "Preferences");
  EXPECT_EQ(settings_, as_at_first_start(settings_)) << "also these are closed";
}

TEST_F(PreferencesTest, TheThemeIsChosen) {
  click_text("Light", "Preferences");
  EXPECT_EQ(settings_.theme, Theme::light);
  click_text("Dark", "Preferences");
  EXPECT_EQ(settings_.theme, Theme::dark);
}

TEST_F(PreferencesTest, TextBecomesLargerAndSmallerAndAsTheDisplayAsks) {
  settings_.ui_scale = 1.5;
  draw(2);
  click_text("+", "Preferences");
  EXPECT_EQ(settings_.ui_scale, 1.75);
  click_text("-", "Preferences");
  EXPECT_EQ(settings_.ui_scale, 1.5);
  const auto words = TextCheck::place_of("AutoCtrl", "Preferences");  // what is beside the button is of the same line
  ASSERT_TRUE(words);
  click(words->Min.x + 4, words->GetCenter().y);
  EXPECT_EQ(settings_.ui_scale, 0);
}

TEST_F(PreferencesTest, VsyncTheSizeOfVideosAndTheTargetAreChosen) {
  const bool vsync = settings_.vsync;
  click_text("vsync", "Preferences");
  EXPECT_NE(settings_.vsync, vsync);
  for (const auto& [text, size] : {std::pair("720p", RecordSize::lines_720), {"As the picture", RecordSize::source}}) {
    click_beside("Videos", 140);
    choose(text);
    EXPECT_EQ(settings_.record_size, size);
  }
  click_text("The source's rate", "Preferences");
  choose("60/s");
  EXPECT_NEAR(settings_.target_ms, 1000.0 / 60, 1e-9);
}

TEST_F(PreferencesTest, MeasureIsOpenNowAndAtTheNextStart) {
  const bool open = settings_.dock_open;
  click_text("Open Measure", "Preferences");
  EXPECT_NE(settings_.dock_open, open);
}

TEST_F(PreferencesTest, WhyPicturesReachTheScreenByACopyIsSaidInFull) {
  state_.staged_reason = "OpenGL and CUDA are on two devices, which share nothing but the memory of the host: incompatible";
  draw(2);
  EXPECT_TRUE(shown("incompatible", "Preferences"));
}

TEST_F(PreferencesTest, TheFolderOfSavedFilesIsTypedAndShownWhereThatIsPossible) {
  EXPECT_EQ(click_text("Show", "Preferences"), std::vector{Action::open_folder});
  state_.no_folder = "xdg-open is missing";
  draw(2);
  EXPECT_TRUE(click_text("Show", "Preferences").empty());
  click_beside("satscope-out", 40);  // behind what is there
  for (int i = 0; i < 14; ++i) press(KeyCode::backspace);
  type("/tmp");
  press(KeyCode::enter);
  draw(2);
  EXPECT_EQ(settings_.output_folder, "/tmp");
}

TEST_F(PreferencesTest, OnTheCpuPicturesReachTheScreenByACopyAndThatIsSaid) {
  EXPECT_TRUE(shown("now by a copy", "Preferences"));
  state_ = example_gpu_state(settings_);
  draw(2);
  EXPECT_TRUE(shown("now directly", "Preferences"));
}

}  // namespace
}  // namespace app::ui
