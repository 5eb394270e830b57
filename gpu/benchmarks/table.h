// The results as text: for the terminal and as Markdown.
#pragma once

#include <string>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

// The machine, what was measured how, and warnings, a line each.
std::string header_text(const Results& results);
// A table a type: median time and overhead; bandwidth; the fastest parameters where there was a choice.
std::string terminal_text(const Results& results);
std::string markdown_text(const Results& results);

}  // namespace gpu::benchmarks
