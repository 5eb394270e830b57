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
// Synchronisation: each word contains its sum and the number of the launch that wrote it (tagged_word.cuh, run_slots.cuh), so
// that neither fences are needed nor clearing. The words lie in memory that persists between runs, shared with algorithms that
// look back where they need memory of one size (run_slots.cuh). A launch is cooperative: all its blocks are resident. As each
// publishes all of its words before it waits for the first, every word that a block waits for will come, and no block waits for
// ever. A launch of few low tiles is a plain one, which starts sooner. CUDA does not promise that its blocks are resident together,
// nor in which order they start: beside a kernel that does not end, or in a green context of few multiprocessors, a block may
// wait for one that starts only when others have ended. It therefore waits for a number of polls. Then it computes and publishes all
// sums before its own tile itself. The owners of those tiles publish the same words: whoever comes first, they are the same.
// Words that nobody would read are not published: the row sums of the last tile column of a band, the column sums of its last
// tile row, the sums of both.
//
// Tried on an H200, and not kept: a plain launch of any number of blocks, with a fallback as that of decoupled_fallback.
// Launched by itself it starts sooner, but its kernels spill registers: tables of bytes take longer. Only the kernels of low tiles
// have a fallback.
//
// The order of additions is the same in every run on one GPU: the tables of floating-point numbers are repeatable. Between
// GPUs it may differ with the number of resident blocks.
//
// Batches: one launch of a block per tile of all images, the tiles of an image one after another. It is a plain one of any number of
// blocks: a block waits only for tiles of its image with smaller numbers, whose blocks nearly always start before it, and has the
// fallback. An image of one tile exchanges nothing. The words of all images of a launch lie one behind another in memory of a fixed
// size, so that a plan need not know how many images there will be; what is more follows in another launch. The blocks that are
// resident first start one after another (StaggeredStart), images one after another: while some load, others store.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_of_block.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/tuning.h"
#include "gpu/sat/block/warp.cuh"
#include "gpu/sat/block/wave_exchange.cuh"
#include "gpu/sat/block/wave_shape.h"

namespace gpu::sat {
namespace {

using namespace wave;

template <class Input, class Sum, int Warps, int Rows>
constexpr int compiled_for = blocks_per_multiprocessor(Shape{{}, Warps, Rows}, types_of<Input, Sum>);

template <class Sum, int Warps, int H, bool Packed, class Waiting>
struct Shared {
  std::uint32_t run;
  typename Exchange<Sum, Warps, H, Packed, Waiting>::Shared exchange;
  alignas(16) Sum top[W];  // the table's entries above the band
};

// What a launch computes: a rectangle of an image's tiles, below which others may follow; or whole images, `tiles` of each.
struct PartOfImage {
  static constexpr bool has_fallback(const Shape& shape) { return can_start_plainly(shape); }
  static constexpr bool continues = true;  // the table that is above it
  static __device__ int own_tile(int) { return static_cast<int>(blockIdx.x); }
};
struct WholeImages {
  static constexpr bool has_fallback(const Shape&) { return true; }
  static constexpr bool continues = false;
  static __device__ int own_tile(int tiles) { return static_cast<int>(blockIdx.x % static_cast<unsigned>(tiles)); }
  static __device__ int own_image(int tiles) { return static_cast<int>(blockIdx.x / static_cast<unsigned>(tiles)); }
};

// Tile (I, J) of a launch, in the registers and the shared memory of a block.
template <class Input, class Sum, int Warps, int Rows, class Computed = PartOfImage>
struct WaveTile {
  static constexpr int H = Warps * Rows;
  static constexpr bool packed = packs_sums(types_of<Input, Sum>, H);
  // Only threads of kernels that have the fallback stop waiting.
  using Waiting = std::conditional_t<Computed::has_fallback(Shape{{}, Warps, Rows}), PollBudget, Endless>;
  using Exchanged = Exchange<Sum, Warps, H, packed, Waiting>;
  using OfBlock = Shared<Sum, Warps, H, packed, Waiting>;

  const Wave<Sum>& wave;
  OfBlock& shared;
  int I, J, x0, y0;
  Tile<Input, Sum, W, Warps, H, true> pixels;

  __device__ WaveTile(OfBlock& of_block, const Wave<Sum>& of_launch, int number)
      : wave(of_launch),
        shared(of_block),
        I(number / wave.columns),
        J(number % wave.columns),
        x0((wave.first_column + J) * W),
        y0((wave.first_row + I) * H) {}

