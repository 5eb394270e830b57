// What is drawn over an enlarged picture, in which order.
#include "app/live/picture_overlays.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "app/tests/session/session_steps.h"
#include "app/tests/ui/windowless_ui.h"

namespace app {
namespace {

// Names that lie below the cells' numbers cannot be read.
TEST(PictureOverlaysTest, TheNamesOfAComparisonLieOverTheNumbersInItsCells) {
  auto settings = host_settings("matrix:8x8");
  settings.compare = {true, "original", "sat_view"};
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));

  const ui::WindowlessUi context({800, 600});
  ImGui::NewFrame();
  const View view{0, {0.5, 0.5}, {8, 8}, {0, 0, 800, 600}};
  PictureOverlays overlays(session);
  overlays.ask(view, {}, false);
  ASSERT_EQ(overlays.pixels().places.cells(), 64);
  EXPECT_FALSE(overlays.draw(view, {}, false).empty()) << "the names are placed";
  const auto& vertices = ImGui::GetBackgroundDrawList()->VtxBuffer;
  const auto of = [](ImU32 colour) { return [colour](const ImDrawVert& v) { return v.col == colour; }; };
  const auto plate = std::find_if(vertices.begin(), vertices.end(), of(IM_COL32(0, 0, 0, 208)));
  EXPECT_NE(plate, vertices.end());
  // On the light end of the table numbers are black; nothing else is.
  EXPECT_NE(std::find_if(vertices.begin(), plate, of(IM_COL32(0, 0, 0, 255))), plate);
  EXPECT_EQ(std::find_if(plate, vertices.end(), of(IM_COL32(0, 0, 0, 255))), vertices.end());
  ImGui::Render();
}

}  // namespace
}  // namespace app
