#include "gpu/vision/global_search.h"

#include <cmath>

#include "gpu/tables.h"

namespace gpu::vision {
namespace {

constexpr int warp_lanes = 32, warps = 4;
constexpr unsigned all_lanes = 0xffffffffu;

// Of one level. Entries are of inclusive tables: (x, y) has the pixels from (0, 0) to (x, y).
struct LevelTablesOnDevice {
  ImageView<const std::uint32_t> sum, tilted;
  ImageView<const std::uint64_t> squares;
};

// The entry above and left of (x, y), as windows count.
template <class T>
__device__ std::uint32_t above_left(ImageView<const T> table, int x, int y) {
  return x > 0 && y > 0 ? static_cast<std::uint32_t>(table(x - 1, y - 1)) : 0u;
}
template <class T>
__device__ std::uint32_t box(ImageView<const T> table, int x, int y, int width, int height) {
  return above_left(table, x, y) - above_left(table, x + width, y) - above_left(table, x, y + height) +
         above_left(table, x + width, y + height);
}
// Left and right of the image, a triangle equals that of its neighbour one row above.
__device__ std::uint32_t triangle(ImageView<const std::uint32_t> table, int x, int y) {
  int column = x - 1, row = y - 1;
  if (column < 0 || column >= table.width) {
    column = column < 0 ? 0 : table.width - 1;
    --row;
  }
  return row >= 0 ? table(column, row) : 0u;
}

class GlobalWindow {
 public:
  __device__ GlobalWindow(const WrittenCascade& cascade, const LevelTablesOnDevice& tables, int x, int y)
      : cascade_(cascade), tables_(tables), x_(x), y_(y) {
    const int width = cascade.window.width - 2, height = cascade.window.height - 2, area = width * height;
    const auto sum = static_cast<double>(box(tables.sum, x + 1, y + 1, width, height));
    const auto squares = static_cast<double>(box(tables.squares, x + 1, y + 1, width, height));
    const double variance = area * squares - sum * sum;
    if (!(variance > 0)) return;
    factor_ = static_cast<float>(1.0 / std::sqrt(variance));
    valid_ = static_cast<double>(static_cast<float>(area) * factor_) < 1e-1;
  }

  __device__ bool valid() const { return valid_; }
  __device__ float factor() const { return factor_; }
  // How many stages it passes.
  __device__ int depth() const {
    int s = 0;
    while (s < cascade_.stage_count && passes(cascade_.stages[s])) ++s;
    return s;
  }

 private:
  __device__ float value(const WrittenFeature& feature) const {
    float total = 0;
    for (int k = 0; k < feature.rectangles; ++k) {
      const auto& r = feature.rectangle[k];
      const int x = x_ + r.x, y = y_ + r.y, w = r.width, h = r.height;
      const auto& t = tables_.tilted;
      const std::uint32_t sum = feature.tilted ? triangle(t, x, y) - triangle(t, x - h, y + h) - triangle(t, x + w, y + w) +
                                                     triangle(t, x + w - h, y + w + h)
                                               : box(tables_.sum, x, y, w, h);
      total += r.weight * static_cast<float>(static_cast<std::int32_t>(sum));
    }
    return total * factor_;
  }
  __device__ bool passes(const WrittenStage& stage) const {
    double sum = 0;
    for (int t = 0; t < stage.trees; ++t) {
      const auto tree = cascade_.trees[stage.first_tree + t];
      int at = 0;
      do {
        const auto& node = cascade_.nodes[tree.first_node + at];
        at = value(cascade_.features[node.feature]) < node.threshold ? node.left : node.right;
      } while (at > 0);
      sum += cascade_.leaves[tree.first_leaf - at];
    }
    return sum >= static_cast<double>(stage.threshold);
  }

