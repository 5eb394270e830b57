// The tab of the tiles and the tiles over the picture, without a display.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/controls_test.h"
#include "app/ui/theme.h"
#include "app/ui/trace_colours.h"

namespace app::ui {
namespace {

class TilesTabTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    ImGui::GetIO().DisplaySize = {1280, 800};
    settings_.dock = Dock::tiles;
    show_trace(state_, example_history(), 0.5);
    draw(2);
  }
  void draw_under_panels() override {
    draw_tile_trace(view_, state_.trace, settings_, numbers_);
    over_picture_.assign(ImGui::GetBackgroundDrawList()->VtxBuffer.begin(), ImGui::GetBackgroundDrawList()->VtxBuffer.end());
  }

  void show_look_backs(double position) {
    show_trace(state_, example_look_backs(), position);
    view_ = {0, {0.5, 0.5}, {120, 90}, view_.area};
    draw();
  }

  // A place in the chart, in fractions of its width.
  ImVec2 in_chart(float x, float scale = 1) const {
    const auto& display = ImGui::GetIO().DisplaySize;
    const auto dock = layout(settings_, static_cast<int>(display.x), static_cast<int>(display.y), scale).dock;
    const auto pad = ImGui::GetStyle().WindowPadding.x;
    return {dock.x + pad + (dock.width - 2 * pad) * x, middle_of("in 6 s", "dock").y + 50 * scale};
  }
  // All that is no letter has the place of a white pixel in the texture of the fonts.
  static bool of_letter(const ImDrawVert& v) {
    const auto white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    return v.uv.x != white.x || v.uv.y != white.y;
  }
  // How many corners over the picture, but for those of letters, have that colour, of any transparency.
  long corners(ImU32 colour) const {
    return std::ranges::count_if(over_picture_, [&](const auto& v) {
      return !of_letter(v) && (v.col | IM_COL32_A_MASK) == (colour | IM_COL32_A_MASK);
    });
  }

  View view_{0, {0.5, 0.5}, {60, 50}, {320, 40, 900, 500}};
  std::vector<ImDrawVert> over_picture_;
  std::vector<Rect> numbers_;  // in the picture's cells
};

TEST_F(TilesTabTest, NumbersOfTilesDoNotHideThoseOfCells) {
  show_look_backs(1);
  const auto usual = TextCheck::place_of("11", "##Background");
  ASSERT_TRUE(usual);
  numbers_ = {{320, usual->Min.y, 900, usual->GetHeight()}};
  draw(2);
  const auto moved = TextCheck::place_of("11", "##Background");
  ASSERT_TRUE(moved);
  auto inside = *usual;
  inside.Expand(-3);  // without the rim
  EXPECT_FALSE(moved->Overlaps(inside));
  numbers_ = {{320, 40, 900, 500}};
  draw(2);
  EXPECT_FALSE(shown("11", "##Background")) << "there is no other place in its tile";
}

TEST_F(TilesTabTest, AClickIntoTheChartChoosesTheMomentAndStopsPlaying) {
  const auto at = in_chart(0.25f);
  click(at.x, at.y);
  EXPECT_NEAR(settings_.trace_at, 0.25, 0.01);
  EXPECT_FALSE(settings_.trace_play);
}

TEST_F(TilesTabTest, TheSentenceSaysWhichTileBegins) {
  show_trace(state_, example_look_backs(), 0.5);
  draw(2);
  EXPECT_TRUE(shown("Tile 8 of 12 begins, 0.7 of 1.", "dock"));
  EXPECT_TRUE(shown("1r1w_skss_lb, 32 x 32 pixels per tile", "dock"));
  EXPECT_FALSE(shown("simulated", "dock"));
  auto history = *state_.trace.history;
  history.device = gpu::Device::simulated;
  show_trace(state_, history, 1);
  draw(2);
  EXPECT_TRUE(shown("12 tiles in 1.", "dock"));
  EXPECT_TRUE(shown("on the simulated GPU", "dock"));
  EXPECT_TRUE(shown("4 blocks at a time", "dock"));
  ImGui::GetIO().MousePos = middle_of("on the simulated GPU", "dock");
  draw(3);
  for (const char* figure : {"W=32 m=auto", "12 tiles", "longest wait", "launch", "farthest look-backs 2 left, 2 up"})
    EXPECT_TRUE(shown(figure, "##Tooltip")) << figure << texts_of("##Tooltip");
}

