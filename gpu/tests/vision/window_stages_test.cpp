// A window's stages against the detector's decision, for every window of small pictures; and which window a place stands for.
#include "gpu/vision/window_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "gpu/execution/thread_pool.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/tests/vision/random_cascade.h"
#include "gpu/vision/detector.h"

namespace gpu::vision {
namespace {

// A smooth picture that has flat pixels at its left.
struct Searched {
  Searched(const Cascade& cascade, Size size) : frame(wavy_picture(size, 5)), detector(cascade, options(), size) {
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width / 3; ++x) frame.view()(x, y) = 90;
    ThreadPool pool(1);
    auto context = Context::on_host(pool, {});
    detector.run(context, frame.view());
  }
  static DetectorOptions options() {
    DetectorOptions options;
    options.levels.scale_factor = 1.25;
    options.depths = true;
    return options;
  }
  WindowStages stages(int level, int column, int row) const {
    const auto grid = grid_of(detector.levels()[static_cast<std::size_t>(level)], detector.cascade().window);
    int x = 0, y = 0;  // windows of a level are at least one pixel apart
    while (grid.column(x) != column) ++x;
    while (grid.row(y) != row) ++y;
    return at(x, y, level).value();
  }
  std::optional<WindowStages> at(int x, int y, std::optional<int> level = {},
                                 const std::optional<Window>& detected = {}) const {
    return deepest_window_at(detector.cascade(), detector.levels(), frame.view(), x, y, level, detected);
  }

  Image<std::uint8_t> frame;
  Detector detector;
};

std::vector<Cascade> cascades() {
  return {small_cascade(), RandomCascade({.window = {12, 10}, .stages = 5}, 3).make(),
          RandomCascade({.window = {11, 13}, .stages = 6, .larger_trees = true, .lbp = true}, 4).make(),
          RandomCascade({.window = {11, 13}, .stages = 6, .tilted = true, .larger_trees = true}, 4).make()};
}

void expect_consistent(const StageResult& stage, const CascadeStage& of) {
  std::vector<float> votes;
  std::size_t nodes = 0;
  for (const auto& tree : of.trees) nodes += tree.nodes.size();
  ASSERT_EQ(stage.nodes.size(), nodes);
  for (const auto& node : stage.nodes) {
    if (node.vote) votes.push_back(*node.vote);
    EXPECT_TRUE(node.reached || !node.vote);
  }
  ASSERT_EQ(votes.size(), of.trees.size()) << "one leaf of each tree";
  double sum = 0;
  for (const auto vote : votes) sum += static_cast<double>(vote);
  EXPECT_EQ(stage.sum, sum);
  EXPECT_LE(stage.least, sum + 1e-9);
  EXPECT_GE(stage.most, sum - 1e-9);
}

TEST(WindowStagesTest, EveryWindowIsDecidedAsTheDetectorDecides) {
  for (const auto& cascade : cascades()) {
    const Searched searched(cascade, {60, 44});
    std::vector<Window> found;
    int refused = 0, left_out = 0;
    for (int l = 0; l < static_cast<int>(searched.detector.levels().size()); ++l) {
      const auto depths = searched.detector.depths(l);
      for (int row = 0; row < depths.height; ++row)
        for (int column = 0; column < depths.width; ++column) {
          const auto window = searched.stages(l, column, row);
          left_out += !window.visited;
          if (window.found()) found.push_back(window.window);
          if (depths(column, row) == refused_depth) {
            ++refused;
            ASSERT_TRUE(window.stages.empty());
            continue;
          }
          ASSERT_EQ(window.passed, depths(column, row)) << l << ": " << column << "," << row;
          ASSERT_EQ(window.stages.size(), cascade.stages.size());
          for (std::size_t s = 0; s < window.stages.size(); ++s) {
            expect_consistent(window.stages[s], cascade.stages[s]);
            const auto before = static_cast<int>(s);
            EXPECT_TRUE(before > window.passed || window.stages[s].passed() == (before < window.passed));
          }
        }
    }
    EXPECT_EQ(found, std::vector(searched.detector.hits().begin(), searched.detector.hits().end()));
    for (const int count : {left_out, static_cast<int>(found.size())}) EXPECT_GT(count, 5);
    EXPECT_EQ(refused > 5, cascade.kind == FeatureKind::haar);
  }
}

void expect_values_to_decide(const Cascade& cascade) {
  const Searched searched(cascade, {60, 44});
  const auto window = searched.stages(0, 15, 9);
  ASSERT_FALSE(window.stages.empty());
  const auto& stage = cascade.stages.back();
  const auto* nodes = window.stages.back().nodes.data();
  int branches = 0;
  for (std::size_t t = 0; t < stage.trees.size(); nodes += stage.trees[t].nodes.size(), ++t) {
    const auto& tree = stage.trees[t];
    ASSERT_TRUE(nodes[0].reached);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      EXPECT_EQ(nodes[i].tree, static_cast<int>(t));
      EXPECT_EQ(nodes[i].feature, tree.nodes[i].feature);
      const auto& value = nodes[i].value;
      EXPECT_EQ(nodes[i].left, cascade.kind == FeatureKind::haar ? value < nodes[i].threshold
                                                                 : tree.code_sets[i].has(static_cast<unsigned>(value)));
      const int next = nodes[i].left ? tree.nodes[i].left : tree.nodes[i].right;
      if (!nodes[i].reached) continue;
      if (next > 0) {
        ++branches;
        EXPECT_TRUE(nodes[next].reached);
      } else {
        EXPECT_EQ(nodes[i].vote, tree.leaves[static_cast<std::size_t>(-next)]);
      }
    }
  }
  EXPECT_GT(branches, 3);
}
TEST(WindowStagesTest, ValuesDecideTheWayThroughATree) {
  for (const auto& cascade : cascades() | std::views::drop(2)) expect_values_to_decide(cascade);
}

