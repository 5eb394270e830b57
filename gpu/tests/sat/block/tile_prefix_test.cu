// tile_prefix.cuh: from local to global sums of tiles, all at once or diagonal by diagonal.
#include "gpu/sat/block/tile_prefix.cuh"

#include "gpu/tests/sat/block/tile_cases.cuh"

namespace gpu::sat {
namespace {

// Lines of a block, all of different lengths: more than `parts` threads take in three rounds, and some empty ones.
constexpr int line_entries = 300;
__host__ __device__ constexpr int first_of(int line) { return line % 5; }
__host__ __device__ constexpr int last_of(int line, int lines) { return line * line_entries / (lines - 1); }

// The block may have more threads than lines.
template <class Sum>
__global__ void __launch_bounds__(prefix_threads)
    scan_lines(Sum* entries, const Sum* before, std::ptrdiff_t stride, int step, int lines, Segments segments) {
  const int i = line_of_thread(segments);
  prefix_in_place(i < lines ? Line<Sum>{entries + i * step, stride, first_of(i), last_of(i, lines), before[i]} : Line<Sum>{},
                  segments);
}

template <class Sum>
class TilePrefixTest : public PerSum<Sum> {};
TYPED_TEST_SUITE(TilePrefixTest, Sums);

template <class Sum>
void scan_lines_in_place(int lines, const Segments& segments) {
  // Lines side by side, and one behind the other.
  for (const auto& [stride, step] : {std::pair{lines, 1}, {1, line_entries}}) {
    auto entries = numbers<Sum>(static_cast<std::size_t>(lines * line_entries));
    const auto before = numbers<Sum>(static_cast<std::size_t>(lines), 2);
    const OnDevice<Sum> there(entries), there_before(before);
    start(scan_lines<Sum>, {dim3(1), dim3(prefix_threads)}, there.data(), there_before.data(), stride, step, lines,
          segments);
    for (int line = 0; line < lines; ++line) {
      auto sum = before[static_cast<std::size_t>(line)];
      for (int k = first_of(line); k < last_of(line, lines); ++k) {
        auto& entry = entries[static_cast<std::size_t>(line * step + k * stride)];
        entry = sum += entry;
      }
    }
    EXPECT_TRUE(same(there.back(), entries))
        << segments.parts() << " per line, " << segments.entries << " entries each, stride " << stride;
  }
}

// Every way in which a block can share lines, with segments of one entry, of some, and of all that are prefetched; threads
// without a line in one of them.
TYPED_TEST(TilePrefixTest, ScansLinesInPlace) {
  constexpr int ahead = entries_ahead<TypeParam>;
  for (int shift = 0; 32 << shift <= prefix_threads; ++shift)
    for (const int entries : {1, 5, few_entries + 1, ahead}) {
      const Segments segments{shift, entries, ceil_div(line_entries, entries << shift)};
      scan_lines_in_place<TypeParam>(lines_of_block(segments) - (entries == 5 ? 3 : 0), segments);
    }
}

// The sums of a grid of tiles, laid out as TileSums says: each tile's rows and columns add up to its corner.
template <class Sum>
struct GridSums {
  int rows, columns, W;
  std::vector<Sum> row, column, corner;

  GridSums(int rows, int columns, int W)
      : rows(rows),
        columns(columns),
        W(W),
        row(numbers<Sum>(static_cast<std::size_t>(rows * columns * W), 1)),
        column(numbers<Sum>(row.size(), 2)),
        corner(static_cast<std::size_t>(rows * columns)) {
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
  // The sums of `other` in tiles before diagonal `end`.
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

// Tile rows, tile columns, W: more lines than a block has threads, and lines that threads share, also in several rounds.
constexpr int grids[][3] = {{1, 1, 32},    {5, 8, 32},    {9, 4, 64},   {300, 3, 32},
                            {2, 300, 128}, {70, 129, 32}, {40, 33, 32}, {2000, 1, 32}};

template <class Sum>
__global__ void __launch_bounds__(prefix_threads)
    make_corner_table(TileSums<Sum> sums, int W, Diagonals tiles, Segments segments) {
  corner_table(sums, W, tiles, segments);
}

// The same by one block; it does not change the other diagonals.
TYPED_TEST(TilePrefixTest, MakesCornersGlobalInOneBlock) {
  using Sum = TypeParam;
  for (const auto& [rows, columns, W] : grids) {
    GridSums<Sum> sums(rows, columns, W), global = sums;
    global.add_up();
    const TileSumsThere<Sum> there(sums, rows, columns);
    sums.row = global.row;  // the input of floating-point carries
    const TileSumsThere<Sum> rows_there(sums, rows, columns);
    auto view = there.view();
    view.row = rows_there.view().row;
    int begin = 0;
    for (const int end : {(rows + columns) / 2, rows + columns - 1}) {
      start(make_corner_table<Sum>, {dim3(1), dim3(prefix_threads)}, view, W, Diagonals{begin, end},
            corner_segments<Sum>(view, {begin, end}));
      for (int I = 0; I < rows; ++I)
        for (int J = 0; J < columns && I + J < end; ++J) sums.corner_of(I, J) = global.corner_of(I, J);
      EXPECT_TRUE(same(there.corner.back(), sums.corner)) << rows << " x " << columns << ", to " << end;
      begin = end;
    }
  }
}

// All at once, or in groups of diagonals: each continues from the previous ones; later ones are not changed.
TYPED_TEST(TilePrefixTest, MakesSumsGlobal) {
  for (const auto& [rows, columns, W] : grids) {
    const int diagonals = rows + columns - 1;
    for (const auto& ends : {std::vector{diagonals}, {diagonals / 4, diagonals / 4 + 1, diagonals / 2, diagonals}}) {
      GridSums<TypeParam> sums(rows, columns, W), global = sums;
      global.add_up();
      const TileSumsThere<TypeParam> there(sums, rows, columns);
      auto context = Context::on_stream(nullptr, {});
      int begin = 0;
      for (const int end : ends) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", to diagonal " + std::to_string(end));
        const auto tiles = ends.size() == 1 ? all_diagonals(there.view()) : Diagonals{begin, end};
        launch_prefix_sums(context, "sums", there.view(), W, tiles);
        sums.take(global, end);
        there.expect(sums);
        begin = end;
      }
    }
  }
}

}  // namespace
}  // namespace gpu::sat
