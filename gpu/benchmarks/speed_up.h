// Speed-ups over peers: how the papers 001 (over the sequential program) and 003 (over libraries) show their results.
#pragma once

#include <string>
#include <vector>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

// What a table of speed-ups says: algorithms down, types across, at one size.
struct SpeedUps {
  std::string title;
  std::vector<std::vector<std::string>> grid;  // the first line holds the types, the first column the rows' names
};

// One for each of `peers` and each size at which the peer was measured.
std::vector<SpeedUps> speed_ups(const Results& results, const std::vector<std::string>& peers);

// Times of programs that are not in this one (cv::integral: `satscope-bench-host --csv F`), as cells. A line of the file:
// name,type,width,height,microseconds. Throws std::runtime_error that names the file and the line.
std::vector<Cell> read_peer_times(const std::string& file);

}  // namespace gpu::benchmarks
