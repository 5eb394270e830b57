// The scale of times of the frame graph, and round numbers for axes.
#pragma once

#include <vector>

namespace app::ui {

struct GraphScaleOfTimes {
  double low = 0, top = 1;  // milliseconds at the lower and the upper edge; low is 0 if linear
  bool logarithmic = false;

  double height(double ms) const;  // 0 at the lower edge, 1 at the upper; clamped
  double at(double height) const;  // its inverse
};

// For frames that take `typical` (median), `slow` (99th percentile) and at most `slowest` milliseconds. Linear: round, above
// the slow ones, such that one outlier does not flatten all others; also above the target, unless that would make slivers of
// the others. Logarithmic: decades around all of them.
GraphScaleOfTimes linear_scale(double slow, double slowest, double target);
GraphScaleOfTimes logarithmic_scale(double typical, double slowest, double target);

// Round numbers between the edges, at most `most` of them: 0, 5, 10 or 1, 10, 100; 1, 2, 5, 10 where there
// is room.
std::vector<double> ticks(const GraphScaleOfTimes& scale, int most);
// 1, 2 or 5 times a power of ten, not below `least`.
double round_step(double least);

}  // namespace app::ui
