#include "app/ui/race_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/output/study_figures.h"
#include "app/ui/widgets.h"

namespace app::ui {

std::string row_figures(const RaceFigures& race, const RaceRow& row) {
  std::string all;
  const auto timed = [&](const std::string& what, double us, double least, int runs) {
    if (runs > 0)
      all += "\n" + what + "median " + microseconds(us) + " µs, minimum " + microseconds(least) + " µs, of " +
             counted(static_cast<std::uint64_t>(runs), "run");
  };
  timed("", row.us, row.least_us, row.runs);
  if (row.runs > 0 && race.by_traffic())
    all += ", of the CPU: they say nothing about a GPU";
  else if (row.lower_us > 0)
    all += "\nhalf of the runs: " + microseconds(row.lower_us) + " to " + microseconds(row.upper_us) + " µs";
  if (const auto times = times_bound(race, row); times && *times > 0 && !row.bound)
    all += "\n" + number(*times, 2) + " times the bound" + (race.bound.empty() ? "" : ", " + race.bound);
  if (row.gb_per_s) all += "\n" + number(*row.gb_per_s, 0) + " GB/s";
  const auto effect = race.effect ? std::string(race.effect->title) : std::string();
  timed(effect + ": ", row.effect_us, row.effect_least_us, row.effect_runs);
  if (row.bytes_per_pixel) all += "\n" + number(*row.bytes_per_pixel, 2) + " bytes per pixel";
  if (row.sectors_per_pixel) all += ", " + number(*row.sectors_per_pixel, 2) + " sectors per pixel";
  if (row.effect_bytes_per_pixel)
    all += "\n" + number(*row.effect_bytes_per_pixel, 1) + " bytes per pixel for the tables of " + effect;
  return all;
}

// Twelve times the bound can still be told apart on a linear scale.
constexpr double most_linear = 12;

RaceScale::RaceScale(const RaceFigures& race) {
  double least = 0, most = 0, bound = 0;
  for (const auto& row : race.rows) {
    const auto cost = race.cost(row);
    if (cost <= 0) continue;
    if (row.label == race.bound) bound = cost;
    least = least > 0 ? std::min(least, cost) : cost;
    most = std::max(most, cost);
  }
  if (least <= 0) return;
  bound_ = bound > 0 ? bound : least;
  last_ = std::max(most / bound_, 2.0);
  bends_ = last_ > most_linear;
}

double RaceScale::position(double cost) const {
  const auto factor = std::clamp(times(cost), 1.0, last_);
  if (!bends_) return (factor - 1) / (last_ - 1);
  if (factor <= bend) return of_all * (factor - 1) / (bend - 1);
  return of_all + (1 - of_all) * std::log(factor / bend) / std::log(last_ / bend);
}

std::vector<double> RaceScale::marks() const {
  std::vector<double> all{1};
  if (!bends_) {
    const double step = last_ <= bend ? 1 : 2;
    for (double mark = 2; mark <= last_; mark += step) all.push_back(mark);
    return all;
  }
  for (double mark = 2; mark <= bend; ++mark) all.push_back(mark);
  for (double mark = 20; mark <= last_; mark *= 5) all.push_back(mark);
  return all;
}

}  // namespace app::ui
