// row_waves: look-backs of tiles that are taken row after row. For images of bytes, whose tables come near to the time of a copy.
//
// Idea (our own): decoupled_fallback takes tiles in the order of the diagonals, so that a look-back finds global sums soon. But
// then the tiles in flight lie in as many rows of memory as there are tile rows, and that order alone costs a tenth of the
// time. Here block b takes tile b in the order of rows. What this would cost in waiting is taken back in four ways:
//   - Tiles of bytes are large, 256 x 128, and wait in shared memory, where four of them fit on a multiprocessor.
//   - All tiles of a tile row are on their way at once. Row sums are therefore found in two levels: those of the tiles before
//     in the same group are added all at once, and only the sums of whole groups are looked back over.
//   - The tiles above lie a whole tile row back, and have their global sums.
//   - So does the tile diagonally above. A warp of its own looks for its sum while others look for theirs.
//
//      block    0  1  2  3 | 4  5  6  7         tile row 0: groups of four tiles
//               8  9 10 11 |12 13 14 15         tile row 1: block 14 adds the row sums of 13 and 12, then those of the
//                                               group 8..11; columns from 6; corner from 5
//
// Pixels come by asynchronous copies, past the registers, are read once, and the table streams out: both leave the L2 cache to
// the published sums (intrinsics.cuh) and to tiles that are fetched ahead. Of an aligned image
// only warps at its right and at its lower edge look at each pixel.
//
// Rows that begin anywhere: bytes come as the aligned words that contain them, and are moved in shared memory. The lanes exchange
// the table's entries before they store them (four.cuh), by usual stores: a sector of two tiles waits in the L2 cache for its
// other part.
//
// Why every block ends: each waits for tiles with smaller numbers only, and blocks nearly always start in the order of their
// numbers. As in decoupled_fallback, a block that waits too long computes the missing sums itself, for tiles 0, 1, ... up to
// its own, except those whose corner has come: whoever published a corner has published, or has on the way, all other sums of
// that tile. Two blocks may publish the same sum; either is right.
//
// Kernels: 1. Traffic: one read and one write per pixel; per tile W + H + 1 words of two sums are written once or twice, and
// a few times as many are read, from the L2 cache.
// Synchronisation: slots with a run's number (run_slots.cuh), as in decoupled_fallback.
//
// GPUs: a block needs 38 to 47 KB of shared memory. On sm_80, sm_90 and sm_100 four of 4-byte sums are resident per
// multiprocessor, on sm_86, sm_89 and sm_120 two, on sm_75 one. A block that is alone loads nothing while it looks back and
// stores, and before sm_80 its loads pass through registers: there it runs, but decoupled_fallback, which has two or three blocks
// of registers, should be taken.
//
// Tried on an H100, and not kept: rows of tiles by bulk copies (sm_90, "cp.async.bulk") in place of asynchronous ones: a little
// faster at 4096 x 4096 if all blocks start at once, slower at 8192 x 8192. On an H200: copies that the L2 cache evicts first, for
// rows that begin anywhere. Not tried: three sums of 16 bits and a tag in one word; smaller tiles for the first and the last rows,
// while not all multiprocessors are busy.
//
// Tables of floats, too, are faster by decoupled_fallback: a tile of as many bytes has a quarter of the pixels, but half of the
// sums.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/bands.cuh"
#include "gpu/sat/block/block_scan.cuh"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/look_back.cuh"
#include "gpu/sat/block/look_back_tile.cuh"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile_order.cuh"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/tuning.h"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

// A tile: its pixels in shared memory, its sums, and the look-backs by which its block finds
// its three carries. The letters are those of tile.cuh.
//
//      W x H pixels, 32 KB     eight warps have pieces of 128 columns: of bytes two beside each other and four below each
//                              other, otherwise eight below each other
//      128 threads             columns: carry GCS(I-1, J), by looking back up
//      128 threads             rows: carry GRS(I, J-1), by looking back left in two levels
//      a ninth warp            corner: carry GS(I-1, J-1), by looking back along the diagonal
//
// Rows in two levels: where tiles are taken row after row, all tiles of a tile row are on their way at once, and a look-back
// would walk over most of them. A tile therefore adds the local sums of the tiles before it in its group, all read at once;
// the last tile of each group publishes the sums of the group, over which the look-back proper goes.
//
//      tile      0 1 2 3 | 4 5 6 7 | 8 9 ...     tile 9 adds the row sums of tile 8,
//      group        0    |    1    |  2          and those of groups 1, 0: local, or global up to there
namespace row_waves {

// The tile of pixels of so many bytes.
struct Shape {
  int W, H;
};
constexpr int tile_bytes = 32768, piece_columns = 128;
constexpr Shape shape_of(std::size_t pixel_bytes) {
  const int W = pixel_bytes == 1 ? 2 * piece_columns : piece_columns;
  return {W, tile_bytes / static_cast<int>(pixel_bytes) / W};
}

// The threads of a block. Those of the pixels become those of the columns, then those of the rows.
constexpr int pixel_warps = 8, column_threads = 128, corner_thread = pixel_warps * warp_lanes,
              block_threads = corner_thread + warp_lanes;

// Slots that a thread reads at once: of a column, of groups.
constexpr int column_batch(int columns_of_thread) { return columns_of_thread == 1 ? 4 : 2; }
constexpr int group_batch = 4;

struct Grid {
  int rows, columns;  // of tiles
  int width;          // of the image, in pixels

