// Letters as they are drawn offscreen: each as dark as everywhere else, wherever it stands in a text.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/display/render_target.h"
#include "app/ui/theme.h"
#include "app/ui/ui.h"

namespace app::ui {
namespace {

constexpr int width = 800, height = 60;

// The brightest pixel between two columns.
int brightest(const std::vector<std::uint8_t>& pixels, int from, int to) {
  int most = 0;
  for (int y = 0; y < height; ++y)
    for (int x = from; x < to; ++x) most = std::max<int>(most, pixels[static_cast<std::size_t>(y * width + x) * 4]);
  return most;
}

// Draws it at (10, 10); returns where its letters begin, and where the last one ends.
std::vector<int> draw(const std::string& text, Font which) {
  const WithFont with(which);
  std::vector<int> begins;
  for (std::size_t i = 0; i <= text.size(); ++i)
    begins.push_back(10 + static_cast<int>(ImGui::CalcTextSize(text.c_str(), text.c_str() + i).x));
  ImGui::GetForegroundDrawList()->AddText({10, 10}, IM_COL32_WHITE, text.c_str());
  return begins;
}

class LettersTest : public testing::TestWithParam<float> {};

TEST_P(LettersTest, AreEquallyBrightEverywhere) {
  std::unique_ptr<RenderTarget> target;
  try {
    target = open_offscreen(width, height);
  } catch (const RenderTargetError& error) {
    GTEST_SKIP() << error.what();
  }
  apply_theme({GetParam(), Theme::dark});
  target->set_background({0, 0, 0});
  // Between the thin ones letters of many widths, so that they stand at many fractions of a pixel.
  const std::string text = "laliltlelslnlwlolflrlclgl.l-l1l7lmlkl";
  for (const auto which : {Font::regular, Font::bold}) {
    std::vector<int> begins;
    for (int frame = 0; frame < 2; ++frame) {  // the first one makes the fonts' texture
      target->begin_frame();
      begins = draw(text, which);
      target->end_frame();
    }
    const auto pixels = target->read_pixels();
    std::set<int> seen;
    for (std::size_t i = 0; i < text.size(); i += 2) seen.insert(brightest(pixels, begins[i], begins[i + 1]));
    EXPECT_EQ(seen.size(), 1u) << "of " << *seen.begin() << " to " << *seen.rbegin();
    EXPECT_GT(*seen.begin(), 128);
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, LettersTest, testing::Values(1.0f, 1.25f, 1.5f, 2.0f));

}  // namespace
}  // namespace app::ui
