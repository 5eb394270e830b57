// The results as CSV and JSON.
#pragma once

#include <string>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

std::string csv_text(const Results& results);
std::string json_text(const Results& results);

}  // namespace gpu::benchmarks