  // Step 1: the tile into registers, and its local sums into shared memory.
  template <class IsAligned>
  __device__ void load(ImageView<const Input> image, IsAligned aligned) {
    pixels.load(image, x0, y0, aligned);
  }
  __device__ void put_local_sums() {
    shared.exchange.bands.put(pixels.band_column_sums());
    pixels.keep_packed();
    const Sum row = pixels.row_sum();
    if (pixels.lane() % pixels.lanes_per_row == 0) shared.exchange.row[pixels.first_row() + pixels.summed_row()] = row;
  }
  // For the fallback (tile_of_block.cuh).
  static __device__ int own_tile(const Wave<Sum>& wave) { return Computed::own_tile(wave.tiles()); }
  __device__ bool is_published() const { return false; }  // nobody can tell: each word comes alone
  template <class IsAligned>
  __device__ void load_and_sum(ImageView<const Input> image, IsAligned aligned) {
    load(image, aligned);
    put_local_sums();
  }
  __device__ void publish(bool own) {
    exchange(own, own ? std::numeric_limits<int>::max() : 0).run();
    __syncthreads();
  }

  // The table's entries above the band.
  __device__ void put_top(ImageView<Sum> sat) const {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread >= W) return;
    const bool below = wave.first_row > 0 && x0 + thread < sat.width;
    shared.top[thread] = below ? sat(x0 + thread, wave.first_row * H - 1) : Sum(0);
  }
  // Step 2, behind a barrier. `own`: the block's tile.
  __device__ Exchanged exchange(bool own, int most_polls) const {
    return {wave, shared.exchange, I, J, own, most_polls, tag_of_run(shared.run)};
  }
  // Step 3, behind another barrier: GSAT. What is the same for all rows of a band is added to the first column; the scan of each row
  // passes it on.
  template <class IsAligned, class Trace>
  __device__ void store_table(ImageView<Sum> sat, IsAligned aligned, Trace trace) {
    const auto exchange = this->exchange(true, 0);
    trace.carry(wave.first_row + I, wave.first_column + J);
    auto above = exchange.above(pixels.first_column());
    const Sum rest = exchange.before_left(pixels.first_row());
    if (pixels.lane() == 0) above.at[0] += rest;
    if constexpr (Computed::continues)
      pixels.store_table_below(sat, x0, y0, aligned, above, exchange.left(),
                               *reinterpret_cast<const Four<Sum>*>(&shared.top[pixels.first_column()]));
    else
      pixels.store_table(sat, x0, y0, aligned, above, exchange.left());
    trace.finish(wave.first_row + I, wave.first_column + J);
  }
};

// The block's tile. `slots`: those of the whole launch.
template <class Input, class Sum, int Warps, int Rows, class Computed, class Aligned, class Trace>
__device__ void compute(ImageView<const Input> image, ImageView<Sum> sat, const Wave<Sum>& wave, const RunSlots<Sum>& slots,
                        Aligned aligned, Trace trace) {
  using TileType = WaveTile<Input, Sum, Warps, Rows, Computed>;
  auto& shared = static_shared<typename TileType::OfBlock>();
  TileType tile(shared, wave, TileType::own_tile(wave));
  trace.start(wave.first_row + tile.I, wave.first_column + tile.J);

  // Step 1; meanwhile the number of this launch, which comes with a ticket. The ticket's serial number is not used.
  const bool exchanges = Computed::continues || wave.tiles() > 1;
  tile.load(image, aligned.image);
  const auto before = threadIdx.x == 0 && exchanges ? slots.tickets->draw() : 0;
  tile.put_local_sums();
  if (threadIdx.x == 0) shared.run = exchanges ? slots.tickets->drawn(before, gridDim.x).run : 0;
  if constexpr (Computed::continues) tile.put_top(sat);
  __syncthreads();

  // Step 2: every thread publishes, and then adds up what the others have published.
  const bool all_came = tile.exchange(true, wave.most_polls).run();
  if constexpr (!TileType::Waiting::ends) {
    __syncthreads();
  } else if (__syncthreads_or(!all_came)) {
    fall_back<TileType>(image, sat, wave, aligned, trace);
    if (threadIdx.x == 0 && exchanges) slots.end(shared.run, gridDim.x);
    return;
  }
  if (threadIdx.x == 0 && exchanges) slots.end(shared.run, gridDim.x);
  tile.store_table(sat, aligned.sat, trace);
}

template <class Input, class Sum, int Warps, int Rows, class Aligned, class Trace>
__global__ void __launch_bounds__(Warps* warp_lanes, compiled_for<Input, Sum, Warps, Rows>)
    one_wave(ImageView<const Input> image, Wave<Sum> wave, ImageView<Sum> sat, Aligned aligned, Trace trace) {
  let_next_launch_start();
  compute<Input, Sum, Warps, Rows, PartOfImage>(image, sat, wave, wave.slots, aligned, trace);
}

// How long a thread of a plain launch waits: many times as long as any block before its own takes.
constexpr int usual_polls = polls_in_vain(polls_of_one_wave);
int most_polls_of(const Context& context) { return context.impatient() ? 0 : usual_polls; }

// The images of one launch of a batch.
template <class Sum>
struct Images {
  int rows, columns;  // of tiles, in each
  int first;          // the number in the batch of the launch's first one
  ImageBatch batch;
  RunSlots<Sum> slots;  // none if an image is one tile
  int most_polls;
  StaggeredStart start;

