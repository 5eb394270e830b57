#include "app/ui/columns.h"

#include <algorithm>
#include <numeric>

namespace app::ui {
namespace {

using Columns = std::vector<std::vector<std::size_t>>;

float height(std::span<const float> heights, const std::vector<std::size_t>& column) {
  return std::accumulate(column.begin(), column.end(), 0.f, [&](float sum, auto group) { return sum + heights[group]; });
}
float highest(std::span<const float> heights, const Columns& columns) {
  float most = 0;
  for (const auto& column : columns) most = std::max(most, height(heights, column));
  return most;
}

// Column after column, each no higher than `most` unless a single group is.
Columns filled(std::span<const float> heights, float most) {
  Columns columns;
  float used = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (i == 0 || used + heights[i] > most) {
      columns.emplace_back();
      used = 0;
    }
    columns.back().push_back(i);
    used += heights[i];
  }
  return columns;
}

// In the groups' order. The highest column is a run of groups: the lowest of all runs in which the others fit, too.
Columns in_order(std::span<const float> heights, std::size_t count) {
  std::vector<float> runs;
  for (std::size_t first = 0; first < heights.size(); ++first) {
    float sum = 0;
    for (std::size_t last = first; last < heights.size(); ++last) runs.push_back(sum += heights[last]);
  }
  std::sort(runs.begin(), runs.end());
  constexpr float rounding = 0.5f;  // sums of one run differ by the order in which they are added
  for (const auto most : runs)
    if (auto columns = filled(heights, most + rounding); columns.size() <= count) return columns;
  return {};
}

// The largest first, each into the lowest column.
Columns by_size(std::span<const float> heights, std::size_t count) {
  std::vector<std::size_t> groups(heights.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  std::stable_sort(groups.begin(), groups.end(), [&](auto a, auto b) { return heights[a] > heights[b]; });
  Columns columns(std::min(count, heights.size()));
  for (const auto group : groups)
    std::min_element(columns.begin(), columns.end(), [&](const auto& a, const auto& b) {
      return height(heights, a) < height(heights, b);
    })->push_back(group);
  for (auto& column : columns) std::sort(column.begin(), column.end());
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace

Columns balanced_columns(std::span<const float> heights, std::size_t columns) {
  constexpr float clearly = 0.95f;
  const auto count = std::max<std::size_t>(columns, 1);
  auto ordered = in_order(heights, count), sorted = by_size(heights, count);
  return highest(heights, sorted) < clearly * highest(heights, ordered) ? sorted : ordered;
}

}  // namespace app::ui
