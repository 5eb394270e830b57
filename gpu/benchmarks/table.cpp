#include "gpu/benchmarks/reports.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {
namespace {

// Columns on a terminal: continuation bytes of UTF-8 take none.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

using Show = std::function<std::string(const Cell&)>;

// The first line holds the sizes, the first column the rows' names. Rows without a single entry are left out.
TextTable make_grid(const Results& results, SatType type, const std::string& corner, const Show& show) {
  TextTable grid{{corner}};
  for (const auto size : results.sizes) grid[0].push_back(text(size));
  for (const auto& row : results.rows) {
    std::vector<std::string> line{row};
    bool any = false;
    for (const auto size : results.sizes) {
      const auto* cell = results.find(type, size, row);
      line.push_back(cell ? show(*cell) : "");
      any = any || !line.back().empty();
    }
    if (any) grid.push_back(std::move(line));
  }
  return grid;
}

std::string time_and_overhead(const Results& results, const Cell& cell) {
  if (!cell.failure.empty()) return "FAILED";
  if (!cell.measured()) return "";
  const auto overhead = results.overhead(cell);
  if (std::isnan(overhead) || &cell == results.bound(cell.type, cell.size)) return number(cell.timing.median);
  return number(cell.timing.median) + " (" + std::to_string(std::lround(overhead)) + "%)";
}

std::string ours_and_published(const Results& results, const Cell& cell) {
  const auto ours = results.overhead(cell);
  const auto theirs = published(cell);
  return theirs && !std::isnan(ours) ? number(ours) + "% / " + number(*theirs) + "%" : std::string();
}

std::vector<std::pair<std::string, TextTable>> grids(const Results& results, SatType type) {
  const auto name = std::string(info(type).name);
  std::vector<std::pair<std::string, TextTable>> list;
  list.emplace_back(name + ": median time in us (overhead over " + results.bound_name(type) + ")",
                    make_grid(results, type, "us", [&](const Cell& cell) { return time_and_overhead(results, cell); }));
  list.emplace_back(name + ": median time in us of one run that is launched on an idle GPU, without a graph",
                    make_grid(results, type, "us", [](const Cell& cell) {
                      return cell.measured() && cell.timing.live > 0 ? number(cell.timing.live) : std::string();
                    }));
  list.emplace_back(name + ": GB/s of the bytes that must move", make_grid(results, type, "GB/s", [](const Cell& cell) {
                      return cell.measured() ? number(bandwidth(cell)) : std::string();
                    }));
  list.emplace_back(name + ": GB/s of the bytes that threads request",
                    make_grid(results, type, "GB/s", [](const Cell& cell) {
                      return cell.measured() && cell.traffic ? number(requested_bandwidth(cell)) : std::string();
                    }));
  list.emplace_back(name + ": time over own traffic (that of a copy of the bytes that threads request)",
                    make_grid(results, type, "times", [&](const Cell& cell) {
                      const auto ratio = results.over_own_traffic(cell);
                      return std::isnan(ratio) ? std::string() : number(ratio);
                    }));
  list.emplace_back(
      name + ": overhead, ours / published (" + std::string(published_source) + ")",
      make_grid(results, type, "ours / published", [&](const Cell& cell) { return ours_and_published(results, cell); }));
  const bool chosen = std::any_of(results.cells.begin(), results.cells.end(), [&](const Cell& cell) {
    return cell.type == type && !cell.arguments.empty() && cell.row.find(' ') == cell.row.npos;
  });
  if (chosen)
    list.emplace_back(name + ": the fastest parameters, used above",
                      make_grid(results, type, "parameters", [](const Cell& cell) { return cell.arguments; }));
  return list;
}

std::vector<std::string> header_lines(const Results& results) {
  const auto& machine = results.machine;
  std::vector<std::string> lines;
  auto line = machine.name + ", " + std::to_string(machine.units) +
              (results.device == Device::cuda ? " multiprocessor" : " thread") + (machine.units == 1 ? ", " : "s, ") +
              std::to_string((machine.memory_bytes + (1u << 29)) >> 30) + " GiB, " +
              std::to_string(machine.cache_bytes >> 20) + " MiB last cache";
  if (!machine.driver.empty()) line += ", driver " + machine.driver;
  if (!machine.cuda.empty()) line += " (CUDA " + machine.cuda + ")";
  lines.push_back(line);
  if (!results.clocks.empty()) lines.push_back(results.clocks);
  lines.push_back(results.hot ? "hot: one image and one table, used again in every run"
                              : "cold: images and tables rotated through more than four times the last cache");
  if (results.batch > 1)
    lines.push_back("batches of " + std::to_string(results.batch) +
                    " images; times per image, bounds of all images at once");
  if (results.layout != Layout::pitched)
    lines.push_back("rows: " + std::string(name(results.layout)) + " (bounds: " + std::string(name(Layout::pitched)) + ")");
  lines.push_back("every result verified before and after it was timed; random pixels; medians of at least " +
                  std::to_string(results.samples) + " samples");
  for (const auto& note : results.notes) lines.push_back("Note: " + note);
  return lines;
}

}  // namespace

