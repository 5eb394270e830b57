// Numbers in the cells of an enlarged picture and of a matrix, and in the timeline: their digits are grouped, and fit.
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/text_check_window.h"
#include "app/ui/cell_values.h"

namespace app::ui {
namespace {

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
       {Font::largest_digits, Font::larger_digits, Font::regular, Font::small, Font::small_digits, Font::smallest_digits}) {
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
  EXPECT_EQ(sizes, 6);
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
  settings.dock = Dock::timeline;
  state.timeline.id = 1'234'567;
  open({1920, 1080}, 1);
  expect_no_faults(state, settings, "timeline");
  EXPECT_TRUE(is_grouped("1234567", "dock", font(Font::small)));
}

}  // namespace
}  // namespace app::ui
