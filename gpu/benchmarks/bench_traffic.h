// The algorithms' global memory traffic, from their descriptors' traffic(): nothing is run.
#pragma once

#include <string>

#include "gpu/benchmarks/bench_options.h"
#include "gpu/benchmarks/table.h"

namespace gpu::benchmarks {

// "1.12 + 4.06, 2": bytes per pixel that threads read and write, and launches.
std::string per_pixel(const Traffic& traffic, Size size);
// One table per type: rows are the options' algorithms that state their traffic, columns the options' sizes. Parameters have
// their initial values, or those of --set.
std::string traffic_text(const Options& options);
std::string traffic_markdown(const Options& options);

}  // namespace gpu::benchmarks