  __device__ int tiles() const { return rows * columns; }
  // The wave of the image with this number in the launch. Its words follow those of the image before it.
  __device__ Wave<Sum> wave(int image, int H) const {
    Wave<Sum> wave{0, 0, rows, columns, nullptr, nullptr, slots, most_polls};
    wave.slots.words += static_cast<std::ptrdiff_t>(image) * (tiles() * (W + H + 1));
    return wave;
  }
};

template <class Input, class Sum>
constexpr int blocks_of_batch = blocks_of_wave_batch(sizeof(Input), sizeof(Sum), std::is_floating_point_v<Sum>);

template <class Input, class Sum, int Warps, int Rows, class Aligned>
__global__ void __launch_bounds__(Warps* warp_lanes, blocks_of_batch<Input, Sum>)
    one_wave_of_images(ImageView<const Input> image, Images<Sum> images, ImageView<Sum> sat, Aligned aligned) {
  images.start.wait_for_turn(static_cast<int>(blockIdx.x));
  const int image_of_launch = WholeImages::own_image(images.tiles()), table = images.first + image_of_launch;
  image.data += images.batch.image_at(table);
  sat.data += images.batch.sat_at(table);
  const auto wave = images.wave(image_of_launch, Warps * Rows);
  compute<Input, Sum, Warps, Rows, WholeImages>(image, sat, wave, images.slots, aligned, NoTrace{});
}

// The slots of a launch of images of so many tiles, whatever their number. Images of one tile need none.
template <class Sum>
RunSlots<Sum> slots_of_batch(Context& context, int tiles) {
  if (tiles == 1) return {};
  return RunSlots<Sum>::of(context,
                           words_of(shapes[shape_of_batch], static_cast<std::size_t>(std::max(most_tiles_of_batch, tiles))));
}

template <class Input, class Sum>
void launch_batch(Context& context, ImageView<const Input> image, ImageView<Sum> sat, const ImageBatch& batch) {
  constexpr Shape shape = shapes[shape_of_batch];
  constexpr int warps = shape.warps, rows_of_warp = shape.rows;
  const int rows = ceil_div(image.height, shape.H()), columns = ceil_div(image.width, W), tiles = rows * columns;
  const auto& tuning = tuning_for(context.limits());
  const int resident = blocks_of_batch<Input, Sum> * context.limits().multiprocessors,
            clocks = std::is_floating_point_v<Sum> ? tuning.clocks_of_floating_batch : tuning.clocks_of_batch;
  Images<Sum> images{rows, columns, 0, batch, slots_of_batch<Sum>(context, tiles), most_polls_of(context), {}};
  const int at_once = tiles > 1 ? std::max(most_tiles_of_batch, tiles) / tiles : ImageBatch::most_images;
  visit_alignment(image, sat, batch, [&](auto aligned) {
    while (images.first < batch.tables()) {
      const int count = std::min(at_once, batch.tables() - images.first);
      images.start = staggered_start(std::min(count * tiles, resident), resident, clocks);
      context.launch("one_wave", one_wave_of_images<Input, Sum, warps, rows_of_warp, decltype(aligned)>,
                     {dim3(static_cast<unsigned>(count * tiles)), dim3(warps * warp_lanes)}, image, images, sat, aligned);
      images.first += count;
    }
  });
}

template <class Input, class Sum, int Index, class Aligned>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned) {
  constexpr Shape shape = shapes[Index];
  constexpr Types types = types_of<Input, Sum>;
  constexpr dim3 block(static_cast<unsigned>(shape.warps * warp_lanes));
  Wave<Sum> wave{};
  wave.slots = RunSlots<Sum>::of(context, most_words_of_sums<Sum>());
  // Sums of rows on their way from one launch to the next one on its right: two sets, since both are in use at once.
  Sum* const passed_on = context.scratch<Sum>(2 * most_rows_of_tile());

  const int rows = ceil_div(image.height, shape.H()), columns = ceil_div(image.width, W);
  const TracedPass<Input, Sum> pass(context, "one_wave", Size{W, shape.H()}, rows, columns);
  const auto resident = [&](auto trace) {
    return context.most_resident_blocks(one_wave<Input, Sum, shape.warps, shape.rows, Aligned, decltype(trace)>, block,
                                        blocks_per_multiprocessor(shape, types));
  };
  int capacity = resident(NoTrace{});
  if constexpr (traced<Input, Sum>)
    if (context.tile_recorder()) capacity = resident(TileTrace{});
  const Division division(image.size(), shape.H(), std::min(capacity, capacity_of(shape, types, most_multiprocessors)));
  int number = 0;
  division.for_each_launch([&](int first_row, int first_column, int wave_rows, int wave_columns) {
    wave.first_row = first_row, wave.first_column = first_column;
    wave.rows = wave_rows, wave.columns = wave_columns;
    wave.from_left = first_column > 0 ? passed_on + number % 2 * shape.H() : nullptr;
    ++number;
    wave.to_right = first_column + wave_columns < columns ? passed_on + number % 2 * shape.H() : nullptr;
    const bool plain = can_start_plainly(shape) && is_small_launch(wave_rows * wave_columns, context.limits());
    wave.most_polls = plain ? most_polls_of(context) : std::numeric_limits<int>::max();
    pass.launch([&](auto trace) {
      context.launch("one_wave", one_wave<Input, Sum, shape.warps, shape.rows, Aligned, decltype(trace)>,
                     {.grid = dim3(static_cast<unsigned>(wave_rows * wave_columns)),
                      .block = block,
                      .start = plain ? Start::in_order : Start::cooperative},
                     image, wave, sat, aligned, trace);
    });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const auto types = types_of_sat(sat_type(image.type, sat.type));
  const int shape = chosen_shape(arguments.text("tile"), image.size(), types, context.limits().multiprocessors);
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    visit_constant<0, 1, 2, 3, 4>(shape, [&]<int Index>() {
      visit_alignment(input, output, [&](auto aligned) { launch<Input, Sum, Index>(context, input, output, aligned); });
    });
  });
}

