#include "gpu/benchmarks/reports.h"

#include <cmath>
#include <cstdio>

#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {
namespace {

std::string exact(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3f", value);
  return digits;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result + '"';
}

std::string cell_json(const Results& results, const Cell& cell) {
  std::string text = "{\"row\": " + in_quotes(cell.row) + ", \"arguments\": " + in_quotes(cell.arguments) +
                     ", \"type\": " + in_quotes(info(cell.type).name) + ", \"width\": " + std::to_string(cell.size.width) +
                     ", \"height\": " + std::to_string(cell.size.height) + ", \"bound\": " + (cell.bound ? "true" : "false");
  if (!cell.failure.empty()) return text + ", \"failure\": " + in_quotes(cell.failure) + "}";
  const auto overhead = results.overhead(cell);
  text += ", \"median_us\": " + exact(cell.timing.median) + ", \"min_us\": " + exact(cell.timing.minimum) +
          ", \"p90_us\": " + exact(cell.timing.p90) + ", \"samples\": " + std::to_string(cell.timing.samples) +
          ", \"runs_per_sample\": " + std::to_string(cell.timing.runs_per_sample) +
          ", \"graph\": " + (cell.timing.graph ? "true" : "false") +
          ", \"live_us\": " + (cell.timing.live > 0 ? exact(cell.timing.live) : "null") +
          ", \"gb_s\": " + exact(bandwidth(cell)) +
          ", \"overhead_percent\": " + (std::isnan(overhead) ? "null" : exact(overhead));
  if (cell.traffic)
    text += ", \"read_bytes\": " + std::to_string(cell.traffic->read_bytes) +
            ", \"written_bytes\": " + std::to_string(cell.traffic->written_bytes) +
            ", \"launches\": " + std::to_string(cell.traffic->launches) +
            ", \"requested_gb_s\": " + exact(requested_bandwidth(cell));
  if (const auto ratio = results.over_own_traffic(cell); !std::isnan(ratio))
    text += ", \"over_own_traffic\": " + exact(ratio);
  if (const auto theirs = published(cell)) text += ", \"published_overhead_percent\": " + exact(*theirs);
  return text + "}";
}

// Five fields, empty if unknown.
std::string traffic_fields(const Results& results, const Cell& cell) {
  const auto ratio = results.over_own_traffic(cell);
  const auto theirs = published(cell);
  const auto end = ',' + (std::isnan(ratio) ? "" : exact(ratio)) + ',' + (theirs ? exact(*theirs) : "");
  if (!cell.traffic) return ",," + end;
  return std::to_string(cell.traffic->read_bytes) + ',' + std::to_string(cell.traffic->written_bytes) + ',' +
         std::to_string(cell.traffic->launches) + end;
}

}  // namespace

std::string csv_text(const Results& results) {
  std::string text =
      "row,arguments,type,width,height,median_us,min_us,p90_us,live_us,samples,runs_per_sample,gb_s,overhead_percent,read_"
      "bytes,"
      "written_bytes,launches,over_own_traffic,published_overhead_percent,failure\n";
  for (const auto& cell : results.cells) {
    text += cell.row + ',' + cell.arguments + ',' + std::string(info(cell.type).name) + ',' +
            std::to_string(cell.size.width) + ',' + std::to_string(cell.size.height) + ',';
    if (cell.measured()) {
      const auto overhead = results.overhead(cell);
      text += exact(cell.timing.median) + ',' + exact(cell.timing.minimum) + ',' + exact(cell.timing.p90) + ',' +
              (cell.timing.live > 0 ? exact(cell.timing.live) : "") + ',' + std::to_string(cell.timing.samples) + ',' +
              std::to_string(cell.timing.runs_per_sample) + ',' + exact(bandwidth(cell)) + ',' +
              (std::isnan(overhead) ? "" : exact(overhead)) + ',' + traffic_fields(results, cell) + ",\n";
    } else {
      text += ",,,,,,,,,,,,," + in_quotes(cell.failure) + '\n';
    }
  }
  return text;
}

std::string json_text(const Results& results) {
  const auto& machine = results.machine;
  std::string text = "{\n  \"device\": " + in_quotes(name(results.device)) + ",\n  \"machine\": " + in_quotes(machine.name) +
                     ",\n  \"units\": " + std::to_string(machine.units) +
                     ",\n  \"memory_bytes\": " + std::to_string(machine.memory_bytes) +
                     ",\n  \"cache_bytes\": " + std::to_string(machine.cache_bytes) +
                     ",\n  \"driver\": " + in_quotes(machine.driver) + ",\n  \"cuda\": " + in_quotes(machine.cuda) +
                     ",\n  \"clocks\": " + in_quotes(results.clocks) +
                     ",\n  \"buffers\": " + (results.hot ? "\"hot\"" : "\"cold\"") +
                     ",\n  \"layout\": " + in_quotes(name(results.layout)) +
                     ",\n  \"batch\": " + std::to_string(results.batch) + ",\n  \"notes\": [";
  for (std::size_t i = 0; i < results.notes.size(); ++i) text += (i ? ", " : "") + in_quotes(results.notes[i]);
  text += "],\n  \"published_source\": " + in_quotes(published_source) + ",\n  \"decisive_bounds\": {";
  for (std::size_t i = 0; i < results.types.size(); ++i)
    text += (i ? ", " : "") + in_quotes(info(results.types[i]).name) + ": " +
            in_quotes(results.bound_name(results.types[i]));
  text += "},\n  \"cells\": [";
  for (std::size_t i = 0; i < results.cells.size(); ++i)
    text += (i ? ",\n    " : "\n    ") + cell_json(results, results.cells[i]);
  return text + "\n  ]\n}\n";
}

}  // namespace gpu::benchmarks
