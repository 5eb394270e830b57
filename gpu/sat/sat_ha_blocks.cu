// ha_blocks: sub-images are reduced to row and column sums; these are scanned; then the sub-images are scanned with them.
//
// Paper: Ha, Choi, Jun, Kim, Byun, Han, Bandwidth Efficient Summed Area Table Generation for CUDA, Journal of Korea Game
// Society 12(5), 2012 (004), sec. 4, Fig. 2 to 4.
// Idea: divide and conquer over b x b sub-images, one per block. Whatever their size, a block processes its sub-image in
// 32 x 32 patches (the paper's word), so that it needs little shared memory, which is padded against bank conflicts.
//
//      pivot | column sums      a sub-image needs the column sums of everything above it, the row sums of everything to
//      ------+------------      its left, and the pivot, the sum of everything above and left: kernel 1 sums each
//      row   | sub-image        sub-image alone, 2 adds up these sums from the image's edges on, 3 adds them to the
//      sums  |                  sub-image's own table
//
//      1 reduce:        row sums and column sums of each sub-image             w h       reads
//      2 partial sums:  scanned along the rows and down the columns; and the   4 w h / b
//                       pivots, the corners where four sub-images meet
//      3 scan:          each sub-image, with the results of 2                  2 w h
//
// Kernels: 3. Traffic: 3 + 8 / b accesses per pixel in all. Synchronisation: the kernel boundaries; from sm_90 on kernels
// 2 and 3 start before the one before them ends, and wait for it (intrinsics.cuh).
//
// Departures:
// - The paper's second pass is one block; here every line of partial sums has one thread, or several, and the pivots have a
//   block of their own (tile_prefix.cuh). They are computed from the sub-images' sums, in a separate array, while the paper
//   collects them from the last column sums. Partial sums are inclusive: a sub-image reads those of its neighbour, not its
//   own exclusive ones.
// - Except for bytes, each warp holds a patch in registers, one column per lane, and adds downwards there; only the sums along rows use
//   (padded) shared memory. Both are serial scans of 31 additions, one line per lane; the paper scans lines by Kogge-Stone,
//   with zones of padding for the additions of idle lanes.
// - Bytes come four per word, and are scanned two at once, in the halves of a word, along rows first: eight lanes have a row,
//   and scan it by Kogge-Stone, in registers. A patch's sums fit 16 bits along its rows and eight rows down.
// - b / 32 warps process the patches of a strip concurrently, while the paper processes one patch after another.
#include <iterator>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/pictures/row_grid.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/register_matrix.cuh"
#include "gpu/sat/block/tile_prefix.cuh"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {
namespace {

constexpr auto sub_image_side = choice<64, 32, 128, 256>("b", "side of a sub-image in pixels");

// Where a warp's patches lie: one per strip of 32 rows, from the top of sub-image (I, J) down.
template <int B>
struct Patches {
  static constexpr int warps = B / matrix_side;
  int I, J = static_cast<int>(blockIdx.x);
  int warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int x = J * B + static_cast<int>(threadIdx.x);  // of this lane's column
};

// Shared memory of one block. All of it is dynamic, so that the launch configuration states its size. One `Patch` per warp; if
// the GPU has too little shared memory for this, `Turns` warps share one and use it in turn.
template <class Patch, int B, int Turns>
struct Shared {
  static constexpr int warps = B / matrix_side, at_once = warps / Turns;
  Patch patch[at_once];

