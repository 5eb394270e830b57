// The search on tables of whole levels (gpu/vision/window_search.h).
#include "gpu/choice/fastest_algorithm.h"
#include "gpu/tables/tables.h"
#include "gpu/vision/window_search.cuh"

namespace gpu::vision {
namespace {

constexpr int warp_lanes = 32, warps = 4;

// One level's tables for WindowEvaluation, inclusive: entry (x, y) has the pixels from (0, 0) to (x, y).
struct LevelTablesOnDevice {
  ImageView<const std::uint32_t> sums, triangles;
  ImageView<const std::uint64_t> squares;

  constexpr std::uint32_t sum(int x, int y) const { return above_left(sums, x, y); }
  constexpr std::uint32_t square(int x, int y) const { return above_left(squares, x, y); }
  // Left and right of the image, a triangle equals that of its neighbour one row above.
  constexpr std::uint32_t triangle(int x, int y) const {
    const auto table = triangles;  // of which all is loaded, without a branch for the width
    int column = x - 1, row = y - 1;
    if (column < 0 || column >= table.width) {
      column = column < 0 ? 0 : table.width - 1;
      --row;
    }
    return row >= 0 ? table(column, row) : 0u;
  }

 private:
  template <class T>
  static constexpr std::uint32_t above_left(ImageView<const T> table, int x, int y) {
    return x > 0 && y > 0 ? static_cast<std::uint32_t>(table(x - 1, y - 1)) : 0u;
  }
};
using GlobalWindow = WindowEvaluation<LevelTablesOnDevice>;

// Levels whose tables are in memory together. All tables of a kind are one array, in which the entries of a level lie as its pixels
// do in the pyramid: from first_pixel - first_entry on, in rows of the same pitch.
struct LevelGroup {
  unsigned first, end;  // levels
  std::size_t first_entry;
  std::uint32_t *sums, *tilted;
  std::uint64_t* squares;