  // From a slot of a column to that of the same column one tile row below: from sector to sector.
  __host__ __device__ int step_down() const { return (width + 3) / 4 * 4; }

  __host__ __device__ int tiles() const { return rows * columns; }
  __host__ __device__ TilePlace place(int number) const { return {number / columns, number % columns}; }
};
// Of a tile row: the last one has no other behind it.
__host__ __device__ constexpr int published_groups(int columns, int group) { return (columns - 1) / group; }

// The slots of all tiles, except those that nobody would read.
template <class Sum>
struct Lines {
  RunSlots<Sum> all;
  TaggedWord<Sum>* column;  // [I][column of the image] for all tile rows but the last: LCS, then GCS
  TaggedWord<Sum>* row;     // [I][J][H] for all tile columns but the last: LRS; not used for the last tile of a group
  TaggedWord<Sum>* group;   // [I][group][H]: the sums of a group of tiles, then those of all tiles up to its end
  TaggedWord<Sum>* corner;  // [I][J]: GLS, then GS

  static Lines of(Context& context, Shape shape, Grid grid, int group) {
    const auto rows = static_cast<std::size_t>(grid.rows), columns = static_cast<std::size_t>(grid.columns);
    const auto H = static_cast<std::size_t>(shape.H);
    const auto of_columns = (rows - 1) * static_cast<std::size_t>(grid.step_down()), of_rows = rows * (columns - 1) * H;
    const auto of_groups = rows * static_cast<std::size_t>(published_groups(grid.columns, group)) * H;
    const auto all = RunSlots<Sum>::of(context, of_columns + of_rows + of_groups + rows * columns);
    auto* const row = all.words + of_columns;
    return {all, all.words, row, row + of_rows, row + of_rows + of_groups};
  }
};

// A look-back (look_back_walk.h) step by step, so that a thread goes along two lines at the same time.
template <class Sum, int Batch>
class Walk {
 public:
  __device__ explicit Walk(int count) : count_(count) {}
  __device__ bool ended() const { return next_ > count_; }
  __device__ Sum carry() const { return carry_; }

  // Reads the slots of the next places; slot(d): as look_back().
  template <class SlotAt>
  __device__ void read(SlotAt slot) {
    read_slots(slot, next_, count_, seen_);
  }
  // Adds what has come, in order. Returns whether anything has. Calls walked(d) for each place.
  template <class Walked>
  __device__ bool add(Walked walked) {
    bool added = false, waiting = false;
#pragma unroll
    for (int b = 0; b < Batch; ++b) {
      waiting |= seen_[b].status == Status::empty;
      if (waiting || ended()) continue;
      carry_ += seen_[b].value;
      walked(next_);
      added = true;
      next_ = seen_[b].status == Status::global ? count_ + 1 : next_ + 1;
    }
    return added;
  }

 private:
  int next_ = 1, count_;
  Sum carry_ = 0;
  Published<Sum> seen_[Batch];
};

// Row `lane / (32 / Count)` of `Count` rows is summed over the warp and returned in that lane: as Tile::row_sum().
template <int Count, class T>
__device__ T sum_of_rows(T (&sums)[Count]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int half = Count / 2, distance = warp_lanes / 2; half > 0; half /= 2, distance /= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int r = 0; r < half; ++r) {
      const T give = upper ? sums[r] : sums[r + half], keep = upper ? sums[r + half] : sums[r];
      sums[r] = keep + __shfl_xor_sync(whole_warp, give, distance);
    }
  }
  return segment_sum<warp_lanes / Count>(sums[0]);
}

// Whether rows of an image begin at places where 4 pixels, and 16 bytes, are loaded at once.
struct ImageAlignment {
  bool four, copies;
};

// 16 bytes: what one asynchronous copy moves.
struct alignas(16) CopiedPiece {
  unsigned char bytes[16];
};

// `Group`: tiles of a group.
template <class Input, class Sum, int Group>
struct RowWaveTile {
  static constexpr int W = shape_of(sizeof(Input)).W, H = shape_of(sizeof(Input)).H;
  static constexpr int pieces = W / piece_columns, bands = pixel_warps / pieces, rows = H / bands;  // of a warp
  static_assert(H % warp_lanes == 0 && H <= corner_thread - column_threads && warp_lanes % rows == 0);
  // Sums of bytes in one piece fit 16 bits, so that two are added at once: 128 columns, 128 rows at most. Squares do not.
  static constexpr bool halves = sizeof(Input) == 1 && sizeof(Sum) == 4;
  using BandSum = std::conditional_t<halves, std::uint16_t, Sum>;

