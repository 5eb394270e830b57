// The values in the cells of an enlarged picture: which ones at which side of a comparison, and how their digits are grouped.
#include "app/ui/cell_values.h"

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/text_check_window.h"

namespace app::ui {
namespace {

Settings compared(const char* a, const char* b, const char* effect = "box_blur") {
  Settings settings;
  settings.effect = effect;
  settings.compare = {true, a, b};
  return settings;
}
CellColumns columns_of(const Settings& settings, double wipe = 0.5) {
  return resolved(settings.cells, make_selection(settings, gpu::Device::host), wipe, 8);
}

TEST(CellValuesColumnsTest, AreSumsWhereTheTableIsShown) {
  auto settings = compared("original", "result", "sat_view");
  settings.compare.on = false;
  EXPECT_EQ(columns_of(settings).at(0), CellValues::sums);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::sums);
  settings.effect = "box_blur";
  EXPECT_EQ(columns_of(settings).at(0), CellValues::rgb);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::rgb);
}

TEST(CellValuesColumnsTest, AreOfTheSideThatTheColumnShows) {
  for (const auto& settings : {compared("original", "sat_view"), compared("original", "result", "sat_view")}) {
    EXPECT_EQ(columns_of(settings).at(3), CellValues::rgb);
    EXPECT_EQ(columns_of(settings).at(4), CellValues::sums);
    EXPECT_EQ(columns_of(settings, 0.25).at(2), CellValues::sums) << "the line has moved";
  }
  const auto swapped = columns_of(compared("sat_view", "original"));
  EXPECT_EQ(swapped.at(3), CellValues::sums);
  EXPECT_EQ(swapped.at(4), CellValues::rgb);
}

TEST(CellValuesColumnsTest, AreColoursInADifferenceAndWhatWasChosenAnywhere) {
  auto settings = compared("original", "result", "sat_view");
  settings.compare_mode = Composition::Mode::difference;
  EXPECT_EQ(columns_of(settings).at(0), CellValues::rgb);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::rgb);
  settings.compare_mode = Composition::Mode::wipe;
  settings.cells = CellValues::gray;
  EXPECT_EQ(columns_of(settings).at(0), CellValues::gray);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::gray);
}

// A picture of 4 x 2 pixels: entry 1000 + 10 x + y, gray level 50 + x.
class CellValuesTest : public ControlsTest {
 protected:
  void SetUp() override {
    pixels_.picture = {4, 2};
    pixels_.places.width = 4;
    pixels_.places.height = 2;
    for (unsigned i = 0; i < 8; ++i) {
      const auto gray = static_cast<std::uint8_t>(50 + i % 4);
      pixels_.values.push_back({1000 + 10 * (i % 4) + i / 4, {gray, gray, gray, 255}, gray});
    }
    ControlsTest::SetUp();
  }
  View view() const {
    const auto area = places().picture;
    return {zoom_, {0.5, 0.5}, {4, 2}, {area.x, area.y, area.width, area.height}};
  }
  void draw_under_panels() override { draw_cell_values(view(), columns_, pixels_, gain_, covered_, labels_); }
  // The colour of a cell's number.
  static ImU32 tint_of(const char* value) {
    const auto place = TextCheck::place_of(value, "##Background");
    if (!place) return 0;
    for (const auto& v : ImGui::GetBackgroundDrawList()->VtxBuffer)
      if (place->Contains({v.pos.x + 0.01f, v.pos.y + 0.01f})) return v.col;
    return 0;
  }
  static bool has_cell(const char* value) { return shown(value, "##Background"); }

  ProbedPixels pixels_;
  CellColumns columns_;
  double zoom_ = 0, gain_ = 1;
  bool covered_ = false;
  std::vector<Rect> labels_;
};

TEST_F(CellValuesTest, EachSideHasItsOwn) {
  settings_.panels = false;
  columns_ = {CellValues::rgb, CellValues::sums, 2};
  draw(2);
  for (const char* value : {"50", "51", "1020", "1021", "1031"}) EXPECT_TRUE(has_cell(value)) << value;
  for (const char* value : {"1000", "1011", "52", "53"}) EXPECT_FALSE(has_cell(value)) << value;
}

