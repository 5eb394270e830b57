// The results as a picture: overhead over the bound against the table's size, one line per algorithm, one panel per type.
#pragma once

#include <string>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

std::string svg_text(const Results& results);

}  // namespace gpu::benchmarks
