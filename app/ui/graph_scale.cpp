#include "app/ui/graph_scale.h"

#include <algorithm>
#include <cmath>

namespace app::ui {
namespace {

constexpr double shortest = 0.001, sliver = 8;

double decade_below(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }

double round_top(double wanted) {
  const auto decade = decade_below(wanted);
  for (const auto step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (decade * step >= wanted * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

}  // namespace

double GraphScaleOfTimes::height(double ms) const {
  if (!(ms > low)) return 0;
  return std::min(1.0, logarithmic ? std::log(ms / low) / std::log(top / low) : (ms - low) / (top - low));
}

double GraphScaleOfTimes::at(double height) const {
  return logarithmic ? low * std::pow(top / low, height) : low + (top - low) * height;
}

GraphScaleOfTimes linear_scale(double slow, double slowest, double target) {
  auto wanted = std::max({std::min(slowest, slow * 2) * 1.1, shortest});
  if (wanted * sliver >= target) wanted = std::max(wanted, target * 1.25);
  return {0, round_top(wanted), false};
}

GraphScaleOfTimes logarithmic_scale(double typical, double slowest, double target) {
  const auto low = std::max(typical > 0 ? std::min(typical / 2, target) : target, shortest);
  const auto top = std::max({slowest, target, low});
  return {decade_below(low), decade_below(top) * 10, true};
}

double round_step(double least) {
  const auto decade = decade_below(std::max(least, 1e-12));
  for (const auto step : {1.0, 2.0, 5.0})
    if (decade * step >= least * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

std::vector<double> ticks(const GraphScaleOfTimes& scale, int most) {
  std::vector<double> values;
  if (scale.logarithmic) {
    const auto decades = std::log10(scale.top / scale.low);
    const bool fine = decades * 3 < most;
    for (auto decade = scale.low; decade <= scale.top * 1.001; decade *= 10)
      for (const auto step : {1.0, 2.0, 5.0})
        if (step == 1 || (fine && decade * step < scale.top)) values.push_back(decade * step);
    return values;
  }
  const auto step = round_step((scale.top - scale.low) / std::max(most - 1, 1));
  for (int i = 0; i * step <= scale.top * 1.001; ++i) values.push_back(i * step);
  return values;
}

}  // namespace app::ui