  struct Shared {
    alignas(16) Four<Input> pixels[pixel_warps][rows][warp_lanes];
    // Of bytes in rows that begin anywhere: the word behind the last lane's, which contains its last bytes.
    std::uint32_t behind[pixel_warps][sizeof(Input) == 1 ? rows : 1];
    unsigned char padding[64];  // moves what follows: measured on an H100 as faster for large tables, and not explained
    alignas(16) BandSum bands_of_columns[bands][W];       // sums of a band; then of all bands above it
    Sum row[pieces][H];                                   // LRS of a piece
    alignas(16) Sum above[W];                             // GCS(I-1, J)
    Prefix<Sum, H> left[pieces];                          // of the rows from the image's left edge to a piece
    BlockScan<Sum, column_threads / warp_lanes> columns;  // of GCS(I-1, J) + LCS(I, J)
    BlockScan<Sum, column_threads / warp_lanes> first;    // of GCS(I-1, J) in the first piece
    Sum corner;                                           // GS(I-1, J-1)
    bool corner_has_come;
  };

  Shared& shared;
  Grid grid;
  TilePlace place;
  LookBackDepths depths{};  // of this thread, for the trace

  __device__ RowWaveTile(Shared& shared, Grid grid, TilePlace place) : shared(shared), grid(grid), place(place) {}

  // Step 1. Starts to load the tile. Pixels outside the image count as 0.
  __device__ void load(ImageView<const Input> image, ImageAlignment aligned) {
    if (warp() >= pixel_warps) return;
    if (aligned.copies && inside(image.width, image.height))
      copy(image);
    else if constexpr (sizeof(Input) == 1)
      copy_words(image);
    else
      copy_pixels(image);
    commit_async_copies();
  }

  // Starts to bring tile `number` into the L2 cache, if there is one: 128 bytes per thread.
  __device__ void fetch_ahead(ImageView<const Input> image, int number) const {
    constexpr int line = 128 / static_cast<int>(sizeof(Input)), lines_of_row = W / line;
    static_assert(H * lines_of_row == pixel_warps * warp_lanes);
    if (number >= grid.tiles() || thread() >= H * lines_of_row) return;
    const auto later = grid.place(number);
    const int x = later.J * W + thread() % lines_of_row * line, y = later.I * H + thread() / lines_of_row;
    if (x < image.width && y < image.height) fetch_into_l2(image.row(y) + x);
  }

  // Waits for the pixels, and puts the local sums into shared memory. A barrier follows.
  __device__ void put_local_sums(ImageView<const Input> image, ImageAlignment aligned) {
    if (warp() >= pixel_warps) return;
    wait_for_async_copies<0>();
    __syncwarp();
    if constexpr (sizeof(Input) == 1)
      if (!aligned.four) shift_pixels(image);
    if constexpr (halves)
      put_sums_of_halves();
    else
      put_sums();
  }

  // Steps 2 and 3: publishes the tile's sums, and finds its carries. Returns whether all have come; if not, `patience` was over
  // in some thread, and what is not yet published of this tile stays so.
  template <class Waiting>
  __device__ bool find_carries(const Lines<Sum>& lines, std::uint32_t run, Waiting patience) {
    depths = {};
    const RunSlot<Sum> corner{lines.corner + number(), run};
    // Step 2: columns, rows and corner side by side.
    if (thread() < column_threads)
      find_above(lines, run, patience);
    else if (thread() < column_threads + H)
      find_left(lines, run, thread() - column_threads, patience);
    else if (thread() >= corner_thread)
      find_corner_at_once(corner);
    if (!all_came(patience)) return false;

    // Step 3: GLS is the sum of the three pieces of the L. Nearly always the corner has come, and nobody waits any more.
    if (shared.corner_has_come) {
      if (thread() == corner_thread) corner->publish(Status::global, shared.corner + l_shape());
      return true;
    }
    if (thread() >= corner_thread) {
      if (thread() == corner_thread) corner->publish(Status::local, l_shape());
      const Sum carry = look_back_along_diagonal(corner, patience);
      if (thread() == corner_thread && !patience.over()) {
        corner->publish(Status::global, carry + l_shape());
        shared.corner = carry;
      }
    }
    return all_came(patience);
  }

  // Step 4: GSAT. The running sums of the columns go down the rows of a band, and are scanned along each. What is the same for
  // all rows of a band is added to the first column only.
  template <class Trace>
  __device__ void store_table(ImageView<Sum> sat, bool aligned, Trace trace) {
    trace.carry(place.I, place.J);
    if (warp() < pixel_warps) {
      if (!aligned)
        store_rows<Rows::anywhere>(sat);
      else if (inside(sat.width, sat.height))
        store_rows<Rows::inside>(sat);
      else
        store_rows<Rows::at_edge>(sat);
    }
    trace.finish(place.I, place.J, depths);
  }

 private:
  // Where a warp's rows are stored: in an aligned table, all of them or those that it has; in any other one.
  enum class Rows { inside, at_edge, anywhere };

  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ int lane() { return thread() % warp_lanes; }
  static __device__ int warp() { return thread() / warp_lanes; }
  static __device__ int piece() { return warp() % pieces; }
  static __device__ int band() { return warp() / pieces; }
  __device__ int x0() const { return place.J * W + piece() * piece_columns; }  // of the warp
  __device__ int y0() const { return place.I * H + band() * rows; }
  __device__ std::ptrdiff_t number() const { return static_cast<std::ptrdiff_t>(place.I) * grid.columns + place.J; }

