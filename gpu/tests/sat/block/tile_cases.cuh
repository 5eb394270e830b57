// Shared by the tests of Tile: its types, widths and heights, and the images that it is tested with.
#pragma once

#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {

// The usual number of bands, and twice as many for the algorithm that has them (1r1w_skss). For 8-byte sums at W = 32 a
// band then has one row. Tiles that are not square are those of one_wave.
template <class Sum, int W, int Groups = usual_groups<Sum>>
using OfBytes = Tile<std::uint8_t, Sum, W, Groups>;
template <class T, int W, int Groups = usual_groups<T>>
using OfSums = Tile<T, T, W, Groups>;
using Tiles = testing::Types<
    OfBytes<std::uint32_t, 32>, OfBytes<std::uint32_t, 64>, OfBytes<std::uint32_t, 128>, OfSums<float, 32>,
    OfSums<float, 64>, OfSums<float, 128>, OfSums<double, 32>, OfSums<double, 64>, OfSums<double, 128>,
    OfBytes<std::uint64_t, 32>, OfBytes<std::uint64_t, 64>, OfBytes<std::uint64_t, 128>, OfBytes<std::uint32_t, 128, 16>,
    OfSums<float, 32, 16>, OfSums<double, 32, 32>, OfBytes<std::uint64_t, 64, 32>, OfSums<double, 128, 32>,
    Tile<std::uint8_t, std::uint32_t, 128, 8, 32>, Tile<float, float, 128, 16, 16>, Tile<double, double, 128, 8, 64>,
    Tile<std::uint8_t, std::uint32_t, 128, 8, 32, true>, Tile<std::uint8_t, std::uint32_t, 32, 8, 32, true>>;

template <class TileType>
struct Of;
template <class I, class S, int Width, int Groups, int Height, bool DotProducts>
struct Of<Tile<I, S, Width, Groups, Height, DotProducts>> {
  using Input = I;
  using Sum = S;
  static constexpr int W = Width, H = Height;
};

// Tiles inside the image, at its right and lower edges, and at the corner; tiles that lack one row or column; a small
// image.
inline std::vector<Lie> tile_cases(int W, int H) {
  std::vector<Lie> lies;
  for (const Size size : {Size{2 * W + 5, 2 * H + 3}, Size{2 * W - 1, H}, Size{W, 2 * H - 1}, Size{3, 1}}) {
    lies.push_back(Lie::aligned(size));
    lies.push_back(Lie::odd(size));
  }
  return lies;
}

// The grid of tiles over one image, on the host: the pixels of each tile. Outside the image are zeros.
template <class TileType>
struct TiledImage {
  using Input = typename Of<TileType>::Input;
  using Sum = typename Of<TileType>::Sum;
  static constexpr int W = Of<TileType>::W, H = Of<TileType>::H;

  explicit TiledImage(const Lie& lie)
      : lie(lie),
        pixels(numbers<Input>(lie.elements())),
        rows(ceil_div(lie.size.height, H)),
        columns(ceil_div(lie.size.width, W)),
        there(pixels) {}

  // Row i, column j of tile number t.
  Input at(int t, int i, int j) const {
    const int x = t % columns * W + j, y = t / columns * H + i;
    return x < lie.size.width && y < lie.size.height ? lie.view(pixels.data())(x, y) : Input(0);
  }
  Sum term_at(int t, int i, int j) const { return term<Sum>(at(t, i, j)); }
  int tiles() const { return rows * columns; }
  Grid grid() const { return {dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows)), dim3(TileType::threads)}; }
  ImageView<const Input> image() const { return lie.view(there.data()); }
  bool aligned() const { return aligned_to_four(image()); }
  std::string text() const {
    return std::to_string(lie.size.width) + "x" + std::to_string(lie.size.height) + (aligned() ? ", aligned" : ", odd");
  }

  Lie lie;
  std::vector<Input> pixels;
  int rows, columns;  // of tiles
  OnDevice<Input> there;
};

// The sums of a grid of tiles, which have the rows, columns and corners of TileSums, in memory of the device.
template <class Sum>
struct TileSumsThere {
  OnDevice<Sum> row, column, corner;
  int rows, columns;

  template <class Sums>
  TileSumsThere(const Sums& sums, int rows, int columns)
      : row(sums.row), column(sums.column), corner(sums.corner), rows(rows), columns(columns) {}
  TileSums<Sum> view() const { return {row.data(), column.data(), corner.data(), rows, columns}; }
  template <class Sums>
  void expect(const Sums& expected) const {
    EXPECT_TRUE(same(row.back(), expected.row)) << "rows";
    EXPECT_TRUE(same(column.back(), expected.column)) << "columns";
    EXPECT_TRUE(same(corner.back(), expected.corner)) << "corners";
  }
};

}  // namespace gpu::sat