  template <class T>
  __host__ __device__ ImageView<T> table(T* tables, const LevelPlace& level) const {
    return {tables ? tables + (level.first_pixel - first_entry) : nullptr, level.width, level.height,
            static_cast<std::ptrdiff_t>(level.pitch)};
  }
  __device__ LevelTablesOnDevice tables(const LevelPlace& level) const {
    return {table(sums, level), table(tilted, level), table(squares, level)};
  }
};

// Most windows fail at one of the first stages, which take a thread per window. The others would keep its warp waiting: they take a
// warp per window.
constexpr int early_stages = 3;

// A warp has a word of the bitmap: 32 windows of a row, a thread one.
__global__ void __launch_bounds__(warp_lanes* warps)
    window_kernel(WindowSearch search, WrittenCascade cascade, LevelGroup group, std::size_t words) {
  const auto at = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_lanes;
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  if (at >= words) return;
  const auto word = search.places[group.first].first_word + at;
  unsigned level_index = group.first, end = group.end;  // the last level that begins there or before
  while (end - level_index > 1) {
    const unsigned middle = (level_index + end) / 2;
    (search.places[middle].first_word <= word ? level_index : end) = middle;
  }
  const auto& level = search.places[level_index];
  const auto in_level = static_cast<unsigned>(word - level.first_word), per_row = static_cast<unsigned>(level.row_words);
  const int i = static_cast<int>(in_level % per_row) * warp_lanes + lane, j = static_cast<int>(in_level / per_row);
  const bool exists = i < level.across;
  // The lanes beyond the last window evaluate it again, and write nothing.
  const auto tables = group.tables(level);
  const GlobalWindow window(cascade, tables, min(i, level.across - 1) * level.step, j * level.step);
  const int most = min(early_stages, cascade.stage_count);
  int depth = 0;
  if (window.valid())
    while (depth < most && window.passes(cascade.stages[depth])) ++depth;

  const unsigned rejected = __ballot_sync(whole_warp, exists && window.valid() && depth == 0);
  if (lane == 0) search.rejected[word] = rejected;
  if (exists && search.depth)
    search.depth[level.first_depth + static_cast<std::size_t>(j) * static_cast<std::size_t>(level.across) +
                 static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(window.valid() ? depth : refused_depth);
  const bool left = exists && window.valid() && depth == most;
  const unsigned all_left = __ballot_sync(whole_warp, left);
  unsigned first = 0;
  if (lane == 0 && all_left != 0) first = atomicAdd(&search.counters->open, static_cast<unsigned>(__popc(all_left)));
  first = __shfl_sync(whole_warp, first, 0);
  const unsigned place = first + static_cast<unsigned>(__popc(all_left & ((1u << lane) - 1u)));
  if (left && place < search.open_capacity)
    search.open[place] = {{i, j, level_index}, window.factor(), static_cast<std::uint32_t>(depth)};
}

// The windows that are left of a group of levels: a warp has one, a lane every 32nd of a stage's trees. All lanes add up what the
// trees give, in the order of the file.
__global__ void __launch_bounds__(warp_lanes* warps)
    left_window_kernel(WindowSearch search, WrittenCascade cascade, LevelGroup group) {
  const unsigned total = min(search.counters->open, search.open_capacity), lane = threadIdx.x % warp_lanes;
  for (unsigned at = blockIdx.x * warps + threadIdx.x / warp_lanes; at < total; at += gridDim.x * warps) {
    const auto open = search.open[at];
    const auto& level = search.places[open.window.level];
    const auto tables = group.tables(level);
    const GlobalWindow window(cascade, tables, open.window.x * level.step, open.window.y * level.step, open.factor);
    auto depth = static_cast<int>(open.stage);
    for (; depth < cascade.stage_count; ++depth) {
      const auto stage = cascade.stages[depth];
      double sum = 0;
      for (int first = 0; first < stage.trees; first += warp_lanes) {
        const int trees = min(stage.trees - first, warp_lanes);
        const float leaf = static_cast<int>(lane) < trees
                               ? window.leaf(cascade.trees[stage.first_tree + first + static_cast<int>(lane)])
                               : 0.0f;
        for (int t = 0; t < trees; ++t) sum += __shfl_sync(whole_warp, leaf, t);
      }
      if (!(sum >= static_cast<double>(stage.threshold))) break;
    }
    if (lane != 0) continue;
    if (search.depth)
      search.depth[level.first_depth + static_cast<std::size_t>(open.window.y) * static_cast<std::size_t>(level.across) +
                   open.window.x] = static_cast<std::uint8_t>(depth);
    if (depth == cascade.stage_count) keep_window(search, open.window);
  }
}

// Between two groups of levels: the windows that are left of the first are done, and make room.
__global__ void next_group_kernel(SearchCounters* counters) {
  counters->most_open = max(counters->most_open, counters->open);
  counters->open = 0;
}

void compute_level_tables(Context& context, const WindowSearch& search, const WrittenCascade& cascade,
                          const LevelGroup& group, const LevelPlace& level, const SatAlgorithm& algorithm,
                          const Arguments& arguments) {
  const Context::ScratchScope scope(context);
  const ImageView<const std::uint8_t> picture{search.pixels + level.first_pixel + 1, level.width, level.height,
                                              static_cast<std::ptrdiff_t>(level.pitch)};
  compute_sat(context, algorithm, picture, AnyImageView(group.table(group.sums, level)), arguments);
  if (group.squares) {
    const auto& by = table_algorithm(algorithm, SatType::u8_u64, level.height, context.device());
    compute_sat(context, by, picture, AnyImageView(group.table(group.squares, level)),
                &by == &algorithm ? arguments : Arguments(by.parameters));
  }
  if (cascade.has_tilted) compute_tilted(context, picture, group.table(group.tilted, level));
}

void search_group(Context& context, const WindowSearch& search, const WrittenCascade& cascade, const PyramidPlan& plan,
                  LevelGroup group, const SatAlgorithm& algorithm, const Arguments& arguments) {
  const Context::ScratchScope scope(context);
  const auto levels = std::span(plan.places).subspan(group.first, group.end - group.first);
  const auto& last = levels.back();
  const auto entries = last.first_pixel + std::size_t{last.pitch} * static_cast<std::size_t>(last.height) -
                       group.first_entry;
  group.sums = context.scratch<std::uint32_t>(entries);
  group.squares = cascade.code_sets ? nullptr : context.scratch<std::uint64_t>(entries);
  group.tilted = cascade.has_tilted ? context.scratch<std::uint32_t>(entries) : nullptr;
  context.group(
      "levels",
      [&] {
        for (const auto& level : levels) compute_level_tables(context, search, cascade, group, level, algorithm, arguments);
      },
      SpanTiming::parts);
  if (group.first > 0) context.launch("next levels", next_group_kernel, {dim3(1), dim3(1)}, search.counters);
  const auto words = last.first_word + static_cast<std::size_t>(last.row_words) * static_cast<std::size_t>(last.down) -
                     levels.front().first_word;
  const auto blocks = static_cast<unsigned>((words + warps - 1) / warps);
  context.launch("windows of all levels", window_kernel, {dim3(blocks), dim3(warp_lanes * warps)}, search, cascade, group,
                 words);
  const auto resident = static_cast<unsigned>(8 * context.limits().multiprocessors);
  context.launch("windows left", left_window_kernel, {dim3(resident), dim3(warp_lanes * warps)}, search, cascade, group);
}

}  // namespace

void queue_global_search(Context& context, const WindowSearch& search, const WrittenCascade& cascade,
                         const PyramidPlan& plan, std::size_t most_entries, const SatAlgorithm& algorithm,
                         const Arguments& arguments) {
  const auto count = static_cast<unsigned>(plan.places.size());
  for (unsigned first = 0, end = 0; first < count; first = end) {
    const auto begin = plan.places[first].first_pixel;
    const auto behind = [&](unsigned level) {
      return level + 1 < count ? plan.places[level + 1].first_pixel : plan.pixel_bytes;
    };
    for (end = first + 1; end < count && behind(end) - begin <= most_entries;) ++end;
    search_group(context, search, cascade, plan, {first, end, begin, nullptr, nullptr, nullptr}, algorithm, arguments);
  }
}

}  // namespace gpu::vision
