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
// Kernels: 3. Traffic: 3 + 8 / b accesses per pixel in all. Synchronisation: the kernel boundaries.
//
// Departures:
// - The paper's second pass is one block; here every line of partial sums has one thread, or several, and the pivots have a
//   block of their own (tile_prefix.cuh). They are computed from the sub-images' sums, in a separate array, while the paper
//   collects them from the last column sums. Partial sums are inclusive: a sub-image reads those of its neighbour, not its
//   own exclusive ones.
// - Each warp holds a patch in registers, one column per lane, and adds downwards there; only the sums along rows use
//   (padded) shared memory. Both are serial scans of 31 additions, one line per lane; the paper scans lines by Kogge-Stone,
//   with zones of padding for the additions of idle lanes.
// - b / 32 warps process the patches of a strip concurrently, while the paper processes one patch after another.
#include <iterator>

#include "gpu/row_grid.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/block_scan.cuh"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/register_matrix.cuh"
#include "gpu/sat/block/tile_prefix.cuh"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/sat/block/tile_traffic.h"
#include "gpu/shared_memory.cuh"

namespace gpu::sat {
namespace {

constexpr auto sub_image_side = choice<64, 32, 128, 256>("b", "side of a sub-image in pixels");

// The prefix sums of each row of a patch in shared memory, in place: lane i scans row i. Returns the row's sum.
template <class Sum>
__device__ Sum scan_patch_rows(TransposeBuffer<Sum>& patch) {
  Sum sum = 0;
  auto& row = patch.at[threadIdx.x % warp_lanes];
#pragma unroll
  for (int x = 0; x < matrix_side; ++x) row[x] = sum += row[x];
  return sum;
}

// Where a warp's patches lie: one per strip of 32 rows, from the top of sub-image (I, J) down.
template <int B>
struct Patches {
  static constexpr int warps = B / matrix_side;
  int I, J = static_cast<int>(blockIdx.x);
  int warp = static_cast<int>(threadIdx.x) / warp_lanes, lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int x = J * B + static_cast<int>(threadIdx.x);  // of this lane's column
};

// Shared memory of one block. All of it is dynamic, so that the launch configuration states its size. One patch per warp; if
// the GPU has too little shared memory for this, `Turns` warps share one patch and use it in turn.
template <class Sum, int B, int Turns>
struct Shared {
  static constexpr int warps = B / matrix_side, at_once = warps / Turns;
  TransposeBuffer<Sum> patch[at_once];
  Sum row_part[2][warps][matrix_side];  // the sums of the patches' rows; the strips alternate between the two sets
  BlockScan<Sum, warps> columns;

  static __device__ bool has_turn(int warp, int turn) { return Turns == 1 || warp / at_once == turn; }
};

// What a warp adds up of the patches that it reduces, one below the other: reduce() puts the sums of a patch's rows into `rows`;
// after the last patch, put_columns() stores the sums of the warp's 32 columns, and returns a part of their sum in every lane.
// This one is for any type.
template <class Input, class Sum, bool packed>
struct PatchSums {
  Sum column = 0;

  // Lane i adds column i in registers, and row i in shared memory. `Turns` warps use `patch` in turn.
  template <int Turns, class Shared>
  __device__ void reduce(ImageView<const Input> image, bool, int x0, int y0, Shared& shared, int warp,
                         Sum (&rows)[matrix_side]) {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    Input pixels[matrix_side];
    load_matrix(image, x0 + lane, y0, pixels);
    Sum data[matrix_side];
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) column += data[j] = term<Sum>(pixels[j]);
    auto& patch = shared.patch[warp % shared.at_once];
    Sum row = 0;
#pragma unroll
    for (int turn = 0; turn < Turns; ++turn) {
      if (turn > 0) __syncthreads();
      if (!shared.has_turn(warp, turn)) continue;
      put_rows(patch, data);
#pragma unroll
      for (int j = 0; j < matrix_side; ++j) row += patch.at[lane][j];
      rows[lane] = row;
    }
  }
  __device__ Sum put_columns(Sum* columns) const {
    columns[threadIdx.x % warp_lanes] = column;
    return column;
  }
};

// Bytes come four per word (PackedMatrix), and are added two at once, in the halves of a word, in registers. Not their squares,
// which are the terms of 8-byte sums.
template <class Input, class Sum>
inline constexpr bool adds_packed = sizeof(Input) == 1 && sizeof(Sum) == 4;
template <class Sum>
struct PatchSums<std::uint8_t, Sum, true> {
  std::uint32_t column[4] = {};  // of this lane's eight rows of every patch

