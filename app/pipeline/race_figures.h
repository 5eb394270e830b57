// RaceFigures: what a race has measured so far, as plain data: for the panel, the export and the table on the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace app {

// One algorithm with its arguments, or a bound.
struct RaceRow {
  enum class Check { none, equal, wrong };  // of its tables, with the reference; none: not checked yet

  std::string name;   // of the algorithm, or of the bound
  std::string label;  // "2r1w"; "2r1w W=64" where the race has several of that name. No two rows have the same.
  gpu::Arguments arguments;
  bool bound = false;
  int runs = 0;                      // timed
  double us = 0, least_us = 0;       // median and minimum of the runs
  std::optional<double> over_bound;  // us divided by that of the bound; none on the simulated GPU
  // Of the bytes that its threads request (SatAlgorithm::traffic) or, where nobody counts them (on the host, in libraries), of
  // those that it must move at least; none for bounds, and on the simulated GPU.
  std::optional<double> gb_per_s;
  Check check = Check::none;
  std::string problem;  // what is wrong with its table, or how it failed, one line; empty: nothing
};

struct RaceFigures {
  bool on = false;        // it was started and not stopped
  bool finished = false;  // every row has its runs
  bool earlier = false;   // finished, and what is shown now has another source, size or device
  gpu::Device device = gpu::Device::host;
  gpu::Size size;             // of the picture; {0,0}: there was no race
  std::string source;         // of the picture
  std::vector<RaceRow> rows;  // the fastest first; at the end those that have not run yet
  std::string bound;          // the row by which the others are divided; empty: none
  int runs = 0, runs_wanted = 0;
  std::string problem;  // why there is no race though it was started, one line; empty if there is one
  // Algorithms that cannot take part, and why, one line each.
  struct Absent {
    std::string name, why;
  };
  std::vector<Absent> absent;

  bool running() const { return on && !finished; }
};

}  // namespace app
