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
  std::string json;    // a file; "-": the standard output, without the tables
  bool help = false;

  // The initial values, and those of `set`. Throws ArgumentError.
  Arguments arguments_of(const SatAlgorithm& algorithm) const;
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
