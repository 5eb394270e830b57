// The measurements, as data: every report is made from this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/benchmarks/bench_machine.h"
#include "gpu/benchmarks/measure.h"
#include "gpu/sat.h"

namespace gpu::benchmarks {

// One row of the table at one type and size.
struct Cell {
  std::string row;        // "2r1w", or "2r1w W=64" with --all-parameters; a bound's name
  std::string arguments;  // "W=64"
  SatType type;
  Size size;
  bool bound = false;
  Timing timing;                        // samples == 0: not measured
  std::string failure;                  // why not, or what was wrong with the result; empty if it is correct
  std::optional<Traffic> traffic = {};  // if the algorithm states it
  bool measured() const { return timing.samples > 0 && failure.empty(); }
};

struct Results {
  Device device;
  bool hot = false;
  int samples = 0;  // at least as many per cell
  Machine machine;
  std::string clocks;
  std::vector<std::string> notes;  // warnings; what is missing, and why
  std::vector<SatType> types;
  std::vector<Size> sizes;
  std::vector<std::string> rows;   // bounds first
  std::vector<Cell> cells;         // also of peers that have no row
  std::vector<std::string> peers;  // over which speed-ups are computed

  const Cell* find(SatType type, Size size, const std::string& row) const;
  // The measured bound over which overheads of this type and size are stated: the decisive one (bounds.h), or on a GPU, if image
  // and table have different types, the faster of `copy` and `convert_copy`. Null if it was not measured.
  const Cell* bound(SatType type, Size size) const;
  std::string bound_name(SatType type) const;
  // Over that bound, in percent; NaN if one of the two was not measured.
  double overhead(const Cell& cell) const;
  // The time divided by that of a copy of as many bytes as the algorithm itself requests (Cell::traffic), at the speed of
  // `copy` of the same type and size: how much slower it is than its traffic requires. NaN if one of them is unknown.
  double over_own_traffic(const Cell& cell) const;
};

// The overhead that the algorithm's paper states for its own implementation, in percent over a copy (published.h).
std::optional<double> published(const Cell& cell);
// Of the least possible traffic: the image read once, the table written once. GB/s.
double bandwidth(const Cell& cell);
// Of the bytes that threads request; the cell must have traffic. Above the memory's own if caches serve a part. GB/s.
double requested_bandwidth(const Cell& cell);
// "1920x1080"; squares: "4096²".
std::string text(Size size);
// 3 significant digits: "12.3", "0.65", "1242".
std::string number(double value);

}  // namespace gpu::benchmarks
