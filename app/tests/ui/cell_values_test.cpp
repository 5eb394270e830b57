// The values in the cells of an enlarged picture: which ones at which side of a comparison.
#include "app/ui/cell_values.h"

#include "app/tests/ui/controls_test.h"

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

TEST(CellColumnsTest, are_sums_where_the_table_is_shown) {
  auto settings = compared("original", "result", "sat_view");
  settings.compare.on = false;
  EXPECT_EQ(columns_of(settings).at(0), CellValues::sums);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::sums);
  settings.effect = "box_blur";
  EXPECT_EQ(columns_of(settings).at(0), CellValues::rgb);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::rgb);
}

TEST(CellColumnsTest, are_of_the_side_that_the_column_shows) {
  for (const auto& settings : {compared("original", "sat_view"), compared("original", "result", "sat_view")}) {
    EXPECT_EQ(columns_of(settings).at(3), CellValues::rgb);
    EXPECT_EQ(columns_of(settings).at(4), CellValues::sums);
    EXPECT_EQ(columns_of(settings, 0.25).at(2), CellValues::sums) << "the line has moved";
  }
  const auto swapped = columns_of(compared("sat_view", "original"));
  EXPECT_EQ(swapped.at(3), CellValues::sums);
  EXPECT_EQ(swapped.at(4), CellValues::rgb);
}

TEST(CellColumnsTest, are_colours_in_a_difference_and_what_was_chosen_anywhere) {
  auto settings = compared("original", "result", "sat_view");
  settings.compare_mode = gpu::Composition::Mode::difference;
  EXPECT_EQ(columns_of(settings).at(0), CellValues::rgb);
  EXPECT_EQ(columns_of(settings).at(7), CellValues::rgb);
  settings.compare_mode = gpu::Composition::Mode::wipe;
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
  void draw_under_panels() override {
    const auto area = places().picture;
    draw_cell_values({0, {0.5, 0.5}, {4, 2}, {area.x, area.y, area.width, area.height}}, columns_, pixels_);
  }
  static bool has_cell(const char* value) { return shown(value, "##Background"); }

  ProbedPixels pixels_;
  CellColumns columns_;
};

TEST_F(CellValuesTest, each_side_has_its_own) {
  settings_.panels = false;
  columns_ = {CellValues::rgb, CellValues::sums, 2};
  draw(2);
  for (const char* value : {"50", "51", "1020", "1021", "1031"}) EXPECT_TRUE(has_cell(value)) << value;
  for (const char* value : {"1000", "1011", "52", "53"}) EXPECT_FALSE(has_cell(value)) << value;
}

}  // namespace
}  // namespace app::ui