TEST_F(TilesTabTest, ItIsTracedAgain) { EXPECT_EQ(click_text("Trace again", "dock"), std::vector{Action::trace_tiles}); }

// Where the dock is lower than what it shows, and the trace is of something else than the picture.
TEST_F(TilesTabTest, WhatTracesAgainIsInSightInASmallWindow) {
  show_trace(state_, example_look_backs(), 1);
  state_.picture = {960, 540};
  for (const auto meaning : {TraceColour::start, TraceColour::state, TraceColour::sm, TraceColour::paper}) {
    ImGui::GetIO().DisplaySize = {800, 600};
    settings_.trace_colour = meaning;
    draw(3);
    ASSERT_TRUE(shown("The trace is", "dock"));
    EXPECT_EQ(click_text("Trace again", "dock"), std::vector{Action::trace_tiles}) << static_cast<int>(meaning);
  }
}

TEST_F(TilesTabTest, WhileItIsTracedOnTheSimulatedGpuThatIsSaidInPlaceOfTheButton) {
  for (const bool first : {false, true}) {
    if (first) state_.trace.history = nullptr;
    state_.trace.simulating = true;
    draw(2);
    EXPECT_TRUE(shown("Tracing on the simulated GPU...", "dock")) << first;
    EXPECT_FALSE(shown("Trace again", "dock"));
    state_.trace.simulating = false;
    draw(2);
    EXPECT_FALSE(shown("Tracing on the simulated GPU...", "dock")) << first;
  }
}

TEST_F(TilesTabTest, WhatCannotBeTracedIsDisabledAndSaysWhy) {
  state_.trace = {nullptr, 1, "host_parallel records no tiles"};
  draw(2);
  EXPECT_TRUE(shown("host_parallel records no tiles", "dock"));
  const auto button = middle_of("Trace", "dock");
  EXPECT_TRUE(click(button.x, button.y).empty());
  state_.trace.unavailable.clear();
  draw(2);
  EXPECT_EQ(click_text("Trace", "dock"), std::vector{Action::trace_tiles});
}

TEST_F(TilesTabTest, PlayStartsAgainAfterTheEnd) {
  settings_.trace_play = false;
  state_.trace.position = 1;
  draw();
  click(in_chart(0).x + 14, middle_of("in 6 s", "dock").y);
  EXPECT_TRUE(settings_.trace_play);
  EXPECT_EQ(settings_.trace_at, 0);
}

TEST_F(TilesTabTest, TheSliderChoosesTheMoment) {
  const auto line = middle_of("in 6 s", "dock");
  click(in_chart(0).x + 60, line.y);
  const auto early = settings_.trace_at;
  EXPECT_LT(early, 0.3);
  click(line.x - 60, line.y);
  EXPECT_GT(settings_.trace_at, 0.7);
  EXPECT_FALSE(settings_.trace_play);
}

TEST_F(TilesTabTest, HowLongAPlayTakesAndWhetherAgain) {
  click_text("in 6 s", "dock");
  click_text("60 s", "##Combo");
  EXPECT_EQ(settings_.trace_seconds, 60);
  click_text("in 60 s", "dock");
  click_text("Loop", "##Combo");
  EXPECT_TRUE(settings_.trace_loop);
}

// A click into the chart chooses the moment: it is there.
TEST_F(TilesTabTest, TheSmallestWindowHasRoomForTheChart) {
  show_trace(state_, example_look_backs(), 0.5);
  const std::pair<float, float> sizes[] = {{800, 600}, {1280, 800}};
  for (const float scale : {1.f, 2.f})
    for (const auto& [width, height] : sizes)
      for (const auto meaning : {TraceColour::start, TraceColour::state, TraceColour::sm}) {
        apply_theme({scale, Theme::dark});
        WindowlessImGui::build_fonts();
        ImGui::GetIO().DisplaySize = {width * scale, height * scale};
        settings_.trace_colour = meaning;
        settings_.trace_at = 0;
        draw(3);
        SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height) + ", " + std::to_string(scale));
        const auto at = in_chart(0.5f, scale);
        click(at.x, at.y);
        EXPECT_NEAR(settings_.trace_at, 0.5, 0.03);
      }
}

