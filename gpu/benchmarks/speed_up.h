// Speed-ups over peers, as the papers 001 (over the sequential program) and 003 (over libraries) show their results.
#pragma once

#include <string>
#include <vector>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

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
