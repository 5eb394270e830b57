#include "gpu/vision/window_stages.h"

#include <algorithm>
#include <cmath>

#include "gpu/vision/evaluation.h"

namespace gpu::vision {
namespace {

// Evaluates windows of a level, each from its own pixels.
class LevelWindows {
 public:
  LevelWindows(const Cascade& cascade, ImageView<const std::uint8_t> frame, const Level& level)
      : cascade_(cascade),
        frame_(frame),
        step_(level.step),
        columns_(blends_of(frame.width, level.size.width)),
        rows_(blends_of(frame.height, level.size.height)),
        pixels_(cascade.window.pixels()) {}

  // Until the next one is asked for.
  WindowEvaluation at(int column, int row) {
    const auto [width, height] = cascade_.window;
    const auto part = [&](std::span<const Blend> blends, int first, int count) {
      return blends.subspan(static_cast<std::size_t>(first * step_), static_cast<std::size_t>(count));
    };
    const ImageView<std::uint8_t> pixels{pixels_.data(), width, height, width};
    resize_rows(frame_, part(columns_, column, width), part(rows_, row, height), pixels);
    tables_.compute(pixels, cascade_.tilted);
    return {cascade_, tables_, 0, 0};
  }
  // Of a run of windows that the first stage rejects, and the window behind it, every second one is not visited.
  bool is_visited(int column, int row) {
    int first = column;
    while (first > 0 && at(first - 1, row).depth() == 0) --first;
    return (column - first) % 2 == 0;
  }

 private:
  const Cascade& cascade_;
  ImageView<const std::uint8_t> frame_;
  int step_;
  std::vector<Blend> columns_, rows_;
  std::vector<std::uint8_t> pixels_;
  LevelTables tables_;
};

void add_tree(const Cascade& cascade, const WindowEvaluation& window, const CascadeTree& tree, int number,
              StageResult& result) {
  const auto first = result.nodes.size();
  for (const auto& node : tree.nodes)
    result.nodes.push_back({node.feature,
                            number,
                            window.value(cascade.features[static_cast<std::size_t>(node.feature)]),
                            node.threshold,
                            false,
                            {}});
  int at = 0;
  NodeResult* last = nullptr;
  do {
    last = &result.nodes[first + static_cast<std::size_t>(at)];
    last->reached = true;
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    at = last->value < last->threshold ? node.left : node.right;
  } while (at > 0);
  last->vote = tree.leaves[static_cast<std::size_t>(-at)];
  const auto [least, most] = std::ranges::minmax(tree.leaves);
  result.least += static_cast<double>(least);
  result.most += static_cast<double>(most);
}

StageResult result_of(const Cascade& cascade, const WindowEvaluation& window, const CascadeStage& stage) {
  StageResult result;
  result.sum = window.sum(stage);
  result.threshold = static_cast<double>(stage.threshold);
  for (std::size_t i = 0; i < stage.trees.size(); ++i)
    add_tree(cascade, window, stage.trees[i], static_cast<int>(i), result);
  return result;
}

// How deep a window came, so that the one to be shown is the greatest.
struct Reach {
  bool visited = false;
  int passed = -1;    // stages; -1: it is not evaluated
  double margin = 0;  // of the last stage's sum over its threshold
  friend auto operator<=>(const Reach&, const Reach&) = default;
};

Reach reach_of(const Cascade& cascade, LevelWindows& windows, int column, int row) {
  Reach reach{windows.is_visited(column, row)};
  const auto window = windows.at(column, row);
  if (!window.factor()) return reach;
  reach.passed = 0;
  for (const auto& stage : cascade.stages) {
    reach.margin = window.sum(stage) - static_cast<double>(stage.threshold);
    if (reach.margin < 0) break;
    ++reach.passed;
  }
  return reach;
}

}  // namespace

WindowStages evaluate_window(const Cascade& cascade, std::span<const Level> levels, ImageView<const std::uint8_t> frame,
                             int level, int column, int row) {
  const auto& of_level = levels[static_cast<std::size_t>(level)];
  LevelWindows windows(cascade, frame, of_level);
  const auto in_frame = [&](int at) {
    return static_cast<int>(std::lrint(static_cast<float>(at * of_level.step) * of_level.factor));
  };
  WindowStages result{level, column, row, {in_frame(column), in_frame(row), of_level.window.width, of_level.window.height},
                      {},    {},     {}};
  result.visited = windows.is_visited(column, row);
  const auto window = windows.at(column, row);
  if (!window.factor()) return result;
  result.passed = window.depth();
  for (const auto& stage : cascade.stages) result.stages.push_back(result_of(cascade, window, stage));
  return result;
}

std::optional<WindowStages> deepest_window_at(const Cascade& cascade, std::span<const Level> levels,
                                              ImageView<const std::uint8_t> frame, int x, int y, std::optional<int> level) {
  std::optional<Reach> deepest;
  int found_level = 0, found_column = 0, found_row = 0;
  for (int l = level.value_or(0); l < level.value_or(static_cast<int>(levels.size()) - 1) + 1; ++l) {
    const auto& of_level = levels[static_cast<std::size_t>(l)];
    const auto grid = grid_of(of_level, cascade.window);
    const int column = grid.column(x), row = grid.row(y);
    if (column < 0 || row < 0) continue;
    LevelWindows windows(cascade, frame, of_level);
    const auto reach = reach_of(cascade, windows, column, row);
    if (deepest && !(reach > *deepest)) continue;
    deepest = reach;
    found_level = l, found_column = column, found_row = row;
  }
  if (!deepest) return {};
  return evaluate_window(cascade, levels, frame, found_level, found_column, found_row);
}

}  // namespace gpu::vision