// Half a number would be read as another one.
TEST_F(CellValuesTest, UnderALabelThereAreNoNumbers) {
  settings_.panels = false;
  columns_ = CellValues::sums;
  draw(2);
  for (const char* value : {"1000", "1010", "1021"}) ASSERT_TRUE(has_cell(value)) << value;
  const auto one = TextCheck::place_of("1010", "##Background");
  ASSERT_TRUE(one);
  labels_ = {{one->Max.x - 3, one->Max.y - 3, 40, 20}};
  draw(2);
  EXPECT_FALSE(has_cell("1010"));
  for (const char* value : {"1000", "1020", "1011"}) EXPECT_TRUE(has_cell(value)) << value;
  EXPECT_EQ(rows_of_cell_values(view(), columns_, pixels_).size(), 2u);
}

// Black digits of a white pixel could not be read on a dark colour that lies over it.
TEST_F(CellValuesTest, UnderAColourTheNumbersHaveARim) {
  for (auto& pixel : pixels_.values) pixel.shown = {255, 255, 255, 255};
  const auto lightest = [] {
    ImU32 tint = 0;
    for (const auto& v : ImGui::GetBackgroundDrawList()->VtxBuffer) tint = std::max(tint, v.col & ~IM_COL32_A_MASK);
    return tint;
  };
  draw(2);
  EXPECT_EQ(lightest(), 0u);
  covered_ = true;
  draw(2);
  EXPECT_EQ(lightest(), IM_COL32(255, 255, 255, 0));
}

TEST_F(CellValuesTest, ColumnsThatAreCutByTheEdgeAreAskedFor) {
  View view{120, {0.5, 0.5}, {4, 2}, {10, 10, 300, 200}};  // 90 pixels of the first column are left of the area
  gpu::PixelPlaces asked;
  ask_for_cells(view, CellValues::rgb, asked);
  EXPECT_EQ(asked.x, 0);
  EXPECT_EQ(asked.width, 4);
  view.pan(-31, 0);
  asked = {};
  ask_for_cells(view, CellValues::rgb, asked);
  EXPECT_EQ(asked.x, 1) << "the first one is out of sight";
  EXPECT_EQ(asked.width, 3);
}

// The columns differ in the room that their longest numbers need.
TEST_F(CellValuesTest, EachSideHasTheDigitsForItsOwnNumbers) {
  settings_.panels = false;
  zoom_ = 40;
  columns_ = {CellValues::rgb, CellValues::sums, 2};
  const auto height_of = [](const char* value) {
    const auto place = TextCheck::place_of(value, "##Background");
    return place ? place->GetHeight() : 0;
  };
  draw(2);
  const auto colours = height_of("51"), sums = height_of("1020");
  columns_ = {CellValues::sums, CellValues::rgb, 2};
  draw(2);
  EXPECT_EQ(height_of("52"), colours) << "in the font of colours, whichever side they are at";
  EXPECT_EQ(height_of("1010"), sums);
  EXPECT_LT(colours, sums) << "three lines of them have to fit";
}

TEST_F(CellValuesTest, LettersAreReadOnEveryColour) {
  settings_.panels = false;
  const ImU32 black = IM_COL32(0, 0, 0, 255), white = IM_COL32(255, 255, 255, 255);
  columns_ = CellValues::gray;
  const auto shown_on = [&](gpu::Rgba colour) {
    for (auto& pixel : pixels_.values) pixel = {0, colour, 7};
    draw(2);
    return tint_of("7");
  };
  EXPECT_EQ(shown_on({255, 0, 0, 255}), white);
  EXPECT_EQ(shown_on({0, 255, 0, 255}), black);
  EXPECT_EQ(shown_on({0, 0, 255, 255}), white);
  EXPECT_EQ(shown_on({240, 100, 0, 255}), black) << "red counts more than blue";
  EXPECT_EQ(shown_on({0, 100, 240, 255}), white);
  EXPECT_EQ(shown_on({9, 9, 9, 255}), white);
  gain_ = 255.0 / 9;
  EXPECT_EQ(shown_on({9, 9, 9, 255}), black) << "as bright as it is shown";
}