  // Whether the warp's pixels lie in an image of this size. Other warps look at edges.
  __device__ bool inside(int width, int height) const { return x0() + piece_columns <= width && y0() + rows <= height; }

  // Rows that begin at 16 bytes, inside the image.
  __device__ void copy(ImageView<const Input> image) const {
    constexpr int pixels = 16 / static_cast<int>(sizeof(Input)), of_row = piece_columns / pixels;
    constexpr int rows_at_once = warp_lanes / std::min(of_row, warp_lanes), of_lane = rows * of_row / warp_lanes;
    auto* target = reinterpret_cast<CopiedPiece*>(shared.pixels[warp()]) + lane();
    if constexpr (of_row <= warp_lanes) {
      const Input* source = image.row(y0() + lane() / of_row) + x0() + lane() % of_row * pixels;
#pragma unroll
      for (int i = 0; i < of_lane; ++i, target += warp_lanes, source += rows_at_once * image.stride)
        copy_async_once(target, reinterpret_cast<const CopiedPiece*>(source));
    } else {
      const Input* source = image.row(y0()) + x0() + lane() * pixels;
#pragma unroll
      for (int i = 0; i < of_lane; ++i, target += warp_lanes) {
        constexpr int parts = of_row / warp_lanes;
        copy_async_once(target, reinterpret_cast<const CopiedPiece*>(source + i % parts * warp_lanes * pixels));
        if (i % parts == parts - 1) source += image.stride;
      }
    }
  }

  // Bytes, where copy() does not apply: the aligned words that contain them; shift_pixels() then moves rows that do not begin at a word. Words that
  // lie in the row in part, one at each of its ends, are put together from bytes: each lane has those of one row, so that all rows
  // are loaded at once.
  __device__ void copy_words(ImageView<const Input> image) const {
    const auto bytes_before = [&](int r) {  // of the row's first word
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(image.row(y0() + r) + x0()) % 4);
    };
    // Whether word k of row r lies in the image.
    const auto first_of = [&](int k, int before) { return x0() + 4 * k - before; };
    const auto word_at = [&](int r, int k, int before) {
      return reinterpret_cast<const std::uint32_t*>(image.row(y0() + r) + first_of(k, before));
    };
    const auto is_whole = [&](int r, int k, int before) {
      return y0() + r < image.height && first_of(k, before) >= 0 && first_of(k, before) + 4 <= image.width;
    };
    if (x0() > 0 && inside(image.width, image.height)) {
#pragma unroll 8
      for (int r = 0; r < rows; ++r) copy_async(pixel_word(r, lane()), word_at(r, lane(), bytes_before(r)));
    } else {
#pragma unroll 1
      for (int r = 0; r < rows; ++r) {
        const int before = bytes_before(r);
        if (is_whole(r, lane(), before))
          copy_async(pixel_word(r, lane()), word_at(r, lane(), before));
        else
          *pixel_word(r, lane()) = 0;
      }
    }
    __syncwarp();
    static_assert(rows == warp_lanes, "a lane for each row");
    const int r = lane(), before = bytes_before(r), last = (image.width - 1 - x0() + before) / 4;
    // Of the word behind the last lane's, a row that begins at a word has nothing.
    if (before > 0 && is_whole(r, warp_lanes, before))
      copy_async(&shared.behind[warp()][r], word_at(r, warp_lanes, before));
    else
      shared.behind[warp()][r] = before > 0 && last == warp_lanes ? bytes_of_word(image, r, last, before) : 0;
    if (x0() == 0 && before > 0) *pixel_word(r, 0) = bytes_of_word(image, r, 0, before);
    if (last >= 0 && last < warp_lanes && !is_whole(r, last, before))
      *pixel_word(r, last) = bytes_of_word(image, r, last, before);
  }
  __device__ std::uint32_t* pixel_word(int r, int k) const {
    return reinterpret_cast<std::uint32_t*>(&shared.pixels[warp()][r][k]);
  }
  // Word k of row r, of which `before` bytes lie before its first pixel; zeros outside the image.
  __device__ std::uint32_t bytes_of_word(ImageView<const Input> image, int r, int k, int before) const {
    std::uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int x = x0() + 4 * k - before + i;
      if (x >= 0 && x < image.width && y0() + r < image.height)
        word |= static_cast<std::uint32_t>(image(x, y0() + r)) << 8 * i;
    }
    return word;
  }
  __device__ void shift_pixels(ImageView<const Input> image) const {
    const auto first = 8 * static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(image.row(y0()) + x0()));
    const auto step = 8 * static_cast<unsigned>(image.stride);
