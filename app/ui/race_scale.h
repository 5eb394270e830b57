// What race and study show alike: the figures of a row; and the scale of the race's bars.
#pragma once

#include <string>
#include <vector>

#include "app/output/race_figures.h"

namespace app::ui {

// All that was measured of a row, in lines that each begin with \n.
std::string row_figures(const RaceFigures& race, const RaceRow& row);

// Bars begin at the bound: they are linear up to five times the bound, and logarithmic beyond.
class RaceScale {
 public:
  explicit RaceScale(const RaceFigures& race);

  double times(double cost) const { return cost / bound_; }  // the bound, or where there is none the best row
  double position(double cost) const;                        // where a bar ends: 0 at the bound, 1 at the slowest row
  bool is_linear(double cost) const { return !bends_ || times(cost) <= bend; }
  // The numbers of the axis, in multiples of the bound: the first is 1.
  std::vector<double> marks() const;
  double position_of(double times) const { return position(times * bound_); }

 private:
  static constexpr double bend = 5;       // times the bound
  static constexpr double of_all = 0.78;  // of the width, up to there

  double bound_ = 1, last_ = 2;  // last_: of the slowest row, in multiples of the bound
  bool bends_ = false;           // else it is linear to its end
};

}  // namespace app::ui
