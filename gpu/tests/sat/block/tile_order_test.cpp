// The order of tiles, and their anti-diagonals, which every algorithm uses that assigns tiles to blocks: as in the paper's
// figure, one tile per number, and each after those it waits for.
#include "gpu/sat/block/tile_order.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <vector>

#include "gpu/sat/block/diagonals.h"

namespace gpu::sat {
namespace {

struct GridSize {
  int rows, columns;
  int tiles() const { return rows * columns; }
};
void PrintTo(const GridSize& grid, std::ostream* out) { *out << grid.rows << "x" << grid.columns; }

// The number of tile (I, J) at I * columns + J; -1 if there is none. Numbers outside the grid, and repeated ones, fail.
std::vector<int> numbers_of(const GridSize& grid) {
  std::vector<int> numbers(static_cast<std::size_t>(grid.tiles()), -1);
  for (int serial = 0; serial < grid.tiles(); ++serial) {
    const auto [I, J] = diagonal_major(serial, grid.rows, grid.columns);
    if (I < 0 || I >= grid.rows || J < 0 || J >= grid.columns) {
      ADD_FAILURE() << serial << " lies outside, at " << I << ", " << J;
      return numbers;
    }
    auto& number = numbers[static_cast<std::size_t>(I * grid.columns + J)];
    if (number != -1) {
      ADD_FAILURE() << "tile " << I << ", " << J << " is number " << number << " and " << serial;
      return numbers;
    }
    number = serial;
  }
  return numbers;
}

TEST(TileOrderDiagonalMajorTest, IsThatOfThePaper) {
  // 000, Fig. 9.
  EXPECT_EQ(numbers_of({5, 5}), (std::vector<int>{0,  1,  3,  6,  10,  //
                                                  2,  4,  7,  11, 15,  //
                                                  5,  8,  12, 16, 19,  //
                                                  9,  13, 17, 20, 22,  //
                                                  14, 18, 21, 23, 24}));
}

TEST(TileOrderDiagonalMajorTest, NeedsNoSquare) {
  EXPECT_EQ(numbers_of({3, 4}), (std::vector<int>{0, 1, 3, 6,  //
                                                  2, 4, 7, 9,  //
                                                  5, 8, 10, 11}));
  EXPECT_EQ(numbers_of({4, 2}), (std::vector<int>{0, 1,  //
                                                  2, 3,  //
                                                  4, 5,  //
                                                  6, 7}));
  EXPECT_EQ(numbers_of({1, 4}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(numbers_of({4, 1}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(numbers_of({1, 1}), (std::vector<int>{0}));
}

void check_order(const GridSize& grid) {
  SCOPED_TRACE(testing::PrintToString(grid));
  const auto numbers = numbers_of(grid);
  const auto number = [&](int I, int J) {  // -1 outside the grid: before all others
    return I < 0 || J < 0 ? -1 : numbers[static_cast<std::size_t>(I * grid.columns + J)];
  };
  for (int I = 0; I < grid.rows; ++I)
    for (int J = 0; J < grid.columns; ++J) {
      const int mine = number(I, J);
      ASSERT_GE(mine, 0) << I << ", " << J;
      ASSERT_LT(number(I, J - 1), mine) << I << ", " << J;
      ASSERT_LT(number(I - 1, J), mine) << I << ", " << J;
      ASSERT_LT(number(I - 1, J - 1), mine) << I << ", " << J;
      if (I > 0 && J + 1 < grid.columns) {
        ASSERT_EQ(number(I - 1, J + 1) + 1, mine) << I << ", " << J;  // down the diagonal
      }
    }
}

TEST(TileOrderDiagonalMajorTest, NumbersEveryTileOnceAndAfterItsPredecessors) {
  for (int rows = 1; rows <= 20; ++rows)
    for (int columns = 1; columns <= 20; ++columns) check_order({rows, columns});
  for (const GridSize grid : {GridSize{17, 30},
                              {30, 17},
                              {64, 512},
                              {512, 64},
                              {255, 256},
                              {1023, 1024},
                              {1024, 1024},
                              {2, 500000},
                              {500000, 2},
                              {1, 1000000},
                              {1000000, 1}})
    check_order(grid);
}

// Grids of almost 2^31 tiles: the first and the last tile of every diagonal.
TEST(TileOrderDiagonalMajorTest, HoldsUpTo31Bits) {
  for (const GridSize grid : {GridSize{46340, 46340}, {32767, 65535}, {65535, 32767}, {2, 1073741823}, {1073741823, 2}}) {
    SCOPED_TRACE(testing::PrintToString(grid));
    const int diagonals = std::min(grid.rows + grid.columns - 1, 200000);  // of the long ones, those that differ
    long long start = 0;
    for (int d = 0; d < diagonals; ++d) {
      const int first_row = std::max(0, d - grid.columns + 1), last_row = std::min(d, grid.rows - 1);
      const auto first = diagonal_major(static_cast<int>(start), grid.rows, grid.columns);
      ASSERT_EQ(first.I, first_row) << d;
      ASSERT_EQ(first.J, d - first_row) << d;
      start += last_row - first_row + 1;
      const auto last = diagonal_major(static_cast<int>(start - 1), grid.rows, grid.columns);
      ASSERT_EQ(last.I, last_row) << d;
      ASSERT_EQ(last.J, d - last_row) << d;
    }
    const auto last = diagonal_major(grid.tiles() - 1, grid.rows, grid.columns);
    EXPECT_EQ(last.I, grid.rows - 1);
    EXPECT_EQ(last.J, grid.columns - 1);
  }
}

// The first position of every row and the last one before it. The positions between need no test: the square root in
// floating point is monotonic, so that the estimate lies between those of the ends.
TEST(TileOrderTrianglePlaceTest, IsExactUpTo31Bits) {
  for (int row = 1; row <= 65535; ++row) {
    const auto number = static_cast<int>(static_cast<long long>(row) * (row + 1) / 2);
    const auto first = triangle_place(number), before = triangle_place(number - 1);
    ASSERT_EQ(first.row, row);
    ASSERT_EQ(first.place, 0) << row;
    ASSERT_EQ(before.row, row - 1);
    ASSERT_EQ(before.place, row - 1);
  }
  const auto largest = triangle_place(std::numeric_limits<int>::max());
  EXPECT_EQ(largest.row, 65535);
  EXPECT_EQ(largest.place, 32767);
}

// Compared with the definition, begin <= I + J < end, tile by tile.
TEST(TileOrderDiagonalsTest, AreTheTilesBetweenTwoDiagonals) {
  for (const GridSize grid : {GridSize{1, 1}, {1, 6}, {6, 1}, {4, 4}, {3, 7}, {7, 3}})
    for (int begin = 0; begin <= grid.rows + grid.columns; ++begin)
      for (int end = begin; end <= grid.rows + grid.columns; ++end) {
        SCOPED_TRACE(testing::PrintToString(grid) + ": " + std::to_string(begin) + " to " + std::to_string(end));
        const Diagonals tiles{begin, end};
        for (int I = 0; I < grid.rows; ++I)
          for (int J = 0; J < grid.columns; ++J) {
            const bool inside = begin <= I + J && I + J < end;
            EXPECT_EQ(J >= tiles.first(I) && J < tiles.last(I, grid.columns), inside) << I << ", " << J;
            EXPECT_EQ(I >= tiles.first(J) && I < tiles.last(J, grid.rows), inside) << I << ", " << J;
          }
      }
}

TEST(TileOrderTilesOnTest, IsWhereADiagonalBegins) {
  static_assert(tiles_on(0, 4, 4) == 0);
  static_assert(tiles_on(2, 4, 4) == 3);
  static_assert(tiles_on(7, 4, 4) == 16);
  for (int rows = 1; rows <= 20; ++rows)
    for (int columns = 1; columns <= 20; ++columns) {
      SCOPED_TRACE(testing::PrintToString(GridSize{rows, columns}));
      const int diagonals = rows + columns - 1;
      EXPECT_EQ(tiles_on(diagonals, rows, columns), rows * columns);
      for (int d = 0; d < diagonals; ++d) {
        int before = 0;
        for (int I = 0; I < rows; ++I)
          for (int J = 0; J < columns; ++J) before += I + J < d;
        ASSERT_EQ(tiles_on(d, rows, columns), before);
        const auto [I, J] = diagonal_major(before, rows, columns);
        ASSERT_EQ(I + J, d);
        ASSERT_EQ(I, std::max(0, d - columns + 1));
      }
    }
}

}  // namespace
}  // namespace gpu::sat
