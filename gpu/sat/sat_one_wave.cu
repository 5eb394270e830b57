// one_wave: the whole image in the registers of all resident blocks at once, carries by one exchange of all with all.
//
// Idea (our own): a GPU's registers hold an image of a few megapixels. All blocks load their tiles together, publish the
// tiles' sums, and then each adds up what it needs: the column sums of all tiles above it, the row sums of all tiles on its
// left, the sums of all tiles above and left. Every sum is published before anything is waited for, so that a carry takes one
// trip through the L2 cache, however many tiles there are: there is no chain of blocks, and no look-back.
//
//        LS  LS  LS | LCS            above  = LCS(0, J) + ... + LCS(I-1, J)
//        LS  LS  LS | LCS            left   = LRS(I, 0) + ... + LRS(I, J-1)
//       ------------+-----           corner = LS(0, 0) + ... + LS(I-1, J-1)
//       LRS LRS LRS | tile           GSAT   = the tile's own table + corner + prefix sums of above and of left
//
// Larger images are divided into bands of as many tile rows as are resident at once, each computed by a launch of its own. The
// row of the table above a band is complete when the band starts; its entries are added to those below. If not even one tile
// row fits, its tiles are divided, too: then the row sums left of a band come from the launch before it, so that no sum is
// subtracted from another.
//
// Kernels: 1 per band. Traffic: one read and one write per pixel; for R x C tiles of W x H pixels in a band, about
// RC (W + H) words of two sums are written, and RC (R W + C H) / 2 + (RC)^2 / 4 are read, from the L2 cache: a band must not
// have too many tiles. The tiles' height and the threads that share it are a parameter: high tiles for large images, low ones
// for small images, which would not occupy all multiprocessors otherwise.
// Synchronisation: each word contains its sum and the number of the launch that wrote it (tagged_word.cuh, run_tickets.cuh), so
// that neither fences are needed nor clearing. The words lie in memory that persists between runs, shared with algorithms that
// look back where they need memory of one size (run_slots.cuh). A launch is cooperative: all its blocks are resident. As each
// publishes all of its words before it waits for the first, every word that a block waits for will come, and no block waits for
// ever. A launch of few blocks is a plain one, which starts sooner: they find room at once, even beside another such launch.
// Words that nobody would read are not published: the row sums of the last tile column of a band, the column sums of its last
// tile row, the sums of both.
//
// The order of additions is the same in every run on one GPU: the tables of floating-point numbers are repeatable. Between
// GPUs it may differ with the number of resident blocks.
#include <algorithm>
#include <cstdint>

#include "gpu/sat.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/wave_division.h"
#include "gpu/sat/block/wave_exchange.cuh"
#include "gpu/sat/block/wave_shape.h"
#include "gpu/shared_memory.cuh"

