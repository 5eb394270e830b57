// A matrix as a picture for a file: squares that are read, in levels that are told apart, and the rectangle with its sum.
#include "app/pipeline/picture_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace app {
namespace {

// Levels 0 to 7 from left to right; the last row is of another colour.
gpu::Image<gpu::Rgba> small_levels() {
  gpu::Image<gpu::Rgba> picture({8, 4}, gpu::Device::host);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 8; ++x) {
      const auto level = static_cast<std::uint8_t>(x);
      picture.view()(x, y) = {level, level, static_cast<std::uint8_t>(y == 3 ? 0 : level), 255};
    }
  return picture;
}

int green_without_red(gpu::Rgba colour) { return colour.g - colour.r; }

// How many pixels of the square at (x, y) differ from its corner's.
int written(gpu::ImageView<const gpu::Rgba> picture, int square, int x, int y) {
  int count = 0;
  const auto ground = picture(x * square, y * square);
  for (int j = 0; j < square; ++j)
    for (int i = 0; i < square; ++i) count += picture(x * square + i, y * square + j).r != ground.r;
  return count;
}

TEST(MatrixPictureTest, LevelsAreToldApartAndSquaresHaveTheirNumbers) {
  const auto picture = small_levels();
  const auto drawn = in_squares(picture.view(), {});
  const auto view = drawn.view();
  ASSERT_EQ(view.size(), size_in_squares({8, 4}));
  const int square = view.width / 8;
  EXPECT_GE(square, 24) << "wide enough for three digits";
  for (int x = 0; x < 8; ++x) {
    EXPECT_NEAR(view(x * square, 0).r, x * 255 / 7.0, 1);
    EXPECT_GT(written(view, square, x, 0), 20) << x;
    EXPECT_EQ(written(view, square, std::max(x, 1), 3), 0) << "no gray level";
  }
}

TEST(MatrixPictureTest, AnnotationsAreEnlargedWithIt) {
  gpu::Annotation box;
  box.fill = {0, 255, 0, 255};
  box.x0 = 2;
  box.x1 = 3;
  box.y0 = 1;
  box.y1 = 2;
  const auto picture = small_levels();
  const auto drawn = in_squares(picture.view(), std::span(&box, 1));
  const int square = drawn.view().width / 8;
  EXPECT_EQ(green_without_red(drawn.view()(2 * square + square / 2, square + square / 2)), 255);
  EXPECT_EQ(green_without_red(drawn.view()(4 * square + 2, square + 2)), 0);
}

// The table's numbers are the sums: cells differ where they do, and nowhere else.
TEST(MatrixPictureTest, AMatrixStandsBesideItsTable) {
  const auto drawn_of = [](std::initializer_list<int> levels) {
    capture::Frame frame;
    frame.resize({2, 2}, false);
    auto level = levels.begin();
    for (int i = 0; i < 4; ++i) {
      const auto value = static_cast<std::uint8_t>(*level++);
      frame.writable()(i % 2, i / 2) = {value, value, value};
    }
    return matrix_and_table(frame.view());
  };
  const auto one = drawn_of({1, 2, 3, 4}), other = drawn_of({1, 2, 4, 3});  // the sums differ at (0, 1) alone
  ASSERT_EQ(one.size(), other.size());
  const int square = side_of_square({2, 2}), gap = square / 2, cell = (one.size().width - gap) / 2 - square;
  EXPECT_GE(cell, square);
  EXPECT_EQ(one.size().height, 3 * square) << "the names above";
  const auto differ = [&](int left, int top, int width) {
    int count = 0;
    for (int y = top; y < top + square; ++y)
      for (int x = left; x < left + width; ++x) count += one.view()(x, y).g != other.view()(x, y).g;
    return count;
  };
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) {
      EXPECT_EQ(differ(x * square, square + y * square, square) > 0, y == 1) << x << ", " << y << " of the matrix";
      const int table = 2 * square + gap;
      EXPECT_EQ(differ(table + x * cell, square + y * square, cell) > 0, x == 0 && y == 1)
          << x << ", " << y << " of the table";
    }
  EXPECT_EQ(differ(0, 0, one.size().width), 0);
  const auto wide = drawn_of({255, 255, 255, 255});
  EXPECT_GT(wide.size().width, one.size().width - square) << "room for the largest sum";
}

// A rectangle marks its numbers and the entries of its sum, and the sum is worked out below; as often as it is moved.
TEST(MatrixPictureTest, ARectangleOfAMatrixIsDrawnInBothAndItsSumBelow) {
  capture::Frame frame;
  frame.resize({4, 4}, false);
  for (int i = 0; i < 16; ++i) frame.writable()(i % 4, i / 4) = {7, 7, 7};
  const auto plain = matrix_and_table(frame.view());
  const int square = side_of_square({4, 4}), gap = square / 2, cell = (plain.size().width - gap) / 4 - square;
  for (const auto& [box, lit] : {std::pair(PixelBox{1, 1, 2, 2}, 4), {PixelBox{0, 1, 2, 2}, 2}, {PixelBox{0, 0, 9, 9}, 1}}) {
    const auto drawn = matrix_and_table(frame.view(), box);
    EXPECT_EQ(drawn.size().height, plain.size().height + square);
    const auto differ = [&](int left, int top, int width) {
      int count = 0;
      for (int y = top; y < top + square / 2; ++y)
        for (int x = left; x < left + width; ++x) count += drawn.view()(x, y).r != plain.view()(x, y).r;
      return count > 0;
    };
    int entries = 0;
    for (int i = 0; i < 16; ++i)
      entries += differ(4 * square + gap + i % 4 * cell + 2, square + i / 4 * square + 2, cell / 2);
    EXPECT_EQ(entries, lit) << "those inside";
    int written = 0;
    for (int x = 0; x < drawn.size().width; ++x)
      for (int y = plain.size().height; y < drawn.size().height; ++y) written += drawn.view()(x, y).r > 100;
    EXPECT_GT(written, 100);
  }
  EXPECT_EQ(matrix_and_table(frame.view(), PixelBox{4, 4, 1, 1}).size(), plain.size()) << "outside";
}

TEST(MatrixPictureTest, TheRectangleHasTheSumOfItsPartInTheMatrix) {
  capture::Frame frame;
  frame.resize({4, 3}, false);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) frame.writable()(x, y) = {5, 5, 5};
  const auto list = rectangle_annotations({2, 1, 9, 9}, frame.view());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].x1 - list[0].x0, 2);
  EXPECT_EQ(list[1].value, 4 * 5);
  EXPECT_EQ(std::string_view(list[1].text), "sum of the original");
  EXPECT_TRUE(rectangle_annotations({4, 0, 1, 1}, frame.view()).empty());
}

TEST(MatrixPictureTest, AnyMatrixFitsAndPhotosDoNot) {
  EXPECT_TRUE(fits_squares({64, 64}));
  EXPECT_FALSE(fits_squares({65, 1}));
  EXPECT_EQ(size_in_file({64, 64}, true), size_in_squares({64, 64}));
  EXPECT_EQ(size_in_file({65, 1}, true), (gpu::Size{65, 1}));
  EXPECT_EQ(size_in_file({64, 64}, false), (gpu::Size{64, 64}));
  EXPECT_EQ(level_gain(0), 1);
  EXPECT_EQ(level_gain(255), 1);
  EXPECT_EQ(level_gain(5), 51);
}

}  // namespace
}  // namespace app
