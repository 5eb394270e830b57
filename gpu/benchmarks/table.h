// The results as text: for the terminal and as Markdown.
#pragma once

#include <string>
#include <vector>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

// The first line holds the columns' names, the first column the rows'. As text: aligned for a terminal, or Markdown.
using TextTable = std::vector<std::vector<std::string>>;
std::string aligned(const TextTable& table);
std::string piped(const TextTable& table);

// The machine, what was measured how, and warnings, a line each.
std::string header_text(const Results& results);
// Tables per type: median time and overhead; bandwidths; time over own traffic; overheads beside those that papers publish;
// the fastest parameters where there was a choice.
std::string terminal_text(const Results& results);
std::string markdown_text(const Results& results);

}  // namespace gpu::benchmarks