namespace gpu::sat {
namespace {

using namespace wave;

template <class Input, class Sum, int Warps, int Rows>
constexpr int compiled_for = blocks_per_multiprocessor(Shape{{}, Warps, Rows}, types_of<Input, Sum>);

template <class Sum, int Warps, int H, bool Packed>
struct Shared {
  std::uint32_t run;
  typename Exchange<Sum, Warps, H, Packed>::Shared exchange;
  alignas(16) Sum top[W];  // the table's entries above the band
};

template <class Input, class Sum, int Warps, int Rows, class Trace>
__global__ void __launch_bounds__(Warps* warp_lanes, compiled_for<Input, Sum, Warps, Rows>)
    one_wave(ImageView<const Input> image, ImageView<Sum> sat, Wave<Sum> wave, bool image_aligned, bool sat_aligned,
             Trace trace) {
  constexpr int H = Warps * Rows;
  constexpr bool packed = packs_sums(types_of<Input, Sum>, H);
  using TileType = Tile<Input, Sum, W, Warps, H, true>;
  auto& shared = static_shared<Shared<Sum, Warps, H, packed>>();
  const int thread = static_cast<int>(threadIdx.x);
  const int I = static_cast<int>(blockIdx.x) / wave.columns, J = static_cast<int>(blockIdx.x) % wave.columns;
  const int x0 = (wave.first_column + J) * W, y0 = (wave.first_row + I) * H;
  trace.start(wave.first_row + I, wave.first_column + J);

  // Step 1: the tile into registers, and its local sums into shared memory; meanwhile the number of this launch, which comes
  // with a ticket. The ticket's serial number is not used: all blocks are resident, in whatever order they started.
  TileType tile;
  tile.load(image, x0, y0, image_aligned);
  const auto before = thread == 0 ? wave.slots.tickets->draw() : 0;
  shared.exchange.bands.put(tile.band_column_sums());
  tile.keep_packed();
  const Sum row = tile.row_sum();
  if (tile.lane() % tile.lanes_per_row == 0) shared.exchange.row[tile.first_row() + tile.summed_row()] = row;
  if (thread == 0) shared.run = wave.slots.tickets->drawn(before, gridDim.x).run;
  if (thread < W) {
    // The table's entries above the band.
    const bool below = wave.first_row > 0 && x0 + thread < sat.width;
    shared.top[thread] = below ? sat(x0 + thread, wave.first_row * H - 1) : Sum(0);
  }
  __syncthreads();

  // Step 2: every thread publishes, and then adds up what the others have published.
  const Exchange<Sum, Warps, H, packed> exchange{wave, shared.exchange, I, J, tag_of_run(shared.run)};
  exchange.run();
  __syncthreads();
  trace.carry(wave.first_row + I, wave.first_column + J);
  if (thread == 0) wave.slots.end(shared.run, gridDim.x);

  // Step 3: GSAT. What is the same for all rows of a band is added to the first column; the scan of each row passes it on.
  auto above = exchange.above(tile.first_column());
  const Sum rest = exchange.before_left(tile.first_row());
  if (tile.lane() == 0) above.at[0] += rest;
  tile.store_table_below(sat, x0, y0, sat_aligned, above, exchange.left(),
                         *reinterpret_cast<const Four<Sum>*>(&shared.top[tile.first_column()]));
  trace.finish(wave.first_row + I, wave.first_column + J);
}

template <class Input, class Sum, int Index>
void launch(Context& context, TileRecorder* recorder, ImageView<const Input> image, ImageView<Sum> sat) {
  constexpr Shape shape = shapes[Index];
  constexpr Types types = types_of<Input, Sum>;
  constexpr dim3 block(static_cast<unsigned>(shape.warps * warp_lanes));
  Wave<Sum> wave{};
  wave.slots = RunSlots<Sum>::of(context, most_words_of_sums<Sum>());
  // Sums of rows on their way from one launch to the next one on its right: two sets, since both are in use at once.
  Sum* const passed_on = context.scratch<Sum>(2 * most_rows_of_tile());

  const int rows = ceil_div(image.height, shape.H()), columns = ceil_div(image.width, W);
  const TracedPass<Input, Sum> pass(recorder, context, "one_wave", Size{W, shape.H()}, rows, columns);
  const auto resident = [&](auto trace) {
    return context.most_resident_blocks(one_wave<Input, Sum, shape.warps, shape.rows, decltype(trace)>, block,
                                        blocks_per_multiprocessor(shape, types));
  };
  int capacity = resident(NoTrace{});
  if constexpr (traced<Input, Sum>)
    if (recorder) capacity = resident(TileTrace{});
  const Division division(image.size(), shape.H(), std::min(capacity, most_tiles(shape, types)));
  const int few = context.limits().multiprocessors / 4;
  int number = 0;
  division.for_each_launch([&](int first_row, int first_column, int wave_rows, int wave_columns) {
    wave.first_row = first_row, wave.first_column = first_column;
    wave.rows = wave_rows, wave.columns = wave_columns;
    wave.from_left = first_column > 0 ? passed_on + number % 2 * shape.H() : nullptr;
    ++number;
    wave.to_right = first_column + wave_columns < columns ? passed_on + number % 2 * shape.H() : nullptr;
    pass.launch([&](auto trace) {
      context.launch("one_wave", one_wave<Input, Sum, shape.warps, shape.rows, decltype(trace)>,
                     {.grid = dim3(static_cast<unsigned>(wave_rows * wave_columns)),
                      .block = block,
                      .cooperative = wave_rows * wave_columns > few},
                     image, sat, wave, aligned_to_four(image), aligned_to_four(sat), trace);
    });
  });
}

void run_traced(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments,
                TileRecorder* recorder) {
  const auto types = types_of_sat(sat_type(image.type, sat.type));
  const int shape = chosen_shape(arguments.text("tile"), image.size(), types, context.limits().multiprocessors);
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    visit_constant<0, 1, 2, 3, 4>(shape, [&]<int Index>() { launch<Input, Sum, Index>(context, recorder, input, output); });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_traced(context, image, sat, arguments, nullptr);
}

// Of every run but the first, which also clears the memory that persists. The number of launches depends on the GPU.
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits& limits) {
  const auto types = types_of_sat(type);
  const auto& shape = shapes[chosen_shape(arguments.text("tile"), size, types, limits.multiprocessors)];
  const Division division(size, shape.H(), capacity_of(shape, types, limits.multiprocessors));
  const auto H = static_cast<std::uint64_t>(shape.H()), word = 2 * types.sum;
  const std::uint64_t lines_of_word = packs_sums(types, shape.H()) ? 2 : 1;
  Traffic all{size.pixels() * types.input, size.pixels() * types.sum, 0};
  division.for_each_launch([&](int first_row, int first_column, int wave_rows, int wave_columns) {
    const auto R = static_cast<std::uint64_t>(wave_rows), C = static_cast<std::uint64_t>(wave_columns);
    const auto up = R * (R - 1) / 2, left = C * (C - 1) / 2;  // pairs of tiles in a column, in a row
    const auto words_read = (up * C * W + left * R * H) / lines_of_word + up * left;
    const auto words_written = ((R - 1) * C * W + R * (C - 1) * H) / lines_of_word + (R - 1) * (C - 1);
    // The entries above the band, in each of its tile rows; the row sums that come from its left, and go to its right.
    const int end = std::min((first_column + wave_columns) * W, size.width);
    const auto top = first_row > 0 ? R * static_cast<std::uint64_t>(end - first_column * W) : 0;
    const auto from_left = first_column > 0 ? R * C * H : 0;
    const auto to_right = first_column + wave_columns < division.columns ? R * H : 0;
    all += tickets_taken(R * C) +
           Traffic{words_read * word + (top + from_left) * types.sum, words_written * word + to_right * types.sum, 1};
  });
  return all;
}

constexpr Parameter parameters[] = {
    choice("tile", "auto,16x1,8x4,8x8,16x4,8x16",
           "warps x rows of each, of a tile of 128 columns; auto: low tiles for small images, few launches for large ones")};

}  // namespace

extern constinit const SatAlgorithm sat_one_wave{
    .name = "one_wave",
    .year = 2026,
    .paper = "our own: one exchange of all tiles with all",
    .idea = "The image lies in the registers of all resident blocks at once; one exchange gives each tile its carries.",
    .device = Device::cuda,
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

extern constinit const TracedSat traced_one_wave{.name = "one_wave", .run = run_traced};

}  // namespace gpu::sat