#pragma unroll 8
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t own = packed(shared.pixels[warp()][r][lane()]);
      const std::uint32_t next = __shfl_sync(whole_warp, lane() == 0 ? shared.behind[warp()][r] : own,
                                             (lane() + 1) % warp_lanes);
      const std::uint32_t word = __funnelshift_r(own, next, (first + static_cast<unsigned>(r) * step) % 32);
      memcpy(&shared.pixels[warp()][r][lane()], &word, sizeof word);
    }
  }

  // Larger pixels, where copy() does not apply: neighbouring lanes copy neighbouring pixels.
  __device__ void copy_pixels(ImageView<const Input> image) const {
    auto* target = reinterpret_cast<Input*>(shared.pixels[warp()]) + lane();
#pragma unroll 8
    for (int i = 0; i < rows * 4; ++i, target += warp_lanes) {
      const int x = x0() + i % 4 * warp_lanes + lane(), y = y0() + i / 4;
      if (x < image.width && y < image.height)
        copy_async(target, &image(x, y));
      else
        *target = Input(0);
    }
  }

  // Two rows, and two columns, in the halves of a word each.
  __device__ void put_sums_of_halves() const {
    constexpr int pairs = 8;
    std::uint32_t even = 0, odd = 0;  // columns 0 and 2, 1 and 3
#pragma unroll
    for (int r0 = 0; r0 < rows; r0 += 2 * pairs) {
      std::uint32_t sums[pairs];
#pragma unroll
      for (int k = 0; k < pairs; ++k) {
        const std::uint32_t first = packed(shared.pixels[warp()][r0 + 2 * k][lane()]);
        const std::uint32_t second = packed(shared.pixels[warp()][r0 + 2 * k + 1][lane()]);
        sums[k] = __dp4a(first, 0x01010101u, 0u) + (__dp4a(second, 0x01010101u, 0u) << 16);
        even += (first & 0xff00ffu) + (second & 0xff00ffu);
        odd += (first >> 8 & 0xff00ffu) + (second >> 8 & 0xff00ffu);
      }
      const std::uint32_t two = sum_of_rows(sums);
      constexpr int lanes = warp_lanes / pairs;
      if (lane() % lanes < 2) {
        const int row = band() * rows + r0 + lane() / lanes * 2 + lane() % lanes;
        shared.row[piece()][row] = static_cast<Sum>(lane() % lanes == 0 ? two & 0xffffu : two >> 16);
      }
    }
    Four<std::uint16_t> columns;
    columns.at[0] = static_cast<std::uint16_t>(even & 0xffffu), columns.at[2] = static_cast<std::uint16_t>(even >> 16);
    columns.at[1] = static_cast<std::uint16_t>(odd & 0xffffu), columns.at[3] = static_cast<std::uint16_t>(odd >> 16);
    four_of_band() = columns;
  }

  __device__ void put_sums() const {
    constexpr int at_once = std::min(rows, 8), lanes = warp_lanes / at_once;
    Four<Sum> columns{};
#pragma unroll 1
    for (int r0 = 0; r0 < rows; r0 += at_once) {
      Sum sums[at_once];
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        const auto pixels = shared.pixels[warp()][r0 + r][lane()];
#pragma unroll
        for (int c = 0; c < 4; ++c) columns.at[c] += term<Sum>(pixels.at[c]);
        sums[r] = (term<Sum>(pixels.at[0]) + term<Sum>(pixels.at[1])) + (term<Sum>(pixels.at[2]) + term<Sum>(pixels.at[3]));
      }
      const Sum sum = sum_of_rows(sums);
      if (lane() % lanes == 0) shared.row[piece()][band() * rows + r0 + lane() / lanes] = sum;
    }
    four_of_band() = columns;
  }

  // This thread's columns in the sums of its band.
  __device__ Four<BandSum>& four_of_band() const {
    return *reinterpret_cast<Four<BandSum>*>(&shared.bands_of_columns[band()][piece() * piece_columns + 4 * lane()]);
  }

  // Column j over all bands, LCS[j]; replaces each band's sum by that of all bands above it.
  __device__ Sum scan_column(int j) const {
    BandSum part[bands];
#pragma unroll
    for (int b = 0; b < bands; ++b) part[b] = shared.bands_of_columns[b][j];
    BandSum sum = 0;
#pragma unroll
    for (int b = 0; b < bands; ++b) {
      shared.bands_of_columns[b][j] = sum;
      sum = static_cast<BandSum>(sum + part[b]);
    }
    return static_cast<Sum>(sum);
  }

  // Each thread has a column of each piece.
  template <class Waiting>
  __device__ void find_above(const Lines<Sum>& lines, std::uint32_t run, Waiting& patience) {
    const int step = grid.step_down(), x = place.J * W + thread();
    const RunSlot<Sum> mine{lines.column + static_cast<std::ptrdiff_t>(place.I) * step + x, run};
    Sum local[pieces], carry[pieces];
    int predecessors[pieces];
    bool read_by_others[pieces];
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      const bool in_image = x + p * piece_columns < grid.width;
      predecessors[p] = in_image ? place.I : 0;
      read_by_others[p] = in_image && place.I + 1 < grid.rows;
      local[p] = scan_column(thread() + p * piece_columns);
      if (place.I > 0 && read_by_others[p]) (mine + p * piece_columns)->publish(Status::local, local[p]);
    }
    using ColumnWalk = Walk<Sum, column_batch(pieces)>;
    const auto walked = [&](int d) { depths.up = std::max(depths.up, d); };
    const auto slot_of = [&](int p) { return [=](int d) { return mine + p * piece_columns - d * step; }; };
    ColumnWalk first(predecessors[0]);
    if constexpr (pieces == 1) {
      while (!first.ended()) {
        first.read(slot_of(0));
        if (!first.add(walked) && !patience.poll_again()) break;
      }
    } else {
      ColumnWalk second(predecessors[1]);
      while (!first.ended() || !second.ended()) {
        first.read(slot_of(0));
        second.read(slot_of(1));
        const bool added = first.add(walked);
        if (!second.add(walked) && !added && !patience.poll_again()) break;
      }
      carry[1] = second.carry();
    }
    carry[0] = first.carry();
    Sum all = 0;
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      if (read_by_others[p] && !patience.over()) (mine + p * piece_columns)->publish(Status::global, carry[p] + local[p]);
      shared.above[thread() + p * piece_columns] = carry[p];
      all += carry[p] + local[p];
    }
    shared.columns.put_sum(warp(), all);
    if constexpr (pieces > 1) shared.first.put_sum(warp(), carry[0]);
  }

  // Row i of the tile: the tiles before it in its group, and the groups before that, at the same time.
  template <class Waiting>
  __device__ void find_left(const Lines<Sum>& lines, std::uint32_t run, int i, Waiting& patience) {
    const int group = place.J / Group, in_group = place.J % Group;
    const bool read_by_others = place.J + 1 < grid.columns, last = in_group == Group - 1;
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(place.I) * (grid.columns - 1) + place.J;
    const RunSlot<Sum> mine{lines.row + row * H + i, run};
    const std::ptrdiff_t groups = static_cast<std::ptrdiff_t>(place.I) * published_groups(grid.columns, Group) + group;
    const RunSlot<Sum> of_group{lines.group + groups * H + i, run};
    Sum local = shared.row[0][i];
    if constexpr (pieces > 1) local += shared.row[1][i];
    if (read_by_others && !last) mine->publish(Status::local, local);

    bool group_known = !read_by_others || !last;  // or is published by another tile
    Walk<Sum, Group - 1> tiles(in_group);
    Walk<Sum, group_batch> far(group);
    while (!tiles.ended() || !far.ended()) {
      tiles.read([&](int d) { return mine - d * H; });
      far.read([&](int d) { return of_group - d * H; });
      const bool added = tiles.add([&](int d) { depths.left = std::max(depths.left, d); });
      const bool added_groups = far.add([&](int d) { depths.left = std::max(depths.left, in_group + d * Group); });
      if (!group_known && tiles.ended()) {
        if (!far.ended()) of_group->publish(Status::local, tiles.carry() + local);
        group_known = true;
      }
      if (!added && !added_groups && !patience.poll_again()) break;
    }
    const Sum carry = tiles.carry() + far.carry();
    if (read_by_others && last && !patience.over()) of_group->publish(Status::global, carry + local);
    shared.left[0].put(i, carry);
    if constexpr (pieces > 1) shared.left[1].put(i, carry + shared.row[0][i]);
  }

  // By the corner's warp, before GLS is known: nearly always the corner has long been published, and then takes no time of its
  // own. If it is not there, it is not waited for, since others wait for this tile's GLS.
  __device__ void find_corner_at_once(RunSlot<Sum> corner) {
    Patience none{0};
    const Sum carry = look_back_along_diagonal(corner, none);
    if (thread() != corner_thread) return;
    shared.corner = carry;
    shared.corner_has_come = !none.over();
  }
  template <class Waiting>
  __device__ Sum look_back_along_diagonal(RunSlot<Sum> corner, Waiting& patience) {
    return look_back_warp<Sum>(
        std::min(place.I, place.J), [&](int d) { return corner - d * (grid.columns + 1); },
        [&](int d) { depths.diagonal = d; }, patience);
  }
  __device__ Sum l_shape() const { return shared.left[0].all() + shared.columns.all(); }

  // A barrier.
  template <class Waiting>
  static __device__ bool all_came(const Waiting& patience) {
    if constexpr (Waiting::ends) return !__syncthreads_or(patience.over());
    __syncthreads();
    return true;
  }

  template <Rows Where>
  __device__ void store_rows(ImageView<Sum> sat) const {
    constexpr int at_once = sizeof(Sum) == 8 ? 2 : 4;  // rows whose scans are interleaved
    const int column = piece() * piece_columns + 4 * lane(), first_row = band() * rows, x = x0() + 4 * lane();
    auto sums = *reinterpret_cast<const Four<Sum>*>(&shared.above[column]);
    const auto above = four_of_band();
#pragma unroll
    for (int c = 0; c < 4; ++c) sums.at[c] += static_cast<Sum>(above.at[c]);
    Sum rest = shared.corner + shared.left[piece()].before(first_row);
    if constexpr (pieces > 1)
      if (piece() == 1) rest += shared.first.all();
    if (lane() == 0) sums.at[0] += rest;

    const int first_x = Where == Rows::anywhere ? x0() + neighbours_place<warp_lanes>(lane()) : x;
    Sum* target = sat.row(y0()) + first_x;
#pragma unroll(Where == Rows::inside ? 2 : 1)  // more would not fit in the registers
    for (int r0 = 0; r0 < rows; r0 += at_once) {
      Four<Sum> entries[at_once];
      Sum scanned[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const auto pixels = shared.pixels[warp()][r0 + k][lane()];
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          sums.at[c] += term<Sum>(pixels.at[c]);
          entries[k].at[c] = c == 0 ? sums.at[0] : entries[k].at[c - 1] + sums.at[c];
        }
        scanned[k] = entries[k].at[3];
      }
#pragma unroll
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        Sum left[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) left[k] = __shfl_up_sync(whole_warp, scanned[k], static_cast<unsigned>(distance));
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (lane() >= distance) scanned[k] += left[k];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k, target += sat.stride) {
        const Sum carry = shared.left[piece()].at[first_row + r0 + k];
        const Sum before = __shfl_up_sync(whole_warp, scanned[k], 1);
        const Sum left = lane() == 0 ? carry : before + carry;
#pragma unroll
        for (int c = 0; c < 4; ++c) entries[k].at[c] += left;
        if constexpr (Where == Rows::anywhere) {
          exchange_fours<warp_lanes>(entries[k], lane());
          const int end = y0() + r0 + k < sat.height ? sat.width - first_x : 0;
          // Not by store_once(): a sector that is written in part stays in the cache until its other part comes.
#pragma unroll
          for (int c = 0; c < 4; ++c)
            if (c * warp_lanes < end) target[c * warp_lanes] = entries[k].at[c];
        } else if (Where == Rows::inside || (x + 4 <= sat.width && y0() + r0 + k < sat.height)) {
          store_once(reinterpret_cast<Four<Sum>*>(target), entries[k]);
        } else if (y0() + r0 + k < sat.height) {
#pragma unroll
          for (int c = 0; c < 3; ++c)
            if (x + c < sat.width) target[c] = entries[k].at[c];
        }
      }
    }
  }
};

}  // namespace row_waves