std::string aligned(const TextTable& grid) {
  std::vector<std::size_t> widths(grid[0].size());
  for (const auto& line : grid)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  std::string text;
  for (const auto& line : grid) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string gap(widths[i] - width_of(line[i]), ' ');
      text += i == 0 ? line[i] + gap : "  " + gap + line[i];
    }
    text += '\n';
  }
  return text;
}

std::string piped(const TextTable& grid) {
  std::string text;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    text += '|';
    for (std::size_t column = 0; column < grid[i].size(); ++column)
      text += i > 0 && column == 0 ? " `" + grid[i][column] + "` |" : " " + grid[i][column] + " |";
    text += '\n';
    if (i > 0) continue;
    text += "|---|";
    for (std::size_t column = 1; column < grid[i].size(); ++column) text += "--:|";
    text += '\n';
  }
  return text;
}

std::string header_text(const Results& results) {
  std::string text;
  for (const auto& line : header_lines(results)) text += line + '\n';
  return text;
}

std::string terminal_text(const Results& results) {
  std::string text;
  for (const auto type : results.types)
    for (const auto& [title, grid] : grids(results, type))
      if (grid.size() > 1) text += '\n' + title + '\n' + aligned(grid);
  for (const auto& [title, grid] : speed_ups(results, results.peers)) text += '\n' + title + '\n' + aligned(grid);
  for (const auto& cell : results.cells)
    if (!cell.failure.empty())
      text += "\nFAILED: " + cell.row + (cell.arguments.empty() ? "" : " (" + cell.arguments + ")") + ", " +
              std::string(info(cell.type).name) + ", " + gpu::benchmarks::text(cell.size) + ": " + cell.failure + '\n';
  return text;
}

std::string markdown_text(const Results& results) {
  std::string text;
  for (const auto& line : header_lines(results)) text += line + "  \n";
  for (const auto type : results.types)
    for (const auto& [title, grid] : grids(results, type))
      if (grid.size() > 1) text += "\n**" + title + "**\n\n" + piped(grid);
  for (const auto& [title, grid] : speed_ups(results, results.peers)) text += "\n**" + title + "**\n\n" + piped(grid);
  return text;
}

namespace {

Arguments arguments_of(const SatAlgorithm& algorithm, const Options& options) {
  Arguments arguments(algorithm.parameters);
  for (const auto& [key, value] : options.set)
    if (arguments.has(key)) arguments.set(key, value);
  return arguments;
}

TextTable table_of(const Options& options, SatType type) {
  TextTable table{{std::string(info(type).name)}};
  for (const auto size : options.sizes) table[0].push_back(text(size));
  for (const auto* algorithm : options.algorithms) {
    if (!algorithm->traffic) continue;
    const auto arguments = arguments_of(*algorithm, options);
    table.push_back({std::string(algorithm->name)});
    for (const auto size : options.sizes)
      table.back().push_back(per_pixel(algorithm->traffic(size, type, arguments, GpuLimits{}), size));
  }
  return table;
}

constexpr const char* title =
    "bytes per pixel that threads read + write in global memory, launches; on a GPU with 132 multiprocessors";

}  // namespace

std::string per_pixel(const Traffic& traffic, Size size) {
  const auto pixels = static_cast<double>(size.pixels());
  return number(static_cast<double>(traffic.read_bytes) / pixels) + " + " +
         number(static_cast<double>(traffic.written_bytes) / pixels) + ", " + std::to_string(traffic.launches);
}

std::string traffic_text(const Options& options) {
  std::string text = std::string(title) + '\n';
  for (const auto type : options.types) text += '\n' + aligned(table_of(options, type));
  return text;
}

std::string traffic_markdown(const Options& options) {
  std::string text = "**" + std::string(title) + "**\n";
  for (const auto type : options.types) text += '\n' + piped(table_of(options, type));
  return text;
}

}  // namespace gpu::benchmarks