TEST(WindowStagesTest, APlaceStandsForTheDeepestWindowAroundIt) {
  const auto cascade = cascades()[1];
  const Searched searched(cascade, {60, 44});
  const auto levels = searched.detector.levels();
  int none = 0;
  for (int y = 0; y < 44; y += 3)
    for (int x = 0; x < 60; x += 3) {
      int deepest = -1;
      for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
        const auto window = searched.at(x, y, l);
        if (!window) continue;
        EXPECT_EQ(window->level, l);
        const auto& box = window->window;
        const auto reach = levels[static_cast<std::size_t>(l)].factor *
                               static_cast<float>(levels[static_cast<std::size_t>(l)].step) / 2 +
                           1;
        EXPECT_LE(std::abs(static_cast<float>(box.x) + static_cast<float>(box.width) / 2 - static_cast<float>(x) - 0.5f),
                  reach);
        EXPECT_LE(std::abs(static_cast<float>(box.y) + static_cast<float>(box.height) / 2 - static_cast<float>(y) - 0.5f),
                  reach);
        if (window->visited && !window->stages.empty()) deepest = std::max(deepest, window->passed);
      }
      const auto window = searched.at(x, y);
      none += !window;
      if (deepest >= 0) {
        ASSERT_TRUE(window);
        EXPECT_TRUE(window->visited);
        EXPECT_EQ(window->passed, deepest) << x << "," << y;
      }
    }
  EXPECT_GT(none, 10) << "at the edges";
  EXPECT_FALSE(searched.at(1, 20));
}

// Among the windows of all levels at a place it is the first with the most of visited, evaluated, stages passed, and margin.
TEST(WindowStagesTest, ThePlacesWindowIsTheBestOfItsLevels) {
  const auto cascade = cascades()[1];
  const Searched searched(cascade, {60, 44});
  int refused_beside_evaluated = 0, equal = 0;
  for (int y = 0; y < 44; ++y)
    for (int x = 0; x < 60; ++x) {
      std::optional<WindowStages> best;
      const auto merit = [](const WindowStages& window) {
        const bool evaluated = !window.stages.empty();
        const auto last = std::min(static_cast<std::size_t>(window.passed), window.stages.size() - 1);
        return std::tuple(window.visited, evaluated, window.passed,
                          evaluated ? window.stages[last].sum - window.stages[last].threshold : 0);
      };
      for (int l = 0; l < static_cast<int>(searched.detector.levels().size()); ++l) {
        auto window = searched.at(x, y, l);
        if (!window) continue;
        if (best && best->visited && window->visited)
          refused_beside_evaluated += best->stages.empty() != window->stages.empty();
        equal += best && merit(*window) == merit(*best);
        if (!best || merit(*window) > merit(*best)) best = std::move(window);
      }
      const auto found = searched.at(x, y);
      ASSERT_EQ(found.has_value(), best.has_value());
      if (!found) continue;
      ASSERT_EQ(found->level, best->level) << x << ',' << y;
      ASSERT_EQ(found->stages.size(), best->stages.size());
      for (std::size_t s = 0; s < found->stages.size(); ++s) {
        ASSERT_EQ(found->stages[s].sum, best->stages[s].sum) << "stage " << s << " at " << x << ',' << y;
        const auto& stage = cascade.stages[s];
        double least = 0, most = 0;
        for (const auto& tree : stage.trees) {
          const auto [low, high] = std::ranges::minmax(tree.leaves);
          least += static_cast<double>(low);
          most += static_cast<double>(high);
        }
        ASSERT_EQ(found->stages[s].least, least);
        ASSERT_EQ(found->stages[s].most, most);
      }
    }
  EXPECT_GT(refused_beside_evaluated, 5);
  EXPECT_GT(equal, 5);
}

// Wherever in it: the window around its corner is as a rule another one.
TEST(WindowStagesTest, APlaceInADetectionStandsForItsBestWindow) {
  const auto cascade = cascades()[1];
  const Searched searched(cascade, {60, 44});
  int missed = 0;
  for (const auto& hit : searched.detector.hits()) {
    const int x = std::max(hit.x, 0), y = std::max(hit.y, 0);
    const auto alone = searched.at(x, y), window = searched.at(x, y, {}, hit);
    missed += !alone || !alone->found();
    ASSERT_TRUE(window);
    EXPECT_TRUE(window->found()) << x << ',' << y;
    EXPECT_EQ(window->stages.size(), cascade.stages.size());
    const auto again = searched.stages(window->level, window->column, window->row);
    EXPECT_EQ(window->window, again.window);
    EXPECT_EQ(window->stages.back().sum, again.stages.back().sum) << "all stages are of this window";
  }
  EXPECT_GT(missed, 0);
}

}  // namespace
}  // namespace gpu::vision