namespace {

using namespace row_waves;

// Polls in vain before a block turns to the fallback; simulated, one: a poll there reads all places of a batch.
constexpr int usual_patience = polls_in_vain(patience_of_row_waves);

struct Launch {
  Grid grid;
  StaggeredStart start;
  int ahead;  // a block fetches the tile that is so many later
  ImageAlignment image;
  bool sat_aligned;
  bool backward;  // the last tile first, for tests
  int patience;

  __device__ int own_tile() const {
    const int block = static_cast<int>(blockIdx.x);
    return backward ? grid.tiles() - 1 - block : block;
  }
};

template <class Input, class Sum, int Group>
struct BlockShared {
  typename RowWaveTile<Input, Sum, Group>::Shared tile;
  std::uint32_t run;
};

// Resident blocks per multiprocessor to compile for.
template <class Sum>
constexpr int resident_tiles = blocks_of_row_waves(sizeof(Sum));

// All threads of the block. Not inlined, and with arguments by value, as in decoupled_fallback.
template <class Input, class Sum, int Group, class Trace>
[[gnu::noinline]] __device__ void compute_missing(ImageView<const Input> image, ImageView<Sum> sat, Lines<Sum> lines,
                                                  Launch launch, Trace trace) {
  auto& shared = static_shared<BlockShared<Input, Sum, Group>>();
  const int own = launch.own_tile();
  for (int number = 0; number <= own; ++number) {
    const RunSlot<Sum> corner{lines.corner + number, shared.run};
    const bool has_come = number < own && threadIdx.x == 0 && corner->read().status == Status::global;
    if (__syncthreads_or(has_come)) continue;
    RowWaveTile<Input, Sum, Group> tile(shared.tile, launch.grid, launch.grid.place(number));
    tile.load(image, launch.image);
    tile.put_local_sums(image, launch.image);
    __syncthreads();
    tile.find_carries(lines, shared.run, Endless{});
    if (number == own) tile.store_table(sat, launch.sat_aligned, trace);
  }
}

template <class Input, class Sum, int Group, class Trace>
__global__ void __launch_bounds__(block_threads, resident_tiles<Sum>)
    row_waves_kernel(ImageView<const Input> image, ImageView<Sum> sat, Lines<Sum> lines, Launch launch, Trace trace) {
  auto& shared = static_shared<BlockShared<Input, Sum, Group>>();
  launch.start.wait_for_turn(static_cast<int>(blockIdx.x));
  const int own = launch.own_tile();
  RowWaveTile<Input, Sum, Group> tile(shared.tile, launch.grid, launch.grid.place(own));
  trace.start(tile.place.I, tile.place.J);

  // Step 1: the tile into shared memory, and its local sums; meanwhile the number of this run, which comes with a ticket. The
  // ticket's serial number is not used.
  const bool takes_ticket = threadIdx.x == corner_thread;
  const auto before = takes_ticket ? lines.all.tickets->draw() : 0;
  tile.load(image, launch.image);
  if (launch.ahead > 0) tile.fetch_ahead(image, own + launch.ahead);
  if (takes_ticket) shared.run = lines.all.tickets->drawn(before, gridDim.x).run;
  tile.put_local_sums(image, launch.image);
  __syncthreads();

  // Steps 2 and 3: the carries, by looking back. Step 4: GSAT.
  if (tile.find_carries(lines, shared.run, Patience{launch.patience}))
    tile.store_table(sat, launch.sat_aligned, trace);
  else
    compute_missing<Input, Sum, Group>(image, sat, lines, launch, trace);
  // By the thread that publishes the corner, which does so last: the block's other accesses to slots lie before a barrier.
  if (takes_ticket) lines.all.end(shared.run, gridDim.x);
}

constexpr Grid grid_of(Size size, Shape tile) {
  return {ceil_div(size.height, tile.H), ceil_div(size.width, tile.W), size.width};
}

template <class Input, class Sum, int Group>
void launch_tiles(Context& context, ImageView<const Input> image, ImageView<Sum> sat, Launch launch) {
  constexpr Shape shape = shape_of(sizeof(Input));
  const auto grid = launch.grid = grid_of(image.size(), shape);
  const auto& limits = context.limits();
  launch.start = staggered_start(grid.tiles(), resident_tiles<Sum> * limits.multiprocessors,
                                 tuning_for(limits).clocks_of_row_waves);
  launch.image = {aligned_to_four(image), aligned_to<CopiedPiece>(image)};
  launch.sat_aligned = aligned_to_four(sat);
  const auto lines = Lines<Sum>::of(context, shape, grid, Group);
  const TracedPass<Input, Sum> pass(context, "row_waves", Size{shape.W, shape.H}, grid.rows, grid.columns);
  pass.launch([&](auto trace) {
    context.launch("row_waves", row_waves_kernel<Input, Sum, Group, decltype(trace)>,
                   {dim3(static_cast<unsigned>(grid.tiles())), dim3(block_threads)}, image, sat, lines, launch, trace);
  });
}

int group_of(const Arguments& arguments) { return arguments.text("group") == "four" ? 4 : 8; }

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    Launch launch{};
    launch.backward = context.impatient(), launch.patience = context.impatient() ? 0 : usual_patience;
    if (arguments.text("ahead") != "none")
      launch.ahead = tuning_for(context.limits())
                         .row_of_tiles.of(tile_bytes, image.size().pixels() * sizeof(Input), context.limits().l2_bytes);
    visit_constant<4, 8>(group_of(arguments),
                         [&]<int Group>() { launch_tiles<Input, Sum, Group>(context, input, output, launch); });
  });
}

