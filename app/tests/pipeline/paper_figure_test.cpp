// The tiles of a trace as the papers draw them: steps, regions, serial numbers and look-backs.
#include "app/pipeline/paper_figure.h"

#include <gtest/gtest.h>

#include "gpu/sat/block/tile_order.cuh"

namespace app {
namespace {

using Reach = gpu::LookBackDepths;

TileHistory history_of(const char* algorithm, int rows, int columns, std::vector<const char*> passes = {"pass"}) {
  TileHistory history;
  history.algorithm = algorithm;
  for (const auto* name : passes) {
    const auto first = history.records.size();
    history.passes.push_back({name, 32, 32, rows, columns, first});
    history.records.resize(first + history.passes.back().tiles(), {0, 0, 1, 0, 1});
  }
  return history;
}

// In the first pass the tiles of the first and last `corner` diagonals alone.
TileHistory with_corners(int rows, int columns, int corner) {
  auto history = history_of("1_plus_r_r1w", rows, columns, {"tile sums", "tile tables"});
  for (int I = 0; I < rows; ++I)
    for (int J = 0; J < columns; ++J)
      if (I + J >= corner && I + J < rows + columns - 1 - corner)
        history.records[static_cast<std::size_t>(I * columns + J)] = {};
  return history;
}

// A letter per tile, row by row: l(ater), n(ow), s(ums are local), d(one).
std::string tiles(const PaperFigure& figure, int step, int rows, int columns) {
  std::string all;
  for (int I = 0; I < rows; ++I) {
    for (int J = 0; J < columns; ++J) all += "lnsd"[static_cast<std::size_t>(figure.tile(step, I, J))];
    all += I + 1 < rows ? " " : "";
  }
  return all;
}

TEST(PaperFigureTest, AKernelOf1r1wComputesADiagonalFromItsNeighbours) {
  const PaperFigure figure(history_of("1r1w", 3, 4));
  EXPECT_EQ(figure.steps(), 6);
  EXPECT_EQ(tiles(figure, 0, 3, 4), "nlll llll llll");
  EXPECT_EQ(tiles(figure, 3, 3, 4), "dddn ddnl dnll");
  EXPECT_EQ(tiles(figure, 5, 3, 4), "dddd dddd dddn");
  EXPECT_EQ(figure.reach(3, 1, 2), (Reach{1, 1, 1}));
  EXPECT_EQ(figure.reach(3, 0, 3), (Reach{1, 0, 0}));
  EXPECT_EQ(figure.reach(2, 2, 0), (Reach{0, 1, 0}));
  EXPECT_EQ(figure.reach(3, 0, 0), (Reach{})) << "it is done";
  EXPECT_EQ(figure.label(1, 1), "");
  EXPECT_NE(figure.says(3).find("Fig. 7: kernel 4 of 6 for the tiles with I + J = 3"), std::string::npos) << figure.says(3);
}

TEST(PaperFigureTest, TheSliderHasAPlaceForEachStep) {
  const PaperFigure figure(history_of("1r1w", 3, 4));
  EXPECT_EQ(figure.step_at(0), 0);
  EXPECT_EQ(figure.step_at(0.49), 2);
  EXPECT_EQ(figure.step_at(0.51), 3);
  EXPECT_EQ(figure.step_at(1), 5);
}

TEST(PaperFigureTest, CornersOf1PlusRAreComputedBy2r1w) {
  const PaperFigure figure(with_corners(4, 4, 2));
  EXPECT_EQ(figure.steps(), 3 + 3 + 3);
  EXPECT_EQ(figure.label(0, 1) + figure.label(1, 1) + figure.label(2, 2) + figure.label(3, 2) + figure.label(3, 3), "ABBCC");
  EXPECT_EQ(tiles(figure, 0, 4, 4), "nnll nlll llll llll");
  EXPECT_EQ(tiles(figure, 1, 4, 4), "ssll slll llll llll");
  EXPECT_EQ(tiles(figure, 2, 4, 4), "nnll nlll llll llll");
  EXPECT_EQ(tiles(figure, 3, 4, 4), "ddnl dnll nlll llll");
  EXPECT_EQ(tiles(figure, 6, 4, 4), "dddd dddd dddn ddnn");
  EXPECT_EQ(tiles(figure, 8, 4, 4), "dddd dddd dddn ddnn");
  EXPECT_EQ(figure.reach(0, 0, 1), (Reach{})) << "the sums need no carries";
  EXPECT_EQ(figure.reach(2, 0, 1), (Reach{1, 0, 0}));
  EXPECT_EQ(figure.reach(8, 3, 3), (Reach{1, 1, 1}));
  for (const auto& [step, words] :
       {std::pair{1, "A: prefix sums"}, {4, "B: a kernel for the tiles with I + J = 3"}, {6, "C: the sums of each tile"}})
    EXPECT_NE(figure.says(step).find(words), std::string::npos) << figure.says(step);
}

// With a share of 0 there is one pass, and no corner.
TEST(PaperFigureTest, WithoutCornersEveryTileIsOfRegionB) {
  const PaperFigure figure(history_of("1_plus_r_r1w", 2, 3, {"tile tables"}));
  EXPECT_EQ(figure.steps(), 4);
  EXPECT_EQ(figure.label(0, 0) + figure.label(1, 2), "BB");
  EXPECT_EQ(tiles(figure, 1, 2, 3), "dnl nll");
}

TEST(PaperFigureTest, TwoR1wHasThreeKernels) {
  const PaperFigure figure(history_of("2r1w", 2, 2, {"tile sums", "tile tables"}));
  EXPECT_EQ(figure.steps(), 3);
  EXPECT_EQ(tiles(figure, 0, 2, 2) + ", " + tiles(figure, 1, 2, 2) + ", " + tiles(figure, 2, 2, 2), "nn nn, ss ss, nn nn");
  EXPECT_EQ(figure.reach(2, 1, 1), (Reach{1, 1, 1}));
  EXPECT_FALSE(figure.group(1, 1));
}

TEST(PaperFigureTest, AColumnOfSkssWaitsForTheOneToItsLeft) {
  const PaperFigure figure(history_of("1r1w_skss", 3, 12));
  EXPECT_EQ(figure.steps(), 14);
  EXPECT_EQ(figure.label(2, 10), "10");
  EXPECT_EQ(figure.longest_label(), "11");
  EXPECT_EQ(figure.group(2, 10), 10u);
  EXPECT_EQ(figure.reach(3, 1, 2), (Reach{1, 1, 0}));
  EXPECT_EQ(tiles(figure, 2, 3, 4), "ddnl dnll nlll");
}

TEST(PaperFigureTest, SerialNumbersAreDiagonalMajor) {
  for (const auto& [rows, columns] : {std::pair{5, 5}, {3, 7}, {7, 3}, {1, 9}, {1, 1}}) {
    const PaperFigure figure(history_of("1r1w_skss_lb", rows, columns));
    for (int serial = 0; serial < rows * columns; ++serial) {
      const auto [I, J] = gpu::sat::diagonal_major(serial, rows, columns);
      EXPECT_EQ(figure.label(I, J), std::to_string(serial)) << rows << " x " << columns;
    }
    EXPECT_EQ(figure.longest_label(), std::to_string(rows * columns - 1));
  }
}

// What lies between a tile and the one at which its look-back ends is local, and that one is done.
TEST(PaperFigureTest, LookBacksPassOverLocalSumsAndEndAtGlobalOnes) {
  constexpr int rows = 6, columns = 8;
  const PaperFigure figure(history_of("1r1w_skss_lb", rows, columns));
  EXPECT_EQ(figure.reach(7, 3, 4), (Reach{3, 3, 2}));
  for (int I = 0; I < rows; ++I)
    for (int J = 0; J < columns; ++J) {
      const int step = I + J;
      ASSERT_EQ(figure.tile(step, I, J), PaperTile::now);
      const auto [left, up, diagonal] = figure.reach(step, I, J);
      for (const auto& [tiles, above, before] : {std::tuple{left, 0, 1}, {up, 1, 0}, {diagonal, 1, 1}}) {
        for (int d = 1; d < tiles; ++d) EXPECT_EQ(figure.tile(step, I - d * above, J - d * before), PaperTile::local);
        if (tiles > 0 && I > tiles * above && J > tiles * before) {
          EXPECT_EQ(figure.tile(step, I - tiles * above, J - tiles * before), PaperTile::done);
        }
      }
    }
}

TEST(PaperFigureTest, OtherAlgorithmsShowTheirPasses) {
  const PaperFigure figure(history_of("2r2w_optimal", 2, 2, {"row scan", "column scan"}));
  EXPECT_EQ(figure.steps(), 2);
  EXPECT_EQ(tiles(figure, 0, 2, 2), "nn nn");
  EXPECT_EQ(tiles(figure, 1, 2, 2), "nn nn");
  EXPECT_EQ(figure.reach(1, 1, 1), (Reach{}));
  EXPECT_EQ(figure.farthest(), (Reach{}));
  EXPECT_TRUE(figure.says(1).starts_with("Pass 2 of 2: column scan")) << figure.says(1);
}

}  // namespace
}  // namespace app
