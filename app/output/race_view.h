// What panels show of a race besides its figures: a sentence, what is said of a row, and the scale of its bars.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/output/race_figures.h"

namespace app {

// "host_parallel wins: 1.5 times the bound"; "Racing: 12 of 75 runs, host_parallel leads"; or what starts a race.
std::string race_sentence(const RaceFigures& race);
// What it was measured on, how often, and how it ranks; lines that each end with \n.
std::string race_conditions(const RaceFigures& race);
// What has changed since it finished, a line; empty if nothing has.
std::string race_is_stale(const RaceFigures& race);

// All that was measured of a row, in lines that each begin with \n.
std::string row_figures(const RaceFigures& race, const RaceRow& row);
// The same with what the row is and whether its table is right. `in_use`: the row of the algorithm in use; null: it has none.
std::string row_words(const RaceFigures& race, const RaceRow& row, const RaceRow* in_use);

// The figures of rows, that by which they are ranked first.
struct RaceColumn {
  enum class Shown { usually, on_request, never };  // never: no row of such a race has it
  std::string title, help;
  int decimals;  // -1: microseconds, as many as they need
  Shown shown;
  std::function<std::optional<double>(const RaceRow&)> value;  // none where the row has none
  bool of_cpu = false;                                         // that simulates: it says nothing about a GPU
};
std::vector<RaceColumn> race_columns(const RaceFigures& race, const RaceRow* in_use);
bool has_sectors(const RaceFigures& race);

// Of a race on the CPU: the algorithms of a GPU that the simulated GPU runs, by their bytes, the fewest first.
RaceFigures simulated_rows(const RaceFigures& race);

// Bars begin at the bound: they are linear up to five times the bound, and logarithmic beyond.
class RaceScale {
 public:
  explicit RaceScale(const RaceFigures& race);

  double times(double cost) const { return cost / bound_; }  // the bound, or where there is none the best row
  double position(double cost) const;                        // where a bar ends: 0 at the bound, 1 at the slowest row
  bool is_linear(double cost) const { return !bends_ || times(cost) <= bend; }
  // The numbers of the axis, in multiples of the bound, those first that others make room for: the first is 1.
  std::vector<double> marks() const;
  double position_of(double times) const { return position(times * bound_); }

 private:
  static constexpr double bend = 5;       // times the bound
  static constexpr double of_all = 0.78;  // of the width, up to there

  double bound_ = 1, last_ = 2;  // last_: of the slowest row, in multiples of the bound
  bool bends_ = false;           // else it is linear to its end
};

}  // namespace app
