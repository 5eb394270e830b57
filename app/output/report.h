// The timings of a run, as JSON or CSV.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/pipeline/pipeline.h"
#include "gpu/device.h"
#include "gpu/timeline.h"

namespace app {

// Everything an export says. Kernel times are in microseconds, frame times in milliseconds.
struct Report {
  std::string device;      // "NVIDIA H200", or the processor's name
  std::string driver;      // CUDA versions, or "host, 2 threads"
  bool simulated = false;  // the kernels ran on the simulated GPU: their times are the CPU's
  std::string source;      // as described by the source
  gpu::Size size;
  Selection selection;
  std::uint64_t frames = 0;   // processed
  std::uint64_t dropped = 0;  // read by the source, and replaced before they were taken
  std::vector<double> frame_ms;  // wall time from each new picture to the next
  std::vector<double> work_ms;   // of the main thread, without waiting for the source
  double seconds = 0;            // from the first picture to the last
  std::vector<gpu::TimelineRow> kernels;
  gpu::TimelineRow total;        // of all kernels of a frame, from the first's start to the last's end
  bool interop = false;
  std::string staged_reason;
};

std::string report_json(const Report& report);
// One row a kernel; the rows "frame" (wall time) and "all kernels" come first. Lines starting with # say the rest.
std::string report_csv(const Report& report);

// By the ending of `path`. Throws std::runtime_error with one line.
void export_report(const std::filesystem::path& path, const Report& report);

}  // namespace app
