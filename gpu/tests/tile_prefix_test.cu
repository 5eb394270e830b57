// tile_prefix.cuh: from local to global sums of tiles, all at once or diagonal by diagonal.
#include "gpu/sat/tile_prefix.cuh"

#include "gpu/tests/pieces.cuh"

namespace gpu::sat {
namespace {

constexpr int lines = 64, line_entries = 40;

// A line a thread, all of other lengths.
__host__ __device__ constexpr int first_of(int line) { return line % 5; }
__host__ __device__ constexpr int last_of(int line) { return line * line_entries / (lines - 1); }

template <class Sum>
__global__ void scan_lines(Sum* entries, const Sum* before, std::ptrdiff_t stride, int step) {
  const int line = static_cast<int>(threadIdx.x);
  prefix_in_place(entries + line * step, first_of(line), last_of(line), stride, before[line]);
}

template <class Sum>
class TilePrefix : public PerSum<Sum> {};
TYPED_TEST_SUITE(TilePrefix, Sums);

TYPED_TEST(TilePrefix, ScansLinesInPlace) {
  // Lines side by side, and one behind the other.
  for (const auto& [stride, step] : {std::pair{lines, 1}, {1, line_entries}}) {
    auto entries = numbers<TypeParam>(lines * line_entries);
    const auto before = numbers<TypeParam>(lines, 2);
    const OnDevice<TypeParam> there(entries), there_before(before);
    start(scan_lines<TypeParam>, {dim3(1), dim3(lines)}, there.data(), there_before.data(), stride, step);
    for (int line = 0; line < lines; ++line) {
      auto sum = before[static_cast<std::size_t>(line)];
      for (int k = first_of(line); k < last_of(line); ++k) {
        auto& entry = entries[static_cast<std::size_t>(line * step + k * stride)];
        entry = sum += entry;
      }
    }
    EXPECT_TRUE(same(there.back(), entries)) << "stride " << stride;
  }
}

// The sums of a grid of tiles, laid out as TileSums says: each tile's rows and columns add up to its corner.
template <class Sum>
struct GridSums {
  int rows, columns, W;
  std::vector<Sum> row, column, corner;

  GridSums(int rows, int columns, int W)
      : rows(rows), columns(columns), W(W), row(numbers<Sum>(static_cast<std::size_t>(rows * columns * W), 1)),
        column(numbers<Sum>(row.size(), 2)), corner(static_cast<std::size_t>(rows * columns)) {
    for (int I = 0; I < rows; ++I)
      for (int J = 0; J < columns; ++J) {
        Sum rest = 0;
        for (int i = 0; i < W; ++i) corner_of(I, J) += row_of(I, J, i);
        for (int j = 0; j < W - 1; ++j) rest += column_of(I, J, j);
        column_of(I, J, W - 1) = corner_of(I, J) - rest;
      }
  }
  auto& row_of(int I, int J, int i) { return row[static_cast<std::size_t>((J * rows + I) * W + i)]; }
  auto& column_of(int I, int J, int j) { return column[static_cast<std::size_t>((I * columns + J) * W + j)]; }
  auto& corner_of(int I, int J) { return corner[static_cast<std::size_t>(I * columns + J)]; }

  // Local sums become global ones, in all tiles.
  void add_up() {
    for (int I = 0; I < rows; ++I)
      for (int J = 0; J < columns; ++J) {
        for (int i = 0; i < W; ++i) {
          if (J > 0) row_of(I, J, i) += row_of(I, J - 1, i);
          if (I > 0) column_of(I, J, i) += column_of(I - 1, J, i);
        }
        if (J > 0) corner_of(I, J) += corner_of(I, J - 1);
        if (I > 0) corner_of(I, J) += corner_of(I - 1, J);
        if (I > 0 && J > 0) corner_of(I, J) -= corner_of(I - 1, J - 1);
      }
  }
  // Those of `other` in tiles before diagonal `end`.
  void take(GridSums& other, int end) {
    for (int I = 0; I < rows; ++I)
      for (int J = 0; J < columns && I + J < end; ++J) {
        for (int i = 0; i < W; ++i) {
          row_of(I, J, i) = other.row_of(I, J, i);
          column_of(I, J, i) = other.column_of(I, J, i);
        }
        corner_of(I, J) = other.corner_of(I, J);
      }
  }
};

template <class Sum>
class TileSumsThere {
 public:
  explicit TileSumsThere(const GridSums<Sum>& sums)
      : row_(sums.row), column_(sums.column), corner_(sums.corner),
        view_{row_.data(), column_.data(), corner_.data(), sums.rows, sums.columns} {}
  const TileSums<Sum>& view() const { return view_; }
  void expect(const GridSums<Sum>& expected) const {
    EXPECT_TRUE(same(row_.back(), expected.row)) << "rows";
    EXPECT_TRUE(same(column_.back(), expected.column)) << "columns";
    EXPECT_TRUE(same(corner_.back(), expected.corner)) << "corners";
  }

 private:
  OnDevice<Sum> row_, column_, corner_;
  TileSums<Sum> view_;
};

// Tile rows, tile columns, W: more lines than a block has threads, too.
constexpr int grids[][3] = {{1, 1, 32}, {5, 8, 32}, {9, 4, 64}, {300, 3, 32}, {2, 300, 128}};

TYPED_TEST(TilePrefix, MakesSumsGlobal) {
  for (const auto& [rows, columns, W] : grids) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    GridSums<TypeParam> sums(rows, columns, W);
    const TileSumsThere<TypeParam> there(sums);
    auto context = Context::on_stream(nullptr, {});
    launch_prefix_sums(context, "all", there.view(), W, all_diagonals(there.view()));
    sums.add_up();
    there.expect(sums);
  }
}

// Each group of diagonals goes on from what the ones before have left; later ones are not touched.
TYPED_TEST(TilePrefix, MakesSumsGlobalDiagonalByDiagonal) {
  for (const auto& [rows, columns, W] : grids) {
    GridSums<TypeParam> sums(rows, columns, W), global = sums;
    global.add_up();
    const TileSumsThere<TypeParam> there(sums);
    auto context = Context::on_stream(nullptr, {});
    const int diagonals = rows + columns - 1;
    int begin = 0;
    for (const int end : {diagonals / 4, diagonals / 4 + 1, diagonals / 2, diagonals}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", to diagonal " + std::to_string(end));
      launch_prefix_sums(context, "some", there.view(), W, {begin, end});
      sums.take(global, end);
      there.expect(sums);
      begin = end;
    }
  }
}

TYPED_TEST(TilePrefix, MakesLinesGlobalAlone) {
  for (const auto& [rows, columns, W] : grids) {
    GridSums<TypeParam> sums(rows, columns, W);
    const TileSumsThere<TypeParam> there(sums);
    auto context = Context::on_stream(nullptr, {});
    launch_prefix_sums(context, "lines", there.view(), W, all_diagonals(there.view()), false);
    const auto corner = sums.corner;
    sums.add_up();
    sums.corner = corner;
    there.expect(sums);
  }
}

}  // namespace
}  // namespace gpu::sat
