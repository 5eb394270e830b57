// The results as text: for the terminal and as Markdown.
#pragma once

#include <string>
#include <vector>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

// The first line holds the columns' names, the first column the rows'.
using TextTable = std::vector<std::vector<std::string>>;
std::string aligned(const TextTable& table);  // for a terminal
std::string piped(const TextTable& table);    // Markdown

// The machine, how the measurements were made, and warnings, one line each.
std::string header_text(const Results& results);
// For each type: median times and overheads; bandwidths; times over own traffic; overheads beside published ones; the
// fastest parameters if there was a choice.
std::string terminal_text(const Results& results);
std::string markdown_text(const Results& results);

}  // namespace gpu::benchmarks