  static __device__ bool has_turn(int warp, int turn) { return Turns == 1 || warp / at_once == turn; }
};
template <class Patch, class Sum, int B, int Turns>
struct ReduceShared : Shared<Patch, B, Turns> {
  Sum rows[B / matrix_side][B];  // the sums of the rows of each warp's patches
  BlockScan<Sum, B / matrix_side> columns;
};
template <class Patch, class Sum, int B, int Turns>
struct ScanShared : Shared<Patch, B, Turns> {
  Sum edge[2][B / matrix_side][matrix_side];  // of each warp's patch; the strips alternate between the two sets
};

// Bytes are added packed, two sums per word; those of 8-byte sums are not: their terms are squares.
template <class Input, class Sum>
inline constexpr bool adds_packed = sizeof(Input) == 1 && sizeof(Sum) == 4;
constexpr std::uint32_t halves = 0x00ff00ff;  // of a word, each with one byte
constexpr int largest_byte = 255, largest_half = 0xffff;

// What a lane's four columns have in the two words of a row.
__device__ inline Four<std::uint32_t> columns_of(std::uint32_t even, std::uint32_t odd) {
  return {even & 0xffff, odd & 0xffff, even >> 16, odd >> 16};
}

// The next patch that a warp takes, whose pixels load() fetches. Of any type: a lane has a column.
template <class Input, bool packed>
struct NextPatch {
  Input next[matrix_side];

  __device__ void load(ImageView<const Input> image, bool, int x0, int y0) {
    load_matrix(image, x0 + static_cast<int>(threadIdx.x) % warp_lanes, y0, next);
  }
};
// A patch of bytes: a lane has four columns of eight neighbouring rows.
template <>
struct NextPatch<std::uint8_t, true> {
  using Pixels = PackedMatrix<1>;
  Pixels next;

  __device__ void load(ImageView<const std::uint8_t> image, bool aligned, int x0, int y0) {
    next.load(image, x0, y0, aligned);
  }
};

// What a warp adds up of the patches that it reduces, one below the other. down() takes the pixels that load() fetched, and adds
// them to the sums of the warp's columns; along() puts the sums of the patch's rows into `rows`, by way of `patch`.
// After the last patch, put_columns() stores the sums of the 32 columns, and returns a part of their sum in every lane. This one
// is for any type.
template <class Input, class Sum, bool packed>
struct PatchSums : NextPatch<Input, packed> {
  using Patch = TransposeBuffer<Sum>;
  Sum column = 0, data[matrix_side];

  __device__ void down() {
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) column += data[j] = term<Sum>(this->next[j]);
  }
  // Lane i adds row i in shared memory.
  __device__ void along(Patch& patch, Sum* rows) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    put_rows(patch, data);
    Sum row = 0;
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) row += patch.at[lane][j];
    rows[lane] = row;
    __syncwarp();
  }
  __device__ Sum put_columns(Sum* columns) const {
    columns[threadIdx.x % warp_lanes] = column;
    return column;
  }
};

// Sums of bytes: two per word.
template <class Sum>
struct PatchSums<std::uint8_t, Sum, true> : NextPatch<std::uint8_t, true> {
  struct Patch {};
  static constexpr int pairs = Pixels::words / 2;
  std::uint32_t even = 0, odd = 0;  // of this lane's columns, of eight rows of at most eight patches
  static_assert(Pixels::words * 8 * largest_byte <= largest_half);
  std::uint32_t row[pairs];  // of this lane's four columns, in rows k and k + 4

