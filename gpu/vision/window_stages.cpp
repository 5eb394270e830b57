#include "gpu/vision/window_stages.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gpu/vision/evaluation.h"

namespace gpu::vision {
namespace {

using HostWindow = WindowEvaluation<LevelTables>;

// Evaluates windows of a level, each from its own pixels.
class LevelWindows {
 public:
  LevelWindows(const WrittenCascade& cascade, ImageView<const std::uint8_t> frame, const Level& level)
      : cascade_(cascade),
        frame_(frame),
        step_(level.step),
        columns_(blends_of(frame.width, level.size.width)),
        rows_(blends_of(frame.height, level.size.height)),
        pixels_(cascade.window.pixels()) {}

  // Until the next one is asked for.
  HostWindow at(int column, int row) {
    const auto [width, height] = cascade_.window;
    const auto part = [&](std::span<const Blend> blends, int first, int count) {
      return blends.subspan(static_cast<std::size_t>(first * step_), static_cast<std::size_t>(count));
    };
    const ImageView<std::uint8_t> pixels{pixels_.data(), width, height, width};
    resize_rows(frame_, part(columns_, column, width), part(rows_, row, height), pixels);
    tables_.compute(pixels, cascade_.has_tilted);
    return latest();
  }
  // The one that was asked for last.
  HostWindow latest() const { return {cascade_, tables_, 0, 0}; }
  bool is_visited(int column, int row) {
    return vision::is_visited(rejections_before(column, [&](int i) { return at(i, row).depth() == 0; }));
  }

 private:
  const WrittenCascade& cascade_;
  ImageView<const std::uint8_t> frame_;
  int step_;
  std::vector<Blend> columns_, rows_;
  std::vector<std::uint8_t> pixels_;
  LevelTables tables_;
};

void add_tree(const HostWindow& window, const CascadeTree& tree, int number, StageResult& result) {
  const auto first = result.nodes.size();
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const auto& node = tree.nodes[n];
    const float value = window.value(node.feature);
    result.nodes.push_back({node.feature, number, value, node.threshold, false, {}, tree.goes_left(n, value)});
  }
  int at = 0;
  NodeResult* last = nullptr;
  do {
    last = &result.nodes[first + static_cast<std::size_t>(at)];
    last->reached = true;
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    at = last->left ? node.left : node.right;
  } while (at > 0);
  last->vote = tree.leaves[static_cast<std::size_t>(-at)];
  result.sum += static_cast<double>(*last->vote);
  const auto [least, most] = std::ranges::minmax(tree.leaves);
  result.least += static_cast<double>(least);
  result.most += static_cast<double>(most);
}

StageResult result_of(const HostWindow& window, const CascadeStage& stage) {
  StageResult result;
  result.threshold = static_cast<double>(stage.threshold);
  for (std::size_t i = 0; i < stage.trees.size(); ++i) add_tree(window, stage.trees[i], static_cast<int>(i), result);
  return result;
}

// The window with its stages until the first that it does not pass.
WindowStages evaluate_until_refused(const Cascade& cascade, LevelWindows& windows, const Level& of_level, int level,
                                    int column, int row) {
  WindowStages result{level, column, row, window_in_frame(of_level, column, row), {}, {}, {}};
  result.visited = windows.is_visited(column, row);
  const auto window = windows.at(column, row);
  if (!window.valid()) return result;
  for (const auto& stage : cascade.stages) {
    result.stages.push_back(result_of(window, stage));
    if (!result.stages.back().passed()) break;
    ++result.passed;
  }
  return result;
}

// The stages behind that one.
void add_other_stages(const Cascade& cascade, LevelWindows& windows, WindowStages& result) {
  if (result.stages.empty()) return;  // too little contrast
  const auto window = windows.at(result.column, result.row);
  for (auto s = result.stages.size(); s < cascade.stages.size(); ++s)
    result.stages.push_back(result_of(window, cascade.stages[s]));
}

struct WindowPlace {
  int column, row;
};
// The window of a level whose centre is nearest to the pixel, then those that are similar to `detected`.
std::vector<WindowPlace> places_at(const Level& level, Size window, int x, int y, const std::optional<Window>& detected) {
  std::vector<WindowPlace> places;
  const auto grid = grid_of(level, window);
  if (const WindowPlace nearest{grid.column(x), grid.row(y)}; nearest.column >= 0 && nearest.row >= 0)
    places.push_back(nearest);
  for (int row = 0; detected && row < level.down; ++row) {
    const auto first = window_in_frame(level, 0, row);  // most rows have none, wherever in them
    if (!similar({detected->x, first.y, detected->width, first.height}, *detected)) continue;
    for (int column = 0; column < level.across; ++column)
      if (similar(window_in_frame(level, column, row), *detected)) places.push_back({column, row});
  }
  return places;
}

// The window to be shown is that of which this is the greatest: visited, evaluated, stages passed, the last one's margin.
auto reach_of(const WindowStages& window) {
  const bool evaluated = !window.stages.empty();
  const double margin = evaluated ? window.stages.back().sum - window.stages.back().threshold : 0;
  return std::tuple(window.visited, evaluated, window.passed, margin);
}

}  // namespace

std::optional<WindowStages> deepest_window_at(const Cascade& cascade, std::span<const Level> levels,
                                              ImageView<const std::uint8_t> frame, int x, int y, std::optional<int> level,
                                              const std::optional<Window>& detected) {
  const WrittenCascadeLists lists(cascade);
  const auto written = lists.view();
  std::optional<WindowStages> deepest;
  std::optional<LevelWindows> of_its_level;
  for (int l = level.value_or(0); l < level.value_or(static_cast<int>(levels.size()) - 1) + 1; ++l) {
    const auto& of_level = levels[static_cast<std::size_t>(l)];
    const auto places = places_at(of_level, cascade.window, x, y, detected);
    if (places.empty()) continue;
    LevelWindows windows(written, frame, of_level);
    bool is_deepest = false;
    for (const auto& [column, row] : places) {
      auto window = evaluate_until_refused(cascade, windows, of_level, l, column, row);
      if (deepest && !(reach_of(window) > reach_of(*deepest))) continue;
      deepest = std::move(window);
      is_deepest = true;
    }
    if (is_deepest) of_its_level.emplace(std::move(windows));
  }
  if (deepest) add_other_stages(cascade, *of_its_level, *deepest);
  return deepest;
}

}  // namespace gpu::vision