// Numbers in the cells of an enlarged picture and of a matrix, and in the timeline: their digits are grouped, and fit.
class CellDigitsTest : public TextCheckTest {
 protected:
  // In the middle of a row of pixels, four cells with this sum.
  static ProbedPixels pixels_with(std::uint32_t sum, int width) {
    ProbedPixels pixels;
    pixels.picture = {width, 1};
    pixels.places.x = width / 2 - 2;
    pixels.places.width = 4;
    pixels.places.height = 1;
    pixels.values.assign(4, {sum, {90, 90, 90, 255}, 90});
    return pixels;
  }
  // Whether its digits stand apart: letters are known without the spaces between them.
  static bool is_grouped(const std::string& digits, const char* window, ImFont* face) {
    const auto place = TextCheck::place_of(digits, window);
    EXPECT_TRUE(place) << digits << " in " << window;
    const auto *first = face->FindGlyph(static_cast<ImWchar>(digits.front())),
               *last = face->FindGlyph(static_cast<ImWchar>(digits.back()));
    const auto ungrouped = face->CalcTextSizeA(face->FontSize, 1e9f, 0, digits.c_str()).x - first->X0 -
                           (last->AdvanceX - last->X1);
    return place && place->GetWidth() > ungrouped + 0.5f;
  }
};

TEST_F(CellDigitsTest, SumsInCellsAreGroupedInEverySizeAndStayInside) {
  constexpr int width = 40'000;  // sums of up to eight digits
  const auto pixels = pixels_with(9'876'543, width);
  int sizes = 0;
  for (const auto which :
       {Font::largest_digits, Font::large_digits, Font::regular, Font::small_digits, Font::smallest_digits}) {
    auto* face = font(which);
    const auto needed = face->CalcTextSizeA(face->FontSize, 1e9f, 0, grouped(10'000'000).c_str()).x;
    for (const double zoom : {std::floor(needed / 0.88) + 1, std::floor(needed / 0.88) - 1}) {
      auto settings = example_settings();
      settings.panels = false;
      const auto view = view_of(settings, pixels.picture, zoom);
      gpu::PixelPlaces asked;
      ask_for_cells(view, CellValues::sums, asked);
      ImGui::NewFrame();
      draw_cell_values(view, CellValues::sums, pixels);
      ImGui::Render();
      const auto place = TextCheck::place_of("9876543", "##Background");
      EXPECT_EQ(place.has_value(), asked.cells() > 0);
      if (!place) continue;
      EXPECT_LT(place->GetWidth(), zoom);
      for (const auto& fault : TextCheck::faults()) ADD_FAILURE() << zoom << ": " << fault.text << " " << fault.what;
      if (zoom > needed / 0.88) sizes += is_grouped("9876543", "##Background", face);
    }
  }
  EXPECT_EQ(sizes, 5);
}

TEST_F(CellDigitsTest, EntriesOfAMatrixAreGrouped) {
  auto settings = example_settings();
  auto state = example_state(settings);
  show_matrix(state);
  auto pixels = example_matrix();
  for (auto& pixel : pixels.values) pixel.sum = 1'234'567;
  state.probed = &pixels;
  settings.source = "matrix:3x2";
  for (const float width : {800.f, 1280.f}) {
    open({width, 600}, 1);
    expect_no_faults(state, settings, "a matrix with large sums");
    EXPECT_TRUE(is_grouped("1234567", "matrix/", font(Font::regular)));
  }
}

TEST_F(CellDigitsTest, TheFrameOfTheTimelineIsGrouped) {
  auto settings = example_settings();
  auto state = example_state(settings);
  settings.dock = Dock::frame, settings.frame_view = FrameView::one_frame;
  state.timeline.id = 1'234'567;
  open({1920, 1080}, 1);
  expect_no_faults(state, settings, "timeline");
  EXPECT_TRUE(is_grouped("1234567", "dock", font(Font::regular)));
}

}  // namespace
}  // namespace app::ui
