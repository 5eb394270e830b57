// StudyFigures: what a study of the algorithms over the size of the picture has measured so far, as plain data: a race for
// each size, on random pixels.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/race_figures.h"
#include "gpu/cuda/device.h"
#include "gpu/image.h"

namespace app {

struct StudyFigures {
  bool on = false;        // it was started and not stopped
  bool finished = false;  // every size that memory and time allow was measured
  gpu::Device device = gpu::Device::host;
  std::vector<RaceFigures> sizes;  // that were measured, the smallest first
  gpu::Size under_way;             // the size that is measured now; {0,0}: none
  int runs = 0, runs_wanted = 0;   // of that size
  int sizes_wanted = 0;            // at most
  std::string end;                 // why there is no larger size, one line; empty: there is none to measure
  std::string problem;             // why there is nothing although it was started, one line

  bool running() const { return on && !finished; }
  // From 0 to 1.
  double progress() const {
    const auto part = runs_wanted > 0 ? static_cast<double>(runs) / runs_wanted : 0;
    return sizes_wanted > 0 ? (static_cast<double>(sizes.size()) + part) / sizes_wanted : 0;
  }
};

// The row of an algorithm; null where it has no result, or a wrong one.
inline const RaceRow* measured_row(const RaceFigures& race, std::string_view algorithm) {
  const auto at = std::ranges::find(race.rows, algorithm, &RaceRow::name);
  return at == race.rows.end() || race.cost(*at) <= 0 || !at->problem.empty() ? nullptr : &*at;
}
// What a table costs at least: a byte read and four written per pixel.
inline constexpr double least_bytes_per_pixel = 5;
// How many times the bound it costs: in time, on the simulated GPU in bytes. None without a bound.
inline std::optional<double> times_bound(const RaceFigures& race, const RaceRow& row) {
  if (race.by_traffic()) return race.cost(row) / least_bytes_per_pixel;
  return row.over_bound;
}

// The algorithm that is nearest to the bound at the largest size, and from which size on it is that at every one.
struct StudyAnswer {
  std::string algorithm;  // empty: nothing was measured
  gpu::Size from;
  bool everywhere = false;  // from the smallest size on
  double times = 0;         // the bound, at the largest size; 0: there is no bound
};
inline StudyAnswer answer_of(const StudyFigures& study) {
  const auto best = [](const RaceFigures& race) -> const RaceRow* {
    for (const auto& row : race.rows)
      if (!row.bound && measured_row(race, row.name)) return &row;  // rows are sorted
    return nullptr;
  };
  StudyAnswer answer;
  for (auto at = study.sizes.rbegin(); at != study.sizes.rend(); ++at) {
    const auto* row = best(*at);
    if (!row) continue;
    if (answer.algorithm.empty()) answer = {row->name, at->size, false, times_bound(*at, *row).value_or(0)};
    if (row->name != answer.algorithm) return answer;
    answer.from = at->size;
  }
  answer.everywhere = true;
  return answer;
}

}  // namespace app