  __device__ void down() {
#pragma unroll
    for (int k = 0; k < Pixels::words; ++k) {
      const std::uint32_t word_even = next.at[k] & halves, word_odd = next.at[k] >> 8 & halves;
      even += word_even, odd += word_odd;
      const std::uint32_t two = word_even + word_odd, four = (two & 0xffff) + (two >> 16);
      if (k < pairs)
        row[k] = four;
      else
        row[k - pairs] += four << 16;
    }
  }
  // Each of the eight lanes that have a row gives one half of its sums away, and adds those of the other half: after two steps it
  // has one pair of rows, after the third its sum over all lanes.
  __device__ void along(Patch&, Sum* rows) const {
    const int lane = static_cast<int>(threadIdx.x) % Pixels::lanes_per_row;
    const auto exchange = [&](std::uint32_t low, std::uint32_t high, int bit) {
      const bool upper = lane & bit;
      return (upper ? high : low) + __shfl_xor_sync(whole_warp, upper ? low : high, bit);
    };
    std::uint32_t sum = exchange(exchange(row[0], row[2], 2), exchange(row[1], row[3], 2), 1);
    sum += __shfl_xor_sync(whole_warp, sum, pairs);
    rows[Pixels::row() + lane] = static_cast<Sum>(lane < pairs ? sum & 0xffff : sum >> 16);
  }
  __device__ Sum put_columns(Sum* columns) const {
    const auto column = columns_of(even, odd);
    std::uint32_t all = 0;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      auto sum = column.at[c] + __shfl_xor_sync(whole_warp, column.at[c], 8);
      sum += __shfl_xor_sync(whole_warp, sum, 16);
      if (threadIdx.x % warp_lanes == c * 8 + threadIdx.x % 8) columns[threadIdx.x % 8 * 4 + c] = static_cast<Sum>(sum);
      all += column.at[c];
    }
    return static_cast<Sum>(all);
  }
};

template <class Input, class Sum, int B, int Turns, class Trace>
__global__ void __launch_bounds__(B) reduce(ImageView<const Input> image, bool aligned, TileSums<Sum> sums, Trace trace) {
  unsigned char* const dynamic = dynamic_shared();
  using Sums = PatchSums<Input, Sum, adds_packed<Input, Sum>>;
  auto& shared = *reinterpret_cast<ReduceShared<typename Sums::Patch, Sum, B, Turns>*>(dynamic);
  const Patches<B> place{row_of_block()};
  if (place.I >= sums.rows) return;
  trace.start(place.I, place.J);
  const int x0 = place.x - place.lane, y0 = place.I * B, thread = static_cast<int>(threadIdx.x);
  Sums patches;
  patches.load(image, aligned, x0, y0);
  for (int strip = 0; strip < place.warps; ++strip) {
    patches.down();
    if (strip + 1 < place.warps) patches.load(image, aligned, x0, y0 + (strip + 1) * matrix_side);
#pragma unroll
    for (int turn = 0; turn < Turns; ++turn) {
      if (Turns > 1) __syncthreads();
      if (shared.has_turn(place.warp, turn))
        patches.along(shared.patch[place.warp % shared.at_once], shared.rows[place.warp] + strip * matrix_side);
    }
  }
  const Sum part = patches.put_columns(sums.template column_of<B>(place.I, place.J) + place.warp * matrix_side);
  shared.columns.put_sum(place.warp, part);
  __syncthreads();
  // The sums of the sub-image's rows are those of its warps' patches.
  Sum row = 0;
#pragma unroll
  for (int w = 0; w < place.warps; ++w) row += shared.rows[w][thread];
  sums.template row_of<B>(place.I, place.J)[thread] = row;
  if (thread == 0) sums.corner_of(place.I, place.J) = shared.columns.all();
  trace.finish(place.I, place.J);
}

// The prefix sums of each row of a patch in shared memory, in place: lane i scans row i. Returns the row's sum.
template <class Sum>
__device__ Sum scan_patch_rows(TransposeBuffer<Sum>& patch) {
  Sum sum = 0;
  auto& row = patch.at[threadIdx.x % warp_lanes];
#pragma unroll
  for (int x = 0; x < matrix_side; ++x) row[x] = sum += row[x];
  return sum;
}

// What a warp makes of the patches that it scans, one below the other: their part of the table, without the sums left of the
// patch. down() takes the pixels that load() fetched, and adds them to the sums above; along() puts the entries at the
// patch's right edge into `edge`; store() adds `left`, of this lane's row, to all of them. This one is for any type.
template <class Input, class Sum, bool packed>
struct PatchTable : NextPatch<Input, packed> {
  using Patch = TransposeBuffer<Sum>;
  Sum column, data[matrix_side];