// At half of its 1000 ns the first pass of the example has finished, and one tile of the second has started.
TEST_F(TilesTabTest, TilesOverThePictureHaveTheColoursOfTheirStates) {
  settings_.trace_colour = TraceColour::state;
  draw();
  EXPECT_EQ(corners(colour_of(TileState::finished)), 3 * 4);
  EXPECT_EQ(corners(colour_of(TileState::started)), 4);
  EXPECT_EQ(corners(colour_of(TileState::carried)), 0);
  state_.trace.position = 0.1;  // the second tile starts; two have not
  draw();
  EXPECT_EQ(corners(colour_of(TileState::finished)), 4);
  EXPECT_EQ(corners(colour_of(TileState::carried)), 4);
}

TEST_F(TilesTabTest, LargeTilesShowTheirNumbersInTheOrderOfTheStarts) {
  show_look_backs(1);
  for (const auto* number : {"0", "5", "11"}) EXPECT_TRUE(TextCheck::place_of(number, "##Background")) << number;
  show_look_backs(0.001);
  EXPECT_TRUE(TextCheck::place_of("0", "##Background"));
  EXPECT_FALSE(TextCheck::place_of("5", "##Background")) << "it has not begun";
  show_look_backs(1);
  view_.zoom = 0.2;  // 6 pixels per tile
  draw();
  EXPECT_FALSE(TextCheck::place_of("5", "##Background"));
}

// The last tile looks back in all directions, from 1100 to 1450 ns.
TEST_F(TilesTabTest, TilesThatWaitOrWorkPointAtTheTilesTheyLookedAt) {
  const auto any = [this] {
    return std::ranges::any_of(directions, [this](Direction direction) { return corners(colour_of(direction)) > 0; });
  };
  show_look_backs(1100. / 1450);
  for (const auto direction : directions) EXPECT_GT(corners(colour_of(direction)), 0) << name_of(direction);
  show_look_backs(1);
  EXPECT_FALSE(any()) << "all tiles have finished";
  show_look_backs(0.01);
  EXPECT_FALSE(any()) << "the first tile has nothing to look at";
  show_look_backs(1100. / 1450);
  view_.zoom = 0.4;  // 13 pixels per tile
  draw();
  EXPECT_FALSE(any()) << "tiles are small";
}

TEST_F(TilesTabTest, TheTileUnderTheMouseIsExplainedOverThePictureAsInTheChart) {
  show_look_backs(1);
  const auto place = view_.image_to_screen({33, 33});  // tile row 1, column 1
  ImGui::GetIO().MousePos = {static_cast<float>(place.x), static_cast<float>(place.y)};
  draw(2);
  for (const auto* words : {"tile row 1, column 1", "SM 0", "looked back 1 left, 1 up, 1 diagonal"})
    EXPECT_TRUE(TextCheck::place_of(words, "##Tooltip")) << words;
  ImGui::GetIO().MousePos = {1279, 41};  // beside the picture
  draw(2);
  EXPECT_FALSE(TextCheck::place_of("tile row", "##Tooltip"));
}

TEST_F(TilesTabTest, AMouseThatRestsInThePresentationDrawsNothingIntoIt) {
  show_look_backs(1);
  view_.area = {20, 40, 600, 500};
  ImGui::GetIO().MousePos = {300, 280};
  for (const bool presentation : {false, true}) {
    settings_.presentation = presentation;
    draw(3);
    EXPECT_EQ(TextCheck::place_of("tile row", "##Tooltip").has_value(), !presentation);
  }
  state_.side_names = {{280, 270, 60, 20}};
  draw(3);
  EXPECT_FALSE(shown("What is", "##Tooltip"));
}

TEST_F(TilesTabTest, ATileWithoutLookBacksSaysNothingOfThem) {
  const auto& history = *state_.trace.history;
  const auto text = tile_text(history, history.records[5]);
  EXPECT_TRUE(text.starts_with("tile tables, tile row 0, column 1\nlaunch 2, number 1, SM 7\nstarted 0.6, ")) << text;
  EXPECT_EQ(text.find("looked"), std::string::npos);
}

// The paper's tiles of the diagonal I + J = 3 look three to the left and up, two along the diagonal.
TEST_F(TilesTabTest, AsInThePaperTilesHaveSerialNumbersAndSteps) {
  settings_.trace_colour = TraceColour::paper;
  show_look_backs(3.5 / 6);
  EXPECT_EQ(corners(colour_of(PaperTile::now)), 3 * 4);
  EXPECT_EQ(corners(colour_of(PaperTile::local)), 5 * 4);
  for (const auto direction : directions) EXPECT_GT(corners(colour_of(direction)), 0) << name_of(direction);
  EXPECT_TRUE(TextCheck::place_of("11", "##Background")) << "tiles that have not begun have numbers, too";
  EXPECT_TRUE(TextCheck::place_of("Step 4 of 6", "dock"));
  EXPECT_TRUE(TextCheck::place_of("serial numbers along the diagonals", "dock"));
}

