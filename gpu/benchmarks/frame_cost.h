// What one frame of the program costs on a device, part by part: gray from colour, the table, and box blur, which on a GPU is
// drawn into the array of a texture. The upload is the bus's, and not measured.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "gpu/benchmarks/bench_options.h"

namespace gpu::benchmarks {

struct FramePart {
  std::string name;
  double graph_us = 0;    // median, as Meter::measure(); on the host of one run
  double live_us = 0;     // median, as Meter::measure_live()
  std::size_t bytes = 0;  // that it must at least read and write
};

// Of one algorithm and size, with initial parameters or --set, and the same images in every run, as in the program.
struct FrameCost {
  std::string algorithm;
  Size size;
  std::vector<FramePart> parts;  // in order; the last is all of them
  std::string failure;           // what is wrong with the table; empty: nothing
};

// Of the algorithms and sizes of the options. Throws CudaError, Interrupted.
std::vector<FrameCost> measure_frames(const Options& options, const std::atomic<bool>& stop);
std::string frames_text(const std::vector<FrameCost>& frames);
std::string frames_markdown(const std::vector<FrameCost>& frames);
std::string frames_json(const std::vector<FrameCost>& frames);

}  // namespace gpu::benchmarks