  // `above`: the sum of this lane's column from the image's top edge.
  __device__ void begin(Sum above) { column = above; }
  __device__ void down() {
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) data[j] = column += term<Sum>(this->next[j]);
  }
  __device__ void along(Patch& patch, Sum (&edge)[matrix_side]) const {
    put_rows(patch, data);
    edge[threadIdx.x % warp_lanes] = scan_patch_rows(patch);
  }
  __device__ void store(ImageView<Sum> sat, bool, int x0, int y0, Patch& patch, Sum left) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    patch.at[lane][matrix_side] = left;  // in the padding, where all lanes can read it
    __syncwarp();
    // No lane overwrites what others read here: its column is its own, and the padding waits for the block's next barrier.
    store_matrix(sat, x0 + lane, y0, [&](int j) { return patch.at[j][lane] + patch.at[j][matrix_side]; });
  }
};

// Tables of bytes: the first and the third of a lane's four columns are in the halves of one word.
template <class Sum>
struct PatchTable<std::uint8_t, Sum, true> : NextPatch<std::uint8_t, true> {
  struct Patch {
    alignas(Four<Sum>) Sum left[matrix_side];  // of its rows
  };
  Sum above[4];        // the patch's part of the table row above this lane's first row, in its columns
  Sum patch_above[4];  // above the patch
  std::uint32_t even[Pixels::words], odd[Pixels::words];  // the prefix sums of this lane's rows in the patch

  // The sums above become a row of the table: prefix sums of 32 columns, of which each lane then takes its four.
  __device__ void begin(Sum column) {
    const Sum prefix = inclusive_scan(column);
#pragma unroll
    for (int c = 0; c < 4; ++c) patch_above[c] = __shfl_sync(whole_warp, prefix, Pixels::column() + c);
  }
  // The sums of a patch's row, and those of eight rows down, fit a half.
  static_assert(Pixels::words * matrix_side * largest_byte <= largest_half);
  __device__ void down() {
    scan_rows();
#pragma unroll
    for (int k = 1; k < Pixels::words; ++k) even[k] += even[k - 1], odd[k] += odd[k - 1];
    pass_down();
  }
  // Prefix sums of each word's four bytes, and the sums of the lanes to the left, of two rows at once.
  __device__ void scan_rows() {
    constexpr int pairs = Pixels::words / 2;
#pragma unroll
    for (int k = 0; k < Pixels::words; ++k) {
      const std::uint32_t first = next.at[k] & halves, second = next.at[k] >> 8 & halves, both = first + second;
      even[k] = first + (both << 16), odd[k] = both + (both << 16);
    }
#pragma unroll
    for (int k = 0; k < pairs; ++k) {
      const std::uint32_t own = odd[k] >> 16 | (odd[k + pairs] & 0xffff0000);
      const std::uint32_t before = inclusive_scan<Pixels::lanes_per_row>(own) - own;
      const auto add = [&](int row, std::uint32_t sum) { even[row] += sum << 16 | sum, odd[row] += sum << 16 | sum; };
      add(k, before & 0xffff), add(k + pairs, before >> 16);
    }
  }
  // A lane's last row is the sum of its rows: it goes to the lanes below, and from the lowest ones to the next patch.
  __device__ void pass_down() {
    constexpr int last = Pixels::words - 1, lanes = Pixels::lanes_per_row;
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const auto own = columns_of(even[last], odd[last]);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      std::uint32_t sum = own.at[c];
#pragma unroll
      for (int distance = lanes; distance < warp_lanes; distance *= 2) {
        const auto upper = __shfl_up_sync(whole_warp, sum, distance);
        if (lane >= distance) sum += upper;
      }
      above[c] = patch_above[c] + static_cast<Sum>(sum - own.at[c]);
      patch_above[c] += static_cast<Sum>(__shfl_sync(whole_warp, sum, warp_lanes - lanes + lane % lanes));
    }
  }
  __device__ Four<Sum> entries(int k) const {
    const auto sums = columns_of(even[k], odd[k]);
    Four<Sum> four;
#pragma unroll
    for (int c = 0; c < 4; ++c) four.at[c] = above[c] + static_cast<Sum>(sums.at[c]);
    return four;
  }
  __device__ void along(Patch&, Sum (&edge)[matrix_side]) const {
    if (Pixels::column() != matrix_side - 4) return;
#pragma unroll
    for (int k = 0; k < Pixels::words; ++k) edge[Pixels::row() + k] = entries(k).at[3];
  }
  __device__ void store(ImageView<Sum> sat, bool aligned, int x0, int y0, Patch& patch, Sum left) const {
    patch.left[threadIdx.x % warp_lanes] = left;
    __syncwarp();
    const int x = x0 + Pixels::column(), y = y0 + Pixels::row();
#pragma unroll
    for (int k = 0; k < Pixels::words; ++k) {
      auto four = entries(k);
#pragma unroll
      for (int c = 0; c < 4; ++c) four.at[c] += patch.left[Pixels::row() + k];
      store_four<Pixels::lanes_per_row>(sat.row(y + k) + x, x, y + k < sat.height ? sat.width : 0, aligned, four);
    }
  }
};