// At step 4 the look-backs along the diagonal of tiles 7 and 8 end in the middle of others.
TEST_F(TilesTabTest, NumbersLieOverTheArrows) {
  settings_.trace_colour = TraceColour::paper;
  show_look_backs(3.5 / 6);
  const auto black_or_white = [](const ImDrawVert& v) { return v.col == IM_COL32_BLACK || v.col == IM_COL32_WHITE; };
  const auto number = [&](const ImDrawVert& v) { return of_letter(v) && black_or_white(v); };
  const auto first = std::ranges::find_if(over_picture_, number);
  ASSERT_NE(first, over_picture_.end());
  for (const auto direction : directions)
    EXPECT_EQ(std::find_if(first, over_picture_.end(),
                           [&](const auto& v) { return !of_letter(v) && v.col == colour_of(direction); }),
              over_picture_.end())
        << name_of(direction);
}

TEST_F(TilesTabTest, OtherPicturesAndOtherTabsShowNoTiles) {
  view_.image = {61, 50};
  draw();
  EXPECT_TRUE(over_picture_.empty());
  view_.image = {60, 50};
  settings_.dock = Dock::frame;
  draw();
  EXPECT_TRUE(over_picture_.empty());
}

TEST_F(TilesTabTest, ColoursByStartAndByMultiprocessorDifferBetweenTiles) {
  for (const auto meaning : {TraceColour::start, TraceColour::sm}) {
    const auto& history = *state_.trace.history;
    const auto a = tile_at(history, 0, 0, 1000), b = tile_at(history, 0, 1, 1000);
    ASSERT_TRUE(a && b);
    EXPECT_NE(colour_of(meaning, history, *a), colour_of(meaning, history, *b));
  }
}

TEST_F(TilesTabTest, SaysWhereThereIsNothingToMove) {
  EXPECT_FALSE(TextCheck::place_of("one tile", "dock"));
  auto history = example_history();
  auto& pass = history.passes.front();
  pass.rows = pass.columns = 1;
  history.passes.resize(1);
  show_trace(state_, history, 0.5);
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("one tile", "dock"));
}

TEST_F(TilesTabTest, SaysWhereThePictureOrTheAlgorithmIsAnotherOneNow) {
  EXPECT_FALSE(TextCheck::place_of("earlier algorithm", "dock"));
  state_.selection.algorithm = gpu::find_sat_algorithm("host_serial");
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("of an earlier algorithm", "dock"));
  state_.picture = {512, 512};
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("of a picture of 60x50", "dock"));
}

TEST_F(TilesTabTest, AsInThePaperBeginsWithTheFirstStep) {
  settings_.trace_play = false;
  settings_.trace_at = state_.trace.position = 1;
  draw(2);
  const auto choose = [this](const char* text, const char* window) {
    const auto place = TextCheck::place_of(text, window);
    ASSERT_TRUE(place) << text;
    click(place->GetCenter().x, place->GetCenter().y);
    draw(2);
  };
  choose("Start time", "dock");
  choose("As in the paper", "##Combo");
  EXPECT_EQ(settings_.trace_colour, TraceColour::paper);
  EXPECT_EQ(settings_.trace_at, 0);
  EXPECT_TRUE(settings_.trace_play);
  settings_.trace_colour = TraceColour::start;
  draw(2);
  choose("As in the paper", "dock/tab_");  // its button
  EXPECT_EQ(settings_.trace_colour, TraceColour::paper);
}

TEST_F(TilesTabTest, TheTilesOverThePictureCanBeHidden) {
  EXPECT_FALSE(over_picture_.empty());
  settings_.dock_open = false;
  draw(2);
  EXPECT_TRUE(over_picture_.empty());
  settings_.dock_open = true;
  draw(2);
  EXPECT_FALSE(over_picture_.empty());
  click_text("Over the picture", "dock");
  EXPECT_TRUE(over_picture_.empty());
  EXPECT_EQ(settings_.dock, Dock::tiles) << "its figures stay";
  click_text("Over the picture", "dock");
  EXPECT_FALSE(over_picture_.empty());
}

}  // namespace
}  // namespace app::ui
