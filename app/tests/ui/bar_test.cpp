// The bar in narrow windows: its parts give way in a fixed order, and the source keeps a name.
#include <cmath>

#include "app/tests/ui/text_check_window.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

class BarTest : public TextCheckTest {
 protected:
  void SetUp() override {
    TextCheckTest::SetUp();
    settings_ = example_settings();
    state_ = example_state(settings_);
    state_.capture.name = "a rather long name of a video file that somebody recorded.mp4";
    state_.capture.description = state_.capture.name + ", 3840x2160, 59.94/s";
    state_.check = {12, 0, {}};
    state_.recorded_seconds = 83.4;
  }
  void draw(float width) {
    open({width, 600}, 1);
    expect_no_faults(state_, settings_, "bar");
  }
  static bool shown(const char* text) { return TextCheck::place_of(text, "bar").has_value(); }

  Settings settings_;
  State state_;
};

TEST_F(BarTest, TextsBecomeShorterThenPartsAreLeftOut) {
  state_.saving_video = state_.recording = settings_.check = true;
  const char* full[] = {"CPU, 2 threads", "saving video", "table right", "satscope", "staged"};
  std::size_t left = std::size(full);
  for (float width = 1600; width >= 800; width -= 20) {
    draw(width);
    std::size_t given_way = 0;
    while (given_way < std::size(full) && !shown(full[given_way])) ++given_way;
    for (auto i = given_way; i < std::size(full); ++i)
      EXPECT_TRUE(shown(full[i])) << full[i] << " before its turn, " << width;
    EXPECT_LE(std::size(full) - given_way, left) << width;
    left = std::size(full) - given_way;
    for (const char* always : {"CPU", "saving", "right", "fps", "Stop 1:23.4", "older"})
      EXPECT_TRUE(shown(always)) << always << ' ' << width;
  }
  EXPECT_LT(left, std::size(full));
}

TEST_F(BarTest, TheSourceKeepsItsNameOrTheEndOfIt) {
  draw(800);
  EXPECT_TRUE(shown("recorded.mp4"));
  EXPECT_FALSE(shown("a rather"));
  EXPECT_FALSE(shown("59.94"));
  draw(1920);
  EXPECT_TRUE(shown(state_.capture.description.c_str()));
  state_.capture.name = "lobby.mp4";
  state_.capture.description = "lobby.mp4, 3840x2160, 59.94/s, and so on";
  draw(800);
  EXPECT_TRUE(shown("lobby.mp4"));
  EXPECT_FALSE(shown("...")) << "the name is whole";
}

TEST_F(BarTest, NamesTheGpuAndHowItsPicturesReachTheScreen) {
  state_ = example_gpu_state(settings_);
  draw(1280);
  EXPECT_TRUE(shown("NVIDIA H200"));
  EXPECT_TRUE(shown("interop"));
  EXPECT_FALSE(shown("staged"));
  EXPECT_TRUE(TextCheck::place_of("upload", "dock"));
}

TEST_F(BarTest, TheRatesLightIsNotGreenWhereNoFramesCome) {
  const auto green = [](const char* rate) {
    const auto words = TextCheck::place_of(rate, "bar");
    EXPECT_TRUE(words);
    for (const auto* list : draw_lists())
      if (words && std::string_view(list->_OwnerName) == "bar")
        for (const auto& v : list->VtxBuffer)
          if (v.col == ImU32(colour::good) && std::abs(v.pos.x - words->Min.x) < 60) return true;
    return false;
  };
  state_.picture_fps = 1000 / state_.graph.target_ms;
  draw(1280);
  EXPECT_TRUE(green("fps"));
  state_.picture_fps = 0;
  draw(1280);
  EXPECT_FALSE(green("fps"));
  state_.capture.kind = capture::SourceKind::image;
  draw(1280);
  EXPECT_FALSE(green("still"));
  state_.capture.kind = capture::SourceKind::matrix;
  state_.picture_fps = 1000 / state_.graph.target_ms;  // numbers of it were changed
  draw(1280);
  EXPECT_FALSE(shown("fps"));
  EXPECT_FALSE(green("still"));
  state_.idle = true;
  draw(1280);
  EXPECT_FALSE(green("idle"));
}

TEST_F(BarTest, TheDeviceSaysHowPicturesReachTheScreenWhereThereIsNoChipForIt) {
  state_.saving_video = state_.recording = settings_.check = true;
  draw(800);
  ASSERT_FALSE(shown("staged"));
  const auto chip = TextCheck::place_of("CPU", "bar");
  ASSERT_TRUE(chip);
  Panels panels;
  ImGui::GetIO().MousePos = chip->GetCenter();
  for (int frame = 0; frame < 3; ++frame) {
    ImGui::NewFrame();
    panels.draw(state_, settings_);
    ImGui::Render();
  }
  EXPECT_TRUE(TextCheck::place_of("Pixels go through host memory", "##Tooltip"));
}

}  // namespace
}  // namespace app::ui
