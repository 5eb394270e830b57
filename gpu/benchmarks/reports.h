// The results as text, for the terminal and as Markdown; as CSV and JSON; as a picture.
#pragma once

#include <string>
#include <vector>

#include "gpu/benchmarks/bench_options.h"
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

// As CSV and JSON.
std::string csv_text(const Results& results);
std::string json_text(const Results& results);

// As a picture: overhead over the bound against the table's size, one line per algorithm, one panel per type.
std::string svg_text(const Results& results);

// The algorithms' global memory traffic, from their descriptors' traffic(): nothing is run.

// "1.12 + 4.06, 2": bytes per pixel that threads read and write, and launches.
std::string per_pixel(const Traffic& traffic, Size size);
// One table per type: rows are the options' algorithms that state their traffic, columns the options' sizes. Parameters have
// their initial values, or those of --set.
std::string traffic_text(const Options& options);
std::string traffic_markdown(const Options& options);

}  // namespace gpu::benchmarks
