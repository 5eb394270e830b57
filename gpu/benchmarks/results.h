// The measurements, as data: every report is made from this.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/benchmarks/conditions.h"
#include "gpu/benchmarks/stage.h"
#include "gpu/choice/meter.h"
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
  Layout layout = Layout::pitched;
  int batch = 1;    // images per run; times are of one
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
  // The measured bound over which overheads of this type and size are stated: on the host the decisive one (bounds.h), on a GPU
  // the fastest of all. Null if none was measured.
  const Cell* bound(SatType type, Size size) const;
  std::string bound_name(SatType type) const;
  // Over that bound, in percent; NaN if one of the two was not measured.
  double overhead(const Cell& cell) const;
  // The time divided by that of a copy of as many bytes as the algorithm itself requests (Cell::traffic), at the speed of
  // `copy` of the same type and size: how much slower it is than its traffic requires. NaN if one of them is unknown.
  double over_own_traffic(const Cell& cell) const;
};

// The overhead that the algorithm's paper states for its own implementation, in percent over a copy.
std::optional<double> published(const Cell& cell);
// Of the least possible traffic: the image read once, the table written once. GB/s.
double bandwidth(const Cell& cell);
// Of the bytes that threads request; the cell must have traffic. Above the memory's own if caches serve a part. GB/s.
double requested_bandwidth(const Cell& cell);
// "1920x1080"; squares: "4096²".
std::string text(Size size);
// 3 significant digits: "12.3", "0.65", "1242".
std::string number(double value);

// Published overheads over a copy, for comparison with ours. Of the papers behind the algorithms only Emoto et al. state any
// (published_source). Bugetti (2024) gives times without that of a copy, Chen et al. (2018) and Ha et al. (2012) give
// diagrams of speed-ups, Nakano (2013) no measurements.

inline constexpr std::string_view published_source = "Emoto et al. 2018, Table III: NVIDIA TITAN V, best W, over cudaMemcpy";

// In percent, of the paper's own implementation on its GPU; empty if the paper has none for that type and size.
std::optional<double> published_overhead(std::string_view algorithm, SatType type, Size size);

// Speed-ups over peers, as the papers 001 (over the sequential program) and 003 (over libraries) show their results.

// A table of speed-ups at one size: one row per algorithm, one column per type.
struct SpeedUps {
  std::string title;
  std::vector<std::vector<std::string>> grid;  // the first line holds the types, the first column the rows' names
};

// One table per peer and size at which the peer was measured.
std::vector<SpeedUps> speed_ups(const Results& results, const std::vector<std::string>& peers);

// Times of other programs (cv::integral: `satscope-bench-host --csv F`), as cells. A line of the file is
// name,type,width,height,microseconds. Throws std::runtime_error that names the file and the line.
std::vector<Cell> read_peer_times(const std::string& file);

}  // namespace gpu::benchmarks