  template <int Turns, class Shared>
  __device__ void reduce(ImageView<const std::uint8_t> image, bool aligned, int x0, int y0, Shared&, int,
                         Sum (&rows)[matrix_side]) {
    constexpr std::uint32_t halves = 0x00ff00ff;
    PackedMatrix pixels;
    pixels.load(image, x0, y0, aligned);
    std::uint32_t even = 0, odd = 0;  // sums of eight bytes fit a half
#pragma unroll
    for (int k = 0; k < PackedMatrix::words; ++k) {
      const std::uint32_t word_even = pixels.at[k] & halves, word_odd = pixels.at[k] >> 8 & halves;
      even += word_even, odd += word_odd;
      const std::uint32_t pairs = word_even + word_odd;
      const auto row = segment_sum<8>((pairs & 0xffff) + (pairs >> 16));  // eight lanes have a row
      if (PackedMatrix::column() == 0) rows[4 * k + PackedMatrix::row()] = static_cast<Sum>(row);
    }
    column[0] += even & 0xffff, column[1] += odd & 0xffff, column[2] += even >> 16, column[3] += odd >> 16;
  }
  __device__ Sum put_columns(Sum* columns) const {
    std::uint32_t all = 0;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      auto sum = column[c] + __shfl_xor_sync(whole_warp, column[c], 8);
      sum += __shfl_xor_sync(whole_warp, sum, 16);
      if (PackedMatrix::row() == 0) columns[PackedMatrix::column() + c] = static_cast<Sum>(sum);
      all += column[c];
    }
    return static_cast<Sum>(all);
  }
};

template <class Input, class Sum, int B, int Turns, class Trace>
__global__ void __launch_bounds__(B) reduce(ImageView<const Input> image, bool aligned, TileSums<Sum> sums, Trace trace) {
  unsigned char* const dynamic = dynamic_shared();
  auto& shared = *reinterpret_cast<Shared<Sum, B, Turns>*>(dynamic);
  const Patches<B> place{row_of_block()};
  if (place.I >= sums.rows) return;
  trace.start(place.I, place.J);
  PatchSums<Input, Sum, adds_packed<Input, Sum>> patches;
  for (int strip = 0; strip < place.warps; ++strip) {
    // The sums of the strip's rows are those of its patches, one per warp, which the first warp adds.
    auto& row_part = shared.row_part[strip % 2];
    patches.template reduce<Turns>(image, aligned, place.x - place.lane, place.I * B + strip * matrix_side, shared,
                                   place.warp, row_part[place.warp]);
    __syncthreads();
    if (place.warp == 0) {
      Sum row = 0;
      for (int w = 0; w < place.warps; ++w) row += row_part[w][place.lane];
      sums.template row_of<B>(place.I, place.J)[strip * matrix_side + place.lane] = row;
    }
  }
  const Sum part = patches.put_columns(sums.template column_of<B>(place.I, place.J) + place.warp * matrix_side);
  shared.columns.put_sum(place.warp, part);
  __syncthreads();
  if (threadIdx.x == 0) sums.corner_of(place.I, place.J) = shared.columns.all();
  trace.finish(place.I, place.J);
}

template <class Input, class Sum, int B, int Turns, class Trace>
__global__ void __launch_bounds__(B)
    scan(ImageView<const Input> image, ImageView<Sum> sat, TileSums<Sum> sums, Trace trace) {
  unsigned char* const dynamic = dynamic_shared();
  auto& shared = *reinterpret_cast<Shared<Sum, B, Turns>*>(dynamic);
  // From the last sub-image to the first: the pixels that the reduction read last are still in the L2 cache.
  const Patches<B> place{sums.rows - 1 - row_of_block()};
  if (place.I < 0) return;
  const int I = place.I, J = place.J, lane = place.lane, warp = place.warp;
  trace.start(I, J);
  Sum column = I > 0 ? sums.template column_of<B>(I - 1, J)[threadIdx.x] : Sum(0);  // from the image's top edge
  Sum left_above = I > 0 && J > 0 ? sums.corner_of(I - 1, J - 1) : Sum(0);  // the table's entry left of the strip's top
  Input next[matrix_side];
  load_matrix(image, place.x, I * B, next);

  for (int strip = 0; strip < place.warps; ++strip) {
    const int y0 = I * B + strip * matrix_side;
    if (y0 >= image.height) {
      trace.finish(I, J);
      return;
    }
    // Down the columns, in registers; the next patch is loaded meanwhile.
    Sum data[matrix_side];
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) data[j] = column += term<Sum>(next[j]);
    if (strip + 1 < place.warps) load_matrix(image, place.x, y0 + matrix_side, next);

    auto& patch = shared.patch[warp % shared.at_once];
    auto& row_part = shared.row_part[strip % 2];
    Sum left = 0;
#pragma unroll
    for (int turn = 0; turn < Turns; ++turn) {
      // Along the rows, in shared memory; the warps of the strip exchange the row sums of their patches.
      const bool mine = shared.has_turn(warp, turn);
      if (mine) {
        put_rows(patch, data);
        row_part[warp][lane] = scan_patch_rows(patch);
      }
      // The table's entries left of the sub-image: sums of rows from the left edge, added down to row `lane` of the strip.
      if (turn == 0) {
        if (J > 0) left = sums.template row_of<B>(I, J - 1)[strip * matrix_side + lane];
        left = left_above + inclusive_scan(left);
        left_above = __shfl_sync(whole_warp, left, warp_lanes - 1);
      }
      __syncthreads();
      if (strip == 0 && turn == 0) trace.carry(I, J);  // the row sums of the other strips are read later
      if (mine) {
        for (int w = 0; w < warp; ++w) left += row_part[w][lane];
        patch.at[lane][matrix_side] = left;  // in the padding, where all lanes can read it
        __syncwarp();
        store_matrix(sat, place.x, y0, [&](int j) { return patch.at[j][lane] + patch.at[j][matrix_side]; });
        __syncwarp();
      }
      if (Turns > 1) __syncthreads();  // before the next warp uses the patch
    }
  }
  trace.finish(I, J);
}

