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

// The line about the box under the mouse follows it, for effects with a box and without, at the edges and after other
// pictures.
TEST(PictureOverlaysTest, TheBoxUnderTheMouseHasItsEntriesAndItsSum) {
  auto settings = host_settings("matrix:4x4");
  settings.effect = "box_blur";
  settings.effect_values["box_blur"]["window"] = "3x3";
  settings.matrix = "1,1,1,1;1,1,1,1;1,1,1,1;1,1,1,9";
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  const ui::WindowlessUi context({800, 600});
  const View view{0, {0.5, 0.5}, {4, 4}, {0, 0, 800, 600}};
  PictureOverlays overlays(session);
  const auto lines = [&](std::optional<PixelPosition> mouse) {
    ImGui::NewFrame();
    overlays.ask(view, mouse, false);
    const auto notes = overlays.draw(view, {}, false);
    ImGui::Render();
    return notes.size();
  };
  const auto expect_sum = [&](PixelPosition at, std::uint64_t sum, int pixels) {
    EXPECT_EQ(lines(at), 1u);
    ASSERT_TRUE(overlays.hover().box());
    EXPECT_EQ(overlays.hover().box()->sum.sum, sum) << at.x << ", " << at.y;
    EXPECT_EQ(overlays.hover().box()->sum.box.width * overlays.hover().box()->sum.box.height, pixels);
  };
  expect_sum({1, 1}, 9, 9);
  expect_sum({2, 2}, 17, 9);
  expect_sum({0, 0}, 4, 4);  // what lies outside does not count
  expect_sum({3, 3}, 12, 4);
  EXPECT_EQ(lines({}), 0u);
  EXPECT_FALSE(overlays.hover().box()) << "the mouse is elsewhere";
  const auto change = [&](const Change& one) {
    const auto pictures = session.pictures();
    session.change(one);
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > pictures && !session.engine().busy(); }));
  };
  change({"effect", "none"});
  expect_sum({3, 3}, 9, 1);
  expect_sum({0, 3}, 1, 1);
  session.change({"hints", "on"});
  EXPECT_EQ(lines(PixelPosition{0, 3}), 0u) << "where the sentence about tables stands";
  session.change({"hints", "off"});
  expect_sum({0, 3}, 1, 1);
  session.change({"panels", "off"});
  EXPECT_EQ(lines(PixelPosition{0, 3}), 0u) << "the picture alone";
}

// Beside the picture it is told already, larger.
TEST(PictureOverlaysTest, InThePresentationTheSumStandsOverThePictureNoMore) {
  auto settings = host_settings("matrix:4x4");
  settings.rectangle = PixelBox{1, 1, 2, 2};
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
  const ui::WindowlessUi context({800, 600});
  const View view{0, {0.5, 0.5}, {4, 4}, {0, 0, 800, 600}};
  PictureOverlays overlays(session);
  for (const bool presentation : {false, true}) {
    session.settings().presentation = presentation;
    ImGui::NewFrame();
    overlays.ask(view, PixelPosition{0, 0}, false);
    EXPECT_EQ(overlays.draw(view, {}, false).size(), presentation ? 4u : 6u) << "entries, the sum, and the mouse's line";
    ImGui::Render();
  }
}

}  // namespace
}  // namespace app