template <class Input, class Sum, int B, int Turns, class Trace>
__global__ void __launch_bounds__(B) scan(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sat,
                                          bool sat_aligned, TileSums<Sum> sums, Trace trace) {
  unsigned char* const dynamic = dynamic_shared();
  using Table = PatchTable<Input, Sum, adds_packed<Input, Sum>>;
  auto& shared = *reinterpret_cast<ScanShared<typename Table::Patch, Sum, B, Turns>*>(dynamic);
  // From the last sub-image to the first: the pixels that the reduction read last are still in the L2 cache.
  const Patches<B> place{sums.rows - 1 - row_of_block()};
  if (place.I < 0) return wait_for_previous_launch();
  const int I = place.I, J = place.J, lane = place.lane, warp = place.warp, x0 = place.x - lane;
  trace.start(I, J);
  Table table;
  table.load(image, image_aligned, x0, I * B);
  wait_for_previous_launch();  // which made the sums, not the image
  table.begin(I > 0 ? sums.template column_of<B>(I - 1, J)[threadIdx.x] : Sum(0));
  Sum left_above = I > 0 && J > 0 ? sums.corner_of(I - 1, J - 1) : Sum(0);  // the table's entry left of the strip's top
  const auto left_of_strip = [&](int strip) {  // the sum of the image's row `lane` of the strip, up to the sub-image
    return J > 0 ? sums.template row_of<B>(I, J - 1)[strip * matrix_side + lane] : Sum(0);
  };
  Sum next_left = left_of_strip(0);

  for (int strip = 0; strip < place.warps; ++strip) {
    const int y0 = I * B + strip * matrix_side;
    if (y0 >= image.height) {
      trace.finish(I, J);
      return;
    }
    // Down the columns, in registers; what the next strip needs is loaded meanwhile. The table's entries left of the sub-image:
    // sums of rows from the left edge, added down to row `lane` of the strip.
    table.down();
    Sum left = left_above + inclusive_scan(next_left);
    left_above = __shfl_sync(whole_warp, left, warp_lanes - 1);
    if (strip + 1 < place.warps && y0 + matrix_side < image.height) {
      table.load(image, image_aligned, x0, y0 + matrix_side);
      next_left = left_of_strip(strip + 1);
    }

    auto& patch = shared.patch[warp % shared.at_once];
    auto& edge = shared.edge[strip % 2];
#pragma unroll
    for (int turn = 0; turn < Turns; ++turn) {
      // Along the rows; the warps of the strip exchange the entries at the edges of their patches.
      const bool mine = shared.has_turn(warp, turn);
      if (mine) table.along(patch, edge[warp]);
      __syncthreads();
      if (strip == 0 && turn == 0) trace.carry(I, J);  // the row sums of the other strips are read later
      if (mine) {
        for (int w = 0; w < warp; ++w) left += edge[w][lane];
        table.store(sat, sat_aligned, x0, y0, patch, left);
      }
      if (Turns > 1) __syncthreads();  // before the next warp uses the patch
    }
  }
  trace.finish(I, J);
}

