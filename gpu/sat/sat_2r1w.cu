// 2r1w: the sums of every tile, then their prefix sums, then every tile's table.
//
// Paper: Nehab, Maximo, Lima, Hoppe, GPU-efficient recursive filtering and summed-area tables, ACM TOG 2011; as Emoto
// et al. 2018 (000), sec. III.A, Fig. 6.
// Idea: a tile needs only three small things from outside; they are computed for all tiles between two passes.
//
//      kernel 1: LRS, LCS, LS      kernel 2: GRS -> sums of LRS along the tile row
//      of every tile                         GCS -> sums of LCS down the tile column     kernel 3: GSAT of every tile
//                                            GS  -> the summed area table of LS
//
// Kernels: 3. Traffic: 2 reads, 1 write a pixel, and O(n^2 / W) for the sums. Synchronisation: the kernel boundaries.
//
// Departures: the tile lies in registers (tile.cuh). Kernel 2's three kinds of prefix sums run side by side in one launch:
// blocks take lines of row sums, then lines of column sums, and the last block the table of LS, by 2R2W, which the paper
// allows.
#include "gpu/sat.h"
#include "gpu/sat/tile_sums.cuh"

namespace gpu::sat {
namespace {

template <class Input, class Sum, int W>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    tile_sums(ImageView<const Input> image, bool aligned, TileSums<Sum> sums) {
  write_local_sums<Input, Sum, W>(image, aligned, sums, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x));
}

constexpr int prefix_threads = 256;

// Prefix sums of `count` entries, `stride` apart, in place. Eight are read ahead of the adds: the chain is of sums, not
// of trips to memory.
template <class Sum>
__device__ void prefix_in_place(Sum* entry, int count, std::ptrdiff_t stride) {
  constexpr int ahead = 8;
  Sum sum = 0;
  for (int first = 0; first < count; first += ahead) {
    Sum read[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) read[k] = first + k < count ? entry[(first + k) * stride] : Sum(0);
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      sum += read[k];
      if (first + k < count) entry[(first + k) * stride] = sum;
    }
  }
}

// The summed area table of LS, rows x columns, in place, by one block: rows first, a thread each, then columns.
template <class Sum>
__device__ void corner_table(const TileSums<Sum>& sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int I = thread; I < sums.rows; I += prefix_threads) prefix_in_place(&sums.corner_of(I, 0), sums.columns, 1);
  __syncthreads();
  for (int J = thread; J < sums.columns; J += prefix_threads)
    prefix_in_place(&sums.corner_of(0, J), sums.rows, static_cast<std::ptrdiff_t>(sums.columns));
}

template <class Sum>
__global__ void __launch_bounds__(prefix_threads)
    prefix_sums(TileSums<Sum> sums, int W, int row_blocks, int column_blocks) {
  const int block = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int image_rows = sums.rows * W, image_columns = sums.columns * W;

  // GRS: thread y walks its row over the tile columns; neighbouring threads touch neighbouring entries.
  if (block < row_blocks) {
    const int y = block * prefix_threads + thread;
    if (y < image_rows) prefix_in_place(sums.row + y, sums.columns, static_cast<std::ptrdiff_t>(image_rows));
    return;
  }
  // GCS: likewise down the tile rows.
  if (block < row_blocks + column_blocks) {
    const int x = (block - row_blocks) * prefix_threads + thread;
    if (x < image_columns) prefix_in_place(sums.column + x, sums.rows, static_cast<std::ptrdiff_t>(image_columns));
    return;
  }
  // GS.
  corner_table(sums);
}

template <class Input, class Sum, int W>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    tile_tables(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sat, bool sat_aligned, TileSums<Sum> sums) {
  write_global_sat<Input, Sum, W>(image, image_aligned, sat, sat_aligned, sums, static_cast<int>(blockIdx.y),
                                  static_cast<int>(blockIdx.x));
}

template <class Input, class Sum, int W>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat) {
  const auto sums = TileSums<Sum>::in(context, image.size(), W);
  const Grid tiles{dim3(static_cast<unsigned>(sums.columns), static_cast<unsigned>(sums.rows)),
                   dim3(Tile<Input, Sum, W>::threads)};
  const int row_blocks = ceil_div(sums.rows * W, prefix_threads);
  const int column_blocks = ceil_div(sums.columns * W, prefix_threads);
  const Grid lines{dim3(static_cast<unsigned>(row_blocks + column_blocks + 1)), dim3(prefix_threads)};
  context.launch("tile sums", tile_sums<Input, Sum, W>, tiles, image, aligned_to_four(image), sums);
  context.launch("prefix sums", prefix_sums<Sum>, lines, sums, W, row_blocks, column_blocks);
  context.launch("tile tables", tile_tables<Input, Sum, W>, tiles, image, aligned_to_four(image), sat,
                 aligned_to_four(sat), sums);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    visit_constant<64, 32, 128>(arguments.integer("W"),
                                [&]<int W>() { launch<Input, Sum, W>(context, input, output); });
  });
}

constexpr Parameter parameters[] = {choice("W", "64,32,128", "tile side in pixels")};

}  // namespace

extern constinit const SatAlgorithm sat_2r1w{
    .name = "2r1w",
    .year = 2011,
    .paper = "Nehab, Maximo, Lima, Hoppe, GPU-efficient recursive filtering and summed-area tables; as Emoto et al. 2018, "
             "sec. III.A",
    .idea = "The sums of every tile, then their prefix sums, then every tile's table from the three sums it needs.",
    .device = Device::cuda,
    .reads = "2",
    .writes = "1",
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
