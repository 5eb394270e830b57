// What is written over the picture about the pixels under the mouse.
#include "app/ui/rectangle.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/tests/ui/text_check.h"
#include "app/tests/ui/windowless_ui.h"

namespace app::ui {
namespace {

// All that is known of the pixels under the mouse stands in one line, which keeps the sum where there is little room.
TEST(HoverLineTest, SaysTheBoxItsEntriesAndThePixel) {
  const WindowlessUi context({1280, 800});
  Hover::Box hover;
  auto& [sum, pixel] = hover;
  sum = {.box = {255, 175, 15, 15}, .corners = corners_of({255, 175, 15, 15})};
  const std::uint32_t entries[] = {1'949'728, 2'107'876, 2'315'155, 2'520'960};
  for (std::size_t i = 0; i < 4; ++i) sum.corners[i].entry = entries[i];
  sum.known = true;
  sum.plain = 47'657;
  sum.sum = 47'657;
  sum.mean = 211.8;
  pixel = {{262, 182}, gpu::Rgba{168, 167, 169, 255}, 230, 2'300'000u, {65535, 300, 7}};
  const auto draw = [&](float width) {
    ImGui::NewFrame();
    const View view{1, {0.5, 0.5}, {640, 480}, {0, 0, width, 800}};
    const auto line = draw_hover(view, hover, true);
    ImGui::Render();
    return line;
  };
  const auto shown = [](const char* text) { return TextCheck::place_of(text, "##Background").has_value(); };
  const char* const formula = "\u2212 2107876 \u2212 2315155 + 1949728 = 47657";
  const auto wide = draw(1280);
  for (const char* words : {"box of 15 x 15 at (262, 182)", formula, "mean 211.8", "picture 168 167 169", "frame gray 230",
                            "16-bit 65535 300 7"})
    EXPECT_TRUE(shown(words)) << words;
  const auto narrow = draw(600);
  EXPECT_TRUE(shown(formula));
  EXPECT_FALSE(shown("16-bit"));
  for (const auto& line : {wide, narrow}) EXPECT_GT(line.y, 700) << "at the lower edge";
  EXPECT_LE(narrow.x + narrow.width, 600);
  sum.box = {10, 10, 1, 1};
  pixel = {{10, 10}, {}, 5, {}};
  draw(1280);
  EXPECT_TRUE(shown("pixel at (10, 10)"));
  EXPECT_FALSE(shown("mean")) << "it is the pixel's";
}

}  // namespace
}  // namespace app::ui
