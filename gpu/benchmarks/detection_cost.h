// What detection by a cascade costs: from a gray frame in the device's memory to grouped detections on the host, and part by part.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/benchmarks/bench_options.h"
#include "gpu/benchmarks/peer_times.h"

namespace gpu::benchmarks {

struct DetectionCost {
  std::string picture, cascade;
  Size size;
  std::size_t levels = 0, windows = 0, found = 0, detections = 0;  // windows: of all levels; found: by the cascade
  double median_us = 0, least_us = 0;                              // by the host's clock
  std::vector<std::pair<std::string, double>> parts;               // on a GPU: medians in us, with what measuring each adds
  std::optional<PeerDetection> peer;                               // of the same picture and cascade
  std::string failure;  // how the result differs from the host's; empty: it does not
};

// Every cascade of the options on every picture, or without pictures on waves and noise of every size. Without a file of OpenCV's
// times satscope-bench-host measures them, where it is. Throws UsageError for files that cannot be read, std::runtime_error for a
// file of OpenCV's times that cannot be read or has none of these, CudaError, Interrupted.
std::vector<DetectionCost> measure_detections(const Options& options, const std::atomic<bool>& stop);
std::string detections_text(const std::vector<DetectionCost>& costs);
std::string detections_markdown(const std::vector<DetectionCost>& costs);

}  // namespace gpu::benchmarks