template <class Input, class Sum, int B, int Turns>
void launch_in_turns(Context& context, TileRecorder* recorder, ImageView<const Input> image, ImageView<Sum> sat) {
  const auto sums = TileSums<Sum>::in(context, image.size(), B);
  const Grid grid{row_grid(sums.columns, sums.rows), dim3(B), sizeof(Shared<Sum, B, Turns>)};
  const TracedPass<Input, Sum> first(recorder, context, "reduce", B, sums.rows, sums.columns),
      last(recorder, context, "scan", B, sums.rows, sums.columns);
  first.launch([&](auto trace) {
    context.launch("reduce", reduce<Input, Sum, B, Turns, decltype(trace)>, grid, image, aligned_to_four(image), sums,
                   trace);
  });
  launch_prefix_sums(context, "partial sums", sums, B, all_diagonals(sums));
  last.launch([&](auto trace) {
    context.launch("scan", scan<Input, Sum, B, Turns, decltype(trace)>, grid, image, sat, sums, trace);
  });
}

template <class Input, class Sum, int B>
void launch(Context& context, TileRecorder* recorder, ImageView<const Input> image, ImageView<Sum> sat) {
  // With b = 256 and sums of 8 bytes, not every GPU has shared memory for one patch per warp.
  constexpr std::size_t needed = sizeof(Shared<Sum, B, 1>), least = *(std::end(shared_sizes) - 1);
  if constexpr (needed > least)
    if (needed > context.limits().shared_bytes) return launch_in_turns<Input, Sum, B, 2>(context, recorder, image, sat);
  launch_in_turns<Input, Sum, B, 1>(context, recorder, image, sat);
}

void run_traced(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments,
                TileRecorder* recorder) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    sub_image_side.visit(arguments, [&]<int B>() { launch<Input, Sum, B>(context, recorder, input, output); });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_traced(context, image, sat, arguments, nullptr);
}

// How many sums the last kernel reads: each thread one column sum of the sub-image above, and the corner; each warp, in
// every strip, the row sums of the sub-image to the left.
std::uint64_t sums_read(const TileGrid& grid) {
  const TileCount tiles(grid, grid.all());
  const auto b = static_cast<std::uint64_t>(grid.W);
  const auto strips = static_cast<std::uint64_t>(ceil_div(grid.image.height, matrix_side));  // of all tile rows
  return (tiles.with_above + tiles.with_both) * b + strips * static_cast<std::uint64_t>(grid.columns - 1) * b;
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const auto [input, sum] = bytes;
  const TileGrid grid(size, arguments.integer("b"));
  const TileCount tiles(grid, grid.all());
  return local_sums(grid, tiles, bytes) + prefix_launch(grid, tiles, type, grid.all()) +
         one_pass(size.pixels(), input, sum) + Traffic{sums_read(grid) * sum, 0, 0};
}

constexpr Parameter parameters[] = {sub_image_side};

}  // namespace

extern constinit const SatAlgorithm sat_ha_blocks{
    .name = "ha_blocks",
    .year = 2012,
    .paper = "Ha, Choi, Jun, Kim, Byun, Han, Bandwidth Efficient Summed Area Table Generation for CUDA, sec. 4",
    .idea = "Sub-images are reduced to row and column sums, these are scanned, then each sub-image is scanned with them.",
    .device = Device::cuda,
    .reads = "2",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

extern constinit const TracedSat traced_ha_blocks{.name = "ha_blocks", .run = run_traced};

}  // namespace gpu::sat
