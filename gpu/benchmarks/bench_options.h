// The command line of satscope-bench.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/benchmarks/stage.h"
#include "gpu/sat.h"

namespace gpu::benchmarks {

struct Options {
  Device device = Device::cuda;
  std::string device_note;                      // why it is not the GPU, if --device was `auto`
  std::vector<const SatAlgorithm*> algorithms;  // of `device`
  std::vector<SatType> types;
  std::vector<Size> sizes;
  std::vector<std::pair<std::string, std::string>> set;  // parameters held fixed
  std::vector<std::string> over;  // peers of speed-ups: algorithms of either device, or named in peer_times
  std::string peer_times;         // a file with times of other programs; "none": not even those of a program beside this one
  bool reads_peer_times() const { return !peer_times.empty() && peer_times != "none"; }
  bool all_parameters = false;
  bool hot = false;
  Layout layout = Layout::pitched;
  int batch = 1;                                // images of a size per run
  bool latencies = false;                       // of the GPU's operations, instead of the algorithms
  bool traffic = false;                         // bytes and launches as the algorithms state them, instead of times
  bool frame = false;                           // of a whole frame of the program, instead of the tables
  bool detect = false;                          // cascades, instead of the tables
  std::vector<std::string> cascades, pictures;  // files, for `detect`
  bool progress = true;
  int samples = 50;
  double seconds = 0;  // no cell starts later than this; 0 is no limit
  std::string markdown, csv, json, svg;
  bool help = false;
};

class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class NoGpuError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws UsageError for unknown words (and names the nearest known one), NoGpuError if a GPU was asked for and there is
// none.
Options parse_options(int count, const char* const* words);
std::string help_text();

}  // namespace gpu::benchmarks