// Each place of a line reads a batch of the slots before it, once.
constexpr std::uint64_t slots_read(int places, int batch) {
  std::uint64_t read = 0;
  for (int place = 0; place < places; ++place) read += static_cast<std::uint64_t>(std::min(place, batch));
  return read;
}

// Of every run but the first, which also clears the memory that persists; as traffic.h says, blocks run one after another.
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const Shape shape = shape_of(bytes.input);
  const Grid grid = grid_of(size, shape);
  const int group = group_of(arguments), groups = published_groups(grid.columns, group);
  const auto width = static_cast<std::uint64_t>(size.width), H = static_cast<std::uint64_t>(shape.H);
  const auto R = static_cast<std::uint64_t>(grid.rows), C = static_cast<std::uint64_t>(grid.columns);
  const auto G = static_cast<std::uint64_t>(groups), tiles = R * C;
  // Columns: local sums only below the first tile row, none in the last one.
  Traffic slots{width * slots_read(grid.rows, column_batch(shape.W / piece_columns)), R > 1 ? width * (2 * R - 3) : 0, 0};
  // Rows: every tile but the last publishes its own sums, or those of its group.
  std::uint64_t row_reads = 0, corner_reads = 0;
  for (int J = 0; J < grid.columns; ++J)
    row_reads += static_cast<std::uint64_t>(J % group + std::min(J / group, group_batch));
  slots += Traffic{R * H * row_reads, R * H * (C - 1 - G) + R * H * G, 0};
  // Corners: a lane of a warp per predecessor on the diagonal.
  const int shorter = std::min(grid.rows, grid.columns);
  for (int predecessors = 1; predecessors < shorter; ++predecessors)
    corner_reads += static_cast<std::uint64_t>(grid.rows + grid.columns - 2 * predecessors - 1) *
                    static_cast<std::uint64_t>(std::min(predecessors, warp_lanes));
  slots += Traffic{corner_reads, tiles, 0};
  const auto slot = slot_bytes(bytes);
  return tickets_taken(tiles) + one_pass(size.pixels(), bytes.input, bytes.sum) +
         Traffic{slots.read_bytes * slot, slots.written_bytes * slot, 0};
}

constexpr Parameter parameters[] = {
    choice("group", "eight,four", "tiles of a tile row that form a group: their sums are looked back over together"),
    fetch_ahead};

}  // namespace

extern constinit const SatAlgorithm sat_row_waves{
    .name = "row_waves",
    .year = 2026,
    .paper =
        "our own: large tiles of bytes in the order of rows, row sums in two levels, and the fallback of Smith, Levien, "
        "Owens, SPAA 2025",
    .idea = "Tiles are taken row after row; row sums are passed on in groups of tiles, column sums by looking back.",
    .device = Device::cuda,
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = usual_sat_types,
    .types_note = usual_types_note,
    .repeatable = false,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
