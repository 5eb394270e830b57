// The columns of the race's table, its bars among them: those for which there is room. What is left out stays in the tooltip of
// every row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/control/settings.h"
#include "app/output/race_figures.h"

namespace app::ui {

// Rows that all others are compared with; null: none.
struct RacePins {
  const RaceRow *a = nullptr, *b = nullptr;
};
RacePins pinned_rows(const RaceFigures& race, const Settings& settings);
// What `row` is ranked by, divided by that of `to`; empty where it is not known.
std::string ratio(const RaceFigures& race, const RaceRow& row, const RaceRow& to);

// Whether those of any row were counted: at the end of a race, where the observed simulated GPU is built.
bool has_sectors(const RaceFigures& race);

struct RaceNumber {
  std::string title;
  std::string help;
  std::function<std::string(const RaceRow&)> text;
  float width = 0;
  bool gray = false;  // says nothing about the algorithm
};

struct RaceColumns {
  float pins = 0, names = 0, check = 0;  // widths; the bars have the rest
  std::vector<RaceNumber> numbers;
  float padding = 0;  // at both sides of each column
};
// In a table `room` pixels wide, in the current font. `scale`: of the display.
RaceColumns race_columns(const RaceFigures& race, const RacePins& pins, float room, float scale);

// The row's label; of one that is too long the parameters are shortened, not the name.
std::string label_within(const RaceRow& row, float room);

// The scale of the bars.
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
