// tensor_tiles: 1r1w_skss_lb, where tensor cores compute the tables of tiles of bytes.
//
// Idea: with triangular matrices of ones, L on and below the diagonal and U on and above it, the table of a tile A is L A U. Tensor
// cores multiply matrices of bytes, and add up words: exact. Scans by such products: Dakkak, Li, Xiong, Gelado, Hwu, Accelerating
// Reduction and Scan Using Tensor Core Units, ICS 2019; Zouzias and McColl, A Parallel Scan Algorithm in the Tensor Core Unit Model,
// Euro-Par 2023. Theirs are scans of one line of numbers, laid out as a matrix. For a table the two products are rows and columns
// themselves.
//
// This is an experiment. It shows what tensor cores gain: compare it with 1r1w_skss_lb of W = 128 and m = W/2, from which it differs
// in the tile's own table and in the sums of its rows, and in nothing else. What they save are the scans of rows, five shuffles and
// as many additions for each row of 128 pixels. What they cost: every pixel is multiplied by whole columns of constants, 80
// multiplications instead of two additions; pixels pass through shared memory to the lanes that have to hold them; and sums of 15
// bits, which the first product leaves, are split into bytes for the second one, with as many instructions as the additions that
// are saved. Memory and look-backs, for which kernels of one pass wait most of their time, stay what they were.
//
// Kernels: 1. Traffic and synchronisation: those of 1r1w_skss_lb.
//
// The tile is divided into bands of 16 rows, one per warp (tensor_band.cuh). A band's first product also gives the sums of its rows,
// and waits in registers, two bytes per pixel, until the carries have come; the second product starts from them. The sums of bands
// are added by the usual instructions (look_back_tile.cuh).
//
// Departures from the papers: matrices of bytes instead of half-precision numbers, which are exact up to 2048 only; the sums of
// chunks of 32 columns are carried along a row by products with ones, instead of by a second, smaller scan.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/look_back_tile.cuh"
#include "gpu/sat/block/tensor_band.cuh"

namespace gpu::sat {
namespace {

constexpr int W = TensorBand::columns, bands = W / TensorBand::rows;
constexpr std::string_view kernel_name = "tensor_tiles";

// A tile whose own table tensor cores compute.
struct TensorTile : LookBackTile<std::uint8_t, std::uint32_t, W, bands> {
  using Base = LookBackTile<std::uint8_t, std::uint32_t, W, bands>;
  static_assert(Base::TileType::lanes == warp_lanes && Base::TileType::rows == TensorBand::rows, "a band is a warp's");

  struct Shared {
    Base::Shared tile;
    TensorBand::Shared bands[W / TensorBand::rows];
  };

  TensorBand band;
  TensorBand::Shared& exchanged;

  __device__ explicit TensorTile(Shared& shared) : Base(shared.tile), exchanged(shared.bands[Base::TileType::group()]) {}

  // As that of the base.
  __device__ void put_local_sums() {
    shared.bands.put(pixels.band_column_sums());
#pragma unroll
    for (int r = 0; r < TensorBand::rows; ++r) exchanged.pixels[r][pixels.lane()] = packed(pixels.at[r]);
    __syncwarp();
    band.multiply(exchanged, [&](int row, std::uint32_t sum) { shared.row[pixels.first_row() + row] = sum; });
  }

  template <class IsAligned, class Trace>
  __device__ void store_table(ImageView<std::uint32_t> sat, TilePlace tile, IsAligned aligned, Trace trace) {
    trace.carry(tile.I, tile.J);
    pixels.scan_row(above, shared.corner + shared.left.before(pixels.first_row()));
    exchanged.above[pixels.lane()] = above;
    __syncwarp();
    band.store_table(sat, tile.J * W, tile.I * W + pixels.first_row(), aligned, exchanged,
                     [&](int row) { return shared.left.at[pixels.first_row() + row]; });
    trace.finish(tile.I, tile.J, depths);
  }
};

template <class Aligned, class Trace>
__global__ void __launch_bounds__(TensorTile::TileType::threads,
                                  resident_look_back_blocks<std::uint8_t, std::uint32_t, W, bands>())
    tensor_tiles(ImageView<const std::uint8_t> image, ImageView<std::uint32_t> sat, LookBackLines<std::uint32_t, W> lines,
                 int ahead, Aligned aligned, Trace trace) {
  compute_next_tile<TensorTile>(image, sat, lines, ahead, aligned, trace);
}

void run(Context& context, AnyConstImageView any_image, AnyImageView any_sat, const Arguments& arguments) {
  const auto image = any_image.as<const std::uint8_t>();
  const auto sat = any_sat.as<std::uint32_t>();
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W), tiles = rows * columns;
  const int ahead = tiles_to_fetch_ahead<std::uint8_t, W>(context, arguments, any_image.size());
  const auto lines = LookBackLines<std::uint32_t, W>::of(context, tiles);
  const TracedPass<std::uint8_t, std::uint32_t> pass(context, kernel_name, W, rows, columns);
  visit_alignment(image, sat, [&](auto aligned) {
    pass.launch([&](auto trace) {
      context.launch(kernel_name, tensor_tiles<decltype(aligned), decltype(trace)>,
                     {dim3(static_cast<unsigned>(tiles)), dim3(TensorTile::TileType::threads)}, image, sat, lines, ahead,
                     aligned, trace);
    });
  });
}

Traffic traffic(Size size, SatType type, const Arguments&, const GpuLimits&) {
  return look_back_tiles(TileGrid(size, W), bytes_of(type));
}

constexpr Parameter parameters[] = {fetch_ahead};
constexpr SatType types[] = {SatType::u8_u32};

}  // namespace

extern constinit const SatAlgorithm sat_tensor_tiles{
    .name = "tensor_tiles",
    .year = 2026,
    .paper =
        "our own: 1r1w_skss_lb with the products of Dakkak, Li, Xiong, Gelado, Hwu, Accelerating Reduction and Scan Using "
        "Tensor Core Units, ICS 2019",
    .idea =
        "An experiment: 1r1w_skss_lb, where tensor cores multiply each tile by triangular matrices of ones on both sides.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = types,
    .types_note = "an experiment with 8-bit pixels, which tensor cores multiply and add up exactly in 32 bits",
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
