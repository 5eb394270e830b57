// What the algorithms move through global memory, from their descriptors' traffic(): nothing is run.
#pragma once

#include <string>

#include "gpu/benchmarks/bench_options.h"
#include "gpu/benchmarks/table.h"

namespace gpu::benchmarks {

// "1.12 + 4.06, 2": bytes per pixel that threads read and write, and launches.
std::string per_pixel(const Traffic& traffic, Size size);
// A table per type: rows are the options' algorithms that know their traffic, columns their sizes. Parameters are initial,
// or as --set has them.
std::string traffic_text(const Options& options);
std::string traffic_markdown(const Options& options);

}  // namespace gpu::benchmarks
