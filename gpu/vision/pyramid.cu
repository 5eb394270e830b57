// The pictures of all levels (gpu/vision/window_search.h).
//
// A pixel of a level is a blend of 2 x 2 pixels of the frame. A first kernel puts each pixel and its three neighbours together in
// one word, so that the second one needs one load for each pixel of a level, and two instructions for the columns' weights. That
// kernel computes all levels in one launch: most are small, and a launch of their own would take longer than they do.
#include "gpu/vision/window_search.h"

#include "gpu/pictures/row_grid.cuh"

namespace gpu::vision {
namespace {

constexpr int threads = 256, pixels_per_thread = 4;

constexpr unsigned round_up(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

// Groups of four bytes in a row of a picture: the pixels, and the byte before them.
constexpr unsigned groups_in_row(int width) { return static_cast<unsigned>(width + pixels_per_thread) / pixels_per_thread; }

__global__ void __launch_bounds__(threads)
    quad_kernel(ImageView<const std::uint8_t> frame, std::uint32_t* quads, std::uint32_t* counters, int counter_count) {
  const int thread = static_cast<int>(threadIdx.x);
  const int x0 = (static_cast<int>(blockIdx.x) * threads + thread) * pixels_per_thread, y = row_of_block();
  if (blockIdx.x == 0 && y == 0 && thread < counter_count) counters[thread] = 0;
  if (x0 >= frame.width || y >= frame.height) return;

  // The last pixel is its own neighbour: it has weight 0 there.
  const auto *upper = frame.row(y), *lower = frame.row(min(y + 1, frame.height - 1));
  std::uint32_t above[pixels_per_thread + 1], below[pixels_per_thread + 1];
#pragma unroll
  for (int k = 0; k <= pixels_per_thread; ++k) {
    const int x = min(x0 + k, frame.width - 1);
    above[k] = upper[x];
    below[k] = lower[x];
  }
  auto* out = quads + static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width);
#pragma unroll
  for (int k = 0; k < pixels_per_thread; ++k)
    if (x0 + k < frame.width) out[x0 + k] = above[k] | above[k + 1] << 8 | below[k] << 16 | below[k + 1] << 24;
}

__global__ void __launch_bounds__(threads) pyramid_kernel(Pyramid pyramid) {
  const auto part = pyramid.parts[blockIdx.x];
  const auto& level = pyramid.places[part.level];
  const unsigned per_row = groups_in_row(level.width), group = part.number * threads + threadIdx.x;
  const unsigned y = group / per_row, byte = group % per_row * pixels_per_thread;
  if (y >= static_cast<unsigned>(level.height)) return;

  const auto row = pyramid.blends[level.first_row + y];
  const auto* quads = pyramid.quads + static_cast<std::size_t>(row.first) * static_cast<std::size_t>(pyramid.frame.width);
  const uint4 packed = *reinterpret_cast<const uint4*>(pyramid.blends + level.first_column + byte);
  const Blend columns[pixels_per_thread] = {Blend::of_word(packed.x), Blend::of_word(packed.y), Blend::of_word(packed.z),
                                            Blend::of_word(packed.w)};
  std::uint32_t out = 0;
#pragma unroll
  for (int k = 0; k < pixels_per_thread; ++k) {
    const unsigned quad = quads[columns[k].first], right = columns[k].weight, weights = (256u - right) | right << 16;
    const unsigned sum = __dp2a_lo(weights, quad, 0u) * (256u - row.weight) + __dp2a_hi(weights, quad, 0u) * row.weight;
    out |= (sum + 32768u) >> 16 << (8 * k);
  }
  *reinterpret_cast<std::uint32_t*>(pyramid.pixels + level.first_pixel + std::size_t{y} * level.pitch + byte) = out;
}

}  // namespace

PyramidPlan plan_pyramid(Size frame, std::span<const Level> levels, int margin) {
  PyramidPlan plan;
  plan.frame = frame;
  const auto append = [&](const std::vector<Blend>& blends) {
    plan.blends.insert(plan.blends.end(), blends.begin(), blends.end());
  };
  for (const auto& level : levels) {
    LevelPlace place{};
    place.width = level.size.width, place.height = level.size.height;
    place.step = level.step, place.across = level.across, place.down = level.down;
    place.row_words = ceil_div(level.across, 32);
    place.pitch = round_up(round_up(static_cast<unsigned>(level.size.width), 128) + static_cast<unsigned>(margin), 64);

    // Threads load four columns' blends at once, beyond the last column too.
    plan.blends.resize(round_up(static_cast<unsigned>(plan.blends.size()), pixels_per_thread));
    place.first_column = static_cast<unsigned>(plan.blends.size());
    plan.blends.push_back({});
    append(blends_of(frame.width, level.size.width));
    plan.blends.resize(plan.blends.size() + pixels_per_thread);
    place.first_row = static_cast<unsigned>(plan.blends.size());
    append(blends_of(frame.height, level.size.height));

    place.first_pixel = plan.pixel_bytes;
    place.first_depth = plan.depth_bytes;
    place.first_word = plan.bitmap_words;
    plan.pixel_bytes += (std::size_t{place.pitch} * static_cast<std::size_t>(level.size.height) + 127) / 128 * 128;
    plan.depth_bytes += static_cast<std::size_t>(level.across) * static_cast<std::size_t>(level.down);
    plan.bitmap_words += static_cast<std::size_t>(place.row_words) * static_cast<std::size_t>(level.down);
    const auto groups = std::size_t{groups_in_row(level.size.width)} * static_cast<std::size_t>(level.size.height);
    for (unsigned number = 0; number * std::size_t{threads} < groups; ++number)
      plan.parts.push_back({static_cast<unsigned>(plan.places.size()), number});
    plan.places.push_back(place);
  }
  return plan;
}

void queue_pyramid(Context& context, ImageView<const std::uint8_t> frame, const Pyramid& pyramid, std::uint32_t* counters,
                   int counter_count) {
  const int across = ceil_div(frame.width, threads * pixels_per_thread);
  context.launch("quads", quad_kernel, {row_grid(across, frame.height), dim3(threads)}, frame, pyramid.quads, counters,
                 counter_count);
  context.launch("pyramid", pyramid_kernel, {dim3(pyramid.part_count), dim3(threads)}, pyramid);
}

}  // namespace gpu::vision
