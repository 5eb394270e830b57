#include "app/tests/display/offscreen_test.h"
#include "gpu/tests/refusal.h"

#include <glad/gl.h>
#include <imgui.h>

namespace app {
namespace {

using Pixel = std::array<int, 3>;

Pixel pixel(const std::vector<std::uint8_t>& pixels, int width, int x, int y) {
  const auto at = (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4;
  return {pixels[at], pixels[at + 1], pixels[at + 2]};
}

// A red square in ImGui's background, to distinguish the top from the bottom.
void draw_square() { ImGui::GetBackgroundDrawList()->AddRectFilled({10, 20}, {30, 40}, IM_COL32(255, 0, 0, 255)); }

TEST_F(OffscreenTest, DescribesItself) {
  EXPECT_FALSE(target_->gl().renderer.empty());
  EXPECT_FALSE(target_->gl().version.empty());
  EXPECT_EQ(target_->width(), width);
  EXPECT_EQ(target_->height(), height);
  EXPECT_FALSE(target_->closing());
}

TEST_F(OffscreenTest, ReadsBackTheInterfaceWithTheTopRowFirstAndEveryFrameStartsClear) {
  for (const bool square : {true, false}) {
    target_->begin_frame();
    if (square) draw_square();
    target_->end_frame();
    const auto pixels = target_->read_pixels();
    ASSERT_EQ(pixels.size(), static_cast<std::size_t>(width * height * 4));
    EXPECT_EQ(pixel(pixels, width, 20, 30) == (Pixel{255, 0, 0}), square);
    EXPECT_EQ(pixel(pixels, width, 20, 30) == pixel(pixels, width, 0, 0), !square);
    EXPECT_NE(pixel(pixels, width, 20, height - 30), (Pixel{255, 0, 0}));
  }
}

TEST_F(OffscreenTest, FillsAPartThatIsGivenFromTheTopLeft) {
  target_->set_background({0, 0, 1});
  target_->begin_frame();
  target_->fill({10, 20, 30, 5}, {0, 1, 0});
  target_->end_frame();
  const auto pixels = target_->read_pixels();
  const Pixel filled{0, 255, 0}, background{0, 0, 255};
  EXPECT_EQ(pixel(pixels, width, 10, 20), filled);
  EXPECT_EQ(pixel(pixels, width, 39, 24), filled);
  EXPECT_EQ(pixel(pixels, width, 9, 20), background);
  EXPECT_EQ(pixel(pixels, width, 10, 19), background);
  EXPECT_EQ(pixel(pixels, width, 40, 24), background);
  EXPECT_EQ(pixel(pixels, width, 39, 25), background);
}

TEST_F(OffscreenTest, TwoRunsDrawTheSame) {
  const auto run = [] {
    const auto surface = open_offscreen(width, height);
    for (int frame = 0; frame < 3; ++frame) {
      surface->begin_frame();
      ImGui::Begin("panel");
      ImGui::Text("frame %d", frame);
      ImGui::End();
      surface->end_frame();
    }
    return surface->read_pixels();
  };
  target_.reset();
  EXPECT_EQ(run(), run());
}

TEST_F(OffscreenTest, TimeIsFixed) {
  const double before = ImGui::GetTime();
  target_->begin_frame();
  target_->end_frame();
  target_->begin_frame();
  target_->end_frame();
  EXPECT_NEAR(ImGui::GetTime() - before, 2.0 / 60.0, 1e-6);
}

TEST_F(OffscreenTest, LeavesNoErrorAndNoSettingsFile) {
  target_->begin_frame();
  ImGui::ShowMetricsWindow();
  target_->end_frame();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  EXPECT_EQ(ImGui::GetIO().IniFilename, nullptr);
}

TEST_F(OffscreenTest, PrintsNothing) {
  target_.reset();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  open_offscreen(width, height);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

void load_font(float size) {
  auto& fonts = *ImGui::GetIO().Fonts;
  ImFontConfig config;
  config.SizePixels = size;
  fonts.Clear();
  fonts.AddFontDefault(&config);
}

std::vector<std::uint8_t> with_letters(RenderTarget& target) {
  target.begin_frame();
  const auto& fonts = *ImGui::GetIO().Fonts;
  EXPECT_TRUE(fonts.IsBuilt());
  EXPECT_EQ(fonts.TexPixelsAlpha8, nullptr) << "the texture has a copy on the host";
  EXPECT_EQ(fonts.TexPixelsRGBA32, nullptr) << "likewise";
  ImGui::GetBackgroundDrawList()->AddText({10, 10}, IM_COL32(255, 255, 255, 255), "letters");
  target.end_frame();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  return target.read_pixels();
}

TEST_F(OffscreenTest, GlyphsAreInTheTextureAloneAndOtherFontsRenewIt) {
  load_font(39);
  const auto large = with_letters(*target_);
  EXPECT_EQ(with_letters(*target_), large);
  load_font(13);
  target_->renew_fonts();
  const auto small = with_letters(*target_);
  EXPECT_NE(small, large);
  load_font(39);
  target_->renew_fonts();
  EXPECT_EQ(with_letters(*target_), large);
  load_font(13);
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);  // as for pictures beside the glyphs
  target_->renew_fonts();
  EXPECT_EQ(with_letters(*target_), small) << "built before they are renewed";
  load_font(39);
  target_->renew_fonts();
  EXPECT_EQ(with_letters(*target_), large);
  const auto texture = ImGui::GetIO().Fonts->TexID;
  EXPECT_TRUE(glIsTexture(static_cast<GLuint>(reinterpret_cast<std::intptr_t>(texture))));
  target_->renew_fonts();  // the fonts are the same
  EXPECT_EQ(ImGui::GetIO().Fonts->TexID, texture);
  EXPECT_EQ(with_letters(*target_), large);
}

TEST_F(OffscreenTest, AnImpossibleSizeIsNamed) {
  target_.reset();
  const auto why = gpu::test::refusal_of<RenderTargetError>([] { open_offscreen(1'000'000, 10); });
  EXPECT_NE(why.find("1000000x10"), std::string::npos) << why;
  EXPECT_NO_THROW(open_offscreen(width, height)) << "the failure left something behind";
}

}  // namespace
}  // namespace app