void run_batch(Context& context, const AnyConstImageView& image, const AnyImageView& sat, const Arguments& arguments,
               const ImageBatch& batch) {
  const auto tile = arguments.text("tile");
  const bool fits = tiles_of_batch(image.size()) <= most_tiles_of_batch;
  const bool at_once = batch.channels > 1 || (fits && (tile == "auto" || tile == shapes[shape_of_batch].name));
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    if (at_once) return launch_batch(context, input, output, batch);
    slots_of_batch<Sum>(context, tiles_of_batch(image.size()));  // a later batch has channels, and then no memory is taken
    for (int i = 0; i < batch.count; ++i) {
      const Context::ScratchScope scope(context);
      auto one_image = input;
      auto one_sat = output;
      one_image.data += batch.image_at(i);
      one_sat.data += batch.sat_at(i);
      run(context, one_image, one_sat, arguments);
    }
  });
}

// The traffic of every run but the first, which also clears the memory that persists. The number of launches depends on the
// GPU.
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

constexpr Parameter parameters[] = {choice(
    "tile", "auto,16x1,8x4,8x8,16x4,8x16",
    "warps x rows of each, of a tile of 128 columns; auto: low tiles for small images, few launches for large ones, and "
    "8x8 for images or channels that are taken at once")};

}  // namespace

extern constinit const SatAlgorithm sat_one_wave{
    .name = "one_wave",
    .year = 2026,
    .paper = "our own: one exchange of all tiles with all",
    .idea = "The image lies in the registers of all resident blocks at once; one exchange gives each tile its carries.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .records_tiles = true,
    .run = run,
    .run_batch = run_batch,
};

}  // namespace gpu::sat