template <class Input, class Sum, int B, int Turns>
void launch_in_turns(Context& context, ImageView<const Input> image, ImageView<Sum> sat) {
  const auto sums = TileSums<Sum>::in(context, image.size(), B);
  constexpr bool packed = adds_packed<Input, Sum>;
  using Reduce = ReduceShared<typename PatchSums<Input, Sum, packed>::Patch, Sum, B, Turns>;
  using Scan = ScanShared<typename PatchTable<Input, Sum, packed>::Patch, Sum, B, Turns>;
  const auto grid = [&](std::size_t shared_bytes, Start start) {
    return Grid{row_grid(sums.columns, sums.rows), dim3(B), shared_bytes, start};
  };
  const TracedPass<Input, Sum> first(context, "reduce", B, sums.rows, sums.columns),
      last(context, "scan", B, sums.rows, sums.columns);
  first.launch([&](auto trace) {
    context.launch("reduce", reduce<Input, Sum, B, Turns, decltype(trace)>, grid(sizeof(Reduce), Start::in_order), image,
                   aligned_to_four(image), sums, trace);
  });
  launch_prefix_sums(context, "partial sums", sums, B, all_diagonals(sums));
  last.launch([&](auto trace) {
    context.launch("scan", scan<Input, Sum, B, Turns, decltype(trace)>, grid(sizeof(Scan), Start::dependent), image,
                   aligned_to_four(image), sat, aligned_to_four(sat), sums, trace);
  });
}

template <class Input, class Sum, int B>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat) {
  // With b = 256 and sums of 8 bytes, not every GPU has shared memory for one patch per warp.
  using Patch = typename PatchSums<Input, Sum, adds_packed<Input, Sum>>::Patch;
  constexpr std::size_t needed = sizeof(ReduceShared<Patch, Sum, B, 1>), least = *(std::end(shared_sizes) - 1);
  if constexpr (needed > least)
    if (needed > context.limits().shared_bytes) return launch_in_turns<Input, Sum, B, 2>(context, image, sat);
  launch_in_turns<Input, Sum, B, 1>(context, image, sat);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    sub_image_side.visit(arguments, [&]<int B>() { launch<Input, Sum, B>(context, input, output); });
  });
}

// How many sums the last kernel reads: each thread one column sum of the sub-image above, and the corner; each warp, in
// every strip, the row sums of the sub-image to the left.
std::uint64_t sums_read(const TileGrid& grid) {
  const TileCount tiles(grid, grid.all());
  const auto b = static_cast<std::uint64_t>(grid.W);
  const auto strips = static_cast<std::uint64_t>(ceil_div(grid.image.height, matrix_side));  // of all tile rows
  return (tiles.with_above + tiles.with_both) * b + strips * static_cast<std::uint64_t>(grid.columns - 1) * b;
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits& limits) {
  const auto bytes = bytes_of(type);
  const auto [input, sum] = bytes;
  const TileGrid grid(size, arguments.integer("b"));
  const TileCount tiles(grid, grid.all());
  return local_sums(grid, tiles, bytes) + prefix_launch(grid, tiles, type, grid.all(), limits) +
         one_pass(size.pixels(), input, sum) + Traffic{sums_read(grid) * sum, 0, 0};
}

constexpr Parameter parameters[] = {sub_image_side};

}  // namespace

extern constinit const SatAlgorithm sat_ha_blocks{
    .name = "ha_blocks",
    .year = 2012,
    .paper = "Ha, Choi, Jun, Kim, Byun, Han, Bandwidth Efficient Summed Area Table Generation for CUDA, sec. 4",
    .idea = "Sub-images are reduced to row and column sums, these are scanned, then each sub-image is scanned with them.",
    .reads = "2",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
