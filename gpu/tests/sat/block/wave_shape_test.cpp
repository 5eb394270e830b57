// How one_wave divides images into launches.
#include "gpu/sat/block/wave_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gpu::sat::wave {
namespace {

TEST(WaveShapeTest, LaunchesHaveRoomAndCoverEveryTileOnce) {
  for (const int capacity : {1, 2, 7, 132, 396})
    for (const Size size : {Size{1, 1}, {128, 8}, {129, 9}, {1920, 1080}, {8192, 40}, {40, 8192}, {70000, 100}})
      for (const int H : {16, 64, 128}) {
        SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", " + std::to_string(H) + ", " +
                     std::to_string(capacity));
        const Division division(size, H, capacity);
        EXPECT_EQ(division.columns, ceil_div(size.width, W));
        EXPECT_EQ(division.rows, ceil_div(size.height, H));
        std::vector<int> covered(static_cast<std::size_t>(division.rows * division.columns));
        const auto times = [&](int I, int J) -> int& { return covered[static_cast<std::size_t>(I * division.columns + J)]; };
        int launches = 0;
        division.for_each_launch([&](int first_row, int first_column, int rows, int columns) {
          ++launches;
          EXPECT_GE(rows * columns, 1);
          EXPECT_LE(rows * columns, capacity);
          for (int I = first_row; I < first_row + rows; ++I)
            for (int J = first_column; J < first_column + columns; ++J) {
              // What is above the launch, and left of it, is complete.
              EXPECT_EQ(I == first_row && I > 0 ? times(I - 1, J) : 1, 1);
              EXPECT_EQ(J == first_column && J > 0 ? times(I, J - 1) : 1, 1);
              ++times(I, J);
            }
        });
        EXPECT_EQ(launches, division.launches());
        EXPECT_TRUE(std::ranges::all_of(covered, [](int once) { return once == 1; }));
      }
}

TEST(WaveShapeTest, TileRowsAreDividedOnlyWhereNotEvenOneFits) {
  EXPECT_EQ(Division({10 * W, 100 * 64}, 64, 30).band_columns, 10);
  EXPECT_EQ(Division({10 * W, 100 * 64}, 64, 30).band_rows, 3);
  EXPECT_EQ(Division({10 * W, 64}, 64, 9).band_columns, 5) << "equal parts";
}

// Low tiles while each has a multiprocessor of its own; then as few launches as possible.
TEST(WaveShapeTest, TheShapeFitsTheImage) {
  constexpr auto bytes = types_of<std::uint8_t, std::uint32_t>, words = types_of<float, float>;
  const auto chosen = [](Size size, Types types) {
    return std::string(shapes[chosen_shape("auto", size, types, 132)].name);
  };
  EXPECT_EQ(chosen({256, 256}, words), "8x4");
  EXPECT_EQ(chosen({256, 256}, bytes), "8x4");
  for (const auto& types : {bytes, words}) {
    EXPECT_EQ(chosen({1024, 1024}, types), "16x4");
    EXPECT_EQ(chosen({1920, 1080}, types), "8x8");
    EXPECT_EQ(chosen({4096, 4096}, types), "8x16");
  }
  EXPECT_EQ(chosen({2048, 2048}, bytes), "8x16") << "8x8 would take two launches";
  for (const auto& shape : shapes)
    EXPECT_EQ(shapes[chosen_shape(shape.name, {256, 256}, words, 132)].name, shape.name) << "as wanted";
}

}  // namespace
}  // namespace gpu::sat::wave