  const WrittenCascade& cascade_;
  const LevelTablesOnDevice& tables_;
  int x_, y_;
  float factor_ = 1;
  bool valid_ = false;
};

// A warp has 32 windows of a row, a thread one.
__global__ void __launch_bounds__(warp_lanes* warps)
    window_kernel(WindowSearch search, WrittenCascade cascade, LevelTablesOnDevice tables, std::uint32_t level_index) {
  const auto& level = search.places[level_index];
  const int word = static_cast<int>(blockIdx.x * warps + threadIdx.x / warp_lanes),
            lane = static_cast<int>(threadIdx.x % warp_lanes);
  if (word >= level.row_words) return;
  const int i = word * warp_lanes + lane, j = static_cast<int>(blockIdx.y);
  const bool exists = i < level.across;
  // The lanes beyond the last window evaluate it again, and write nothing.
  const GlobalWindow window(cascade, tables, min(i, level.across - 1) * level.step, j * level.step);
  const int depth = window.valid() ? window.depth() : 0;

  const unsigned rejected = __ballot_sync(all_lanes, exists && window.valid() && depth == 0);
  if (lane == 0)
    search.rejected[level.first_word + static_cast<std::size_t>(j) * static_cast<std::size_t>(level.row_words) +
                    static_cast<std::size_t>(word)] = rejected;
  if (!exists) return;
  if (search.depth)
    search.depth[level.first_depth + static_cast<std::size_t>(j) * static_cast<std::size_t>(level.across) +
                 static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(window.valid() ? depth : refused_depth);
  if (!window.valid() || depth < cascade.stage_count) return;
  const unsigned at = atomicAdd(&search.counters->open, 1u);
  if (at < search.open_capacity)
    search.open[at] = {{static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j), level_index},
                       window.factor(),
                       static_cast<std::uint32_t>(depth)};
}

void search_level(Context& context, const WindowSearch& search, const WrittenCascade& cascade, const LevelPlace& level,
                  std::uint32_t index, const SatAlgorithm& algorithm, const Arguments& arguments) {
  const Context::ScratchScope scope(context);
  const Size size{level.width, level.height};
  const ImageView<const std::uint8_t> picture{search.pixels + level.first_pixel + 1, size.width, size.height,
                                              static_cast<std::ptrdiff_t>(level.pitch)};
  const auto sum = context.scratch_image<std::uint32_t>(size);
  const auto squares = context.scratch_image<std::uint64_t>(size);
  compute_sat(context, algorithm, picture, AnyImageView(sum), arguments);
  const auto& by = table_algorithm(algorithm, SatType::u8_u64, size.height, context.device());
  compute_sat(context, by, picture, AnyImageView(squares), &by == &algorithm ? arguments : Arguments(by.parameters));
  LevelTablesOnDevice tables{sum, {}, squares};
  if (cascade.has_tilted) {
    const auto tilted = context.scratch_image<std::uint32_t>(size);
    compute_tilted(context, picture, tilted);
    tables.tilted = tilted;
  }
  const Grid shape{dim3(static_cast<unsigned>(ceil_div(level.row_words, warps)), static_cast<unsigned>(level.down)),
                   dim3(warp_lanes * warps)};
  context.launch("windows of a level", window_kernel, shape, search, cascade, tables, index);
}

}  // namespace

WrittenCascadeLists lists_of(const Cascade& cascade) {
  WrittenCascadeLists lists;
  for (const auto& feature : cascade.features) {
    WrittenFeature written{static_cast<int>(feature.rectangles.size()), feature.tilted, {}};
    std::copy(feature.rectangles.begin(), feature.rectangles.end(), written.rectangle);
    lists.features.push_back(written);
  }
  for (const auto& stage : cascade.stages) {
    lists.stages.push_back({static_cast<int>(lists.trees.size()), static_cast<int>(stage.trees.size()), stage.threshold});
    for (const auto& tree : stage.trees) {
      lists.trees.push_back({static_cast<int>(lists.nodes.size()), static_cast<int>(lists.leaves.size())});
      lists.nodes.insert(lists.nodes.end(), tree.nodes.begin(), tree.nodes.end());
      lists.leaves.insert(lists.leaves.end(), tree.leaves.begin(), tree.leaves.end());
    }
  }
  return lists;
}

void queue_global_search(Context& context, const WindowSearch& search, const WrittenCascade& cascade,
                         const PyramidPlan& plan, const SatAlgorithm& algorithm, const Arguments& arguments) {
  context.group(
      "levels",
      [&] {
        for (std::size_t k = 0; k < plan.places.size(); ++k)
          search_level(context, search, cascade, plan.places[k], static_cast<std::uint32_t>(k), algorithm, arguments);
      },
      SpanTiming::parts);
  detail::queue_patches(context, search);
}

}  // namespace gpu::vision
