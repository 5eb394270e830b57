// The bars of the race: their scale, and how one is drawn.
#pragma once

#include "app/pipeline/race_figures.h"

namespace app::ui {

struct RaceScale {
  double full = 0;   // RaceFigures::cost() at the right end
  double bound = 0;  // of the bound; 0: there is none

  bool clips(double cost) const { return cost > full * 1.0001; }
};
// Holds every bar, but for those of the slowest quarter that are several times as long as the shortest.
RaceScale race_scale(const RaceFigures& race);

// Fills the rest of a table's cell. A bar that is longer than the scale ends in a mark, with its time or bytes.
void race_bar(const RaceFigures& race, const RaceRow& row, const RaceScale& scale);

}  // namespace app::ui
