// The command line of satscope-bench, and what it measures, each in a file of its own: tables, frames, detections, and the costs of
// operations. As text and as JSON, of which satscope_bench_report.py makes all other reports.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/benchmarks/results.h"
#include "gpu/benchmarks/stage.h"
#include "gpu/sat.h"
#include "gpu/simulated/latency_model.h"

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

class NoGpuError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws ArgumentError for unknown words (and names the nearest known one), NoGpuError if a GPU was asked for and there is
// none.
Options parse_options(int count, const char* const* words);
std::string help_text();

// Runs every cell of the table: for each type and size the bounds, then each algorithm with its fastest parameters.
// Returns what was measured, even if `stop` was set or a cell failed. Throws CudaError if the GPU cannot be used any more.
Results run_suite(const Options& options, const std::atomic<bool>& stop);

// Global memory traffic as the options' algorithms state it, with initial parameters or --set: nothing is run.
Results stated_traffic(const Options& options);

// What one frame of the program costs on a device, part by part: gray from colour, the table, and box blur, which on a GPU is
// drawn into the array of a texture. The upload is the bus's, and not measured.
struct FramePart {
  std::string name;
  double graph_us = 0;    // median, as Meter::measure(); on the host of one run
  double live_us = 0;     // median, as Meter::measure_live()
  std::size_t bytes = 0;  // that it must at least read and write
};

// The cost for one algorithm and size, with initial parameters or --set, and the same images in every run, as in the program.
struct FrameCost {
  std::string algorithm;
  Size size;
  std::vector<FramePart> parts;  // in order; the last is all of them
  std::string failure;           // what is wrong with the table; empty: nothing
};

// The costs for the algorithms and sizes of the options. Throws CudaError, Interrupted.
std::vector<FrameCost> measure_frames(const Options& options, const std::atomic<bool>& stop);
std::string frames_text(const std::vector<FrameCost>& frames);
std::string frames_json(const std::vector<FrameCost>& frames);

// What detection by a cascade costs: from a gray frame in the device's memory to grouped detections on the host, and part by part.
struct DetectionCost {
  std::string picture, cascade;            // names of their files, without extension
  std::string picture_file, cascade_file;  // absolute paths; no file: empty
  Size size;
  std::size_t levels = 0, windows = 0, found = 0, detections = 0;  // windows: of all levels; found: by the cascade
  double median_us = 0, least_us = 0;                              // by the host's clock
  std::vector<std::pair<std::string, double>> parts;               // on a GPU: medians in us, with what measuring each adds
  std::string failure;  // how the result differs from the host's; empty: it does not
};

// Every cascade of the options on every picture, or without pictures on waves and noise of every size. Throws ArgumentError for files
// that cannot be read, CudaError, Interrupted.
std::vector<DetectionCost> measure_detections(const Options& options, const std::atomic<bool>& stop);
std::string detections_text(const std::vector<DetectionCost>& costs);
std::string detections_json(const std::vector<DetectionCost>& costs);

// What shuffles, shared memory and additions cost on the GPU at hand, measured: the inputs of the performance model in
// gpu/simulated/latency_model.h (Chen et al. 2018, sec. V.A, measured likewise).
using simulated::GpuLatencies;

// Latencies: clocks per instruction of one warp, in a chain where each needs the result of the one before. Throughputs:
// lanes per clock of one multiprocessor, kept busy by 32 warps of independent chains; from shared memory, each lane loads a
// word of 4 bytes. Work is queued on `stream` of the current GPU, and the function waits for it: a few milliseconds. Throws
// CudaError.
GpuLatencies measure_latencies(cudaStream_t stream);

// A table, and a JSON object: {"machine": "...", "operations": [{"operation", "latency_clocks", "lanes_per_clock"}]}.
std::string latencies_text(const GpuLatencies& gpu);
std::string latencies_json(const GpuLatencies& gpu);

}  // namespace gpu::benchmarks
