#include "gpu/benchmarks/results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "gpu/benchmarks/peer_times.h"
#include "gpu/choice/bounds.h"

namespace gpu::benchmarks {

const Cell* Results::find(SatType type, Size size, const std::string& row) const {
  for (const auto& cell : cells)
    if (cell.type == type && cell.size == size && cell.row == row) return &cell;
  return nullptr;
}

const Cell* Results::bound(SatType type, Size size) const {
  const Cell* least = nullptr;
  for (const auto& one : gpu::bounds(device)) {
    if (device == Device::host && one.name != decisive_bound(device, type)) continue;
    const auto* cell = find(type, size, std::string(one.name));
    if (cell && cell->measured() && (!least || cell->timing.median < least->timing.median)) least = cell;
  }
  return least;
}

std::string Results::bound_name(SatType type) const {
  return device == Device::host ? std::string(decisive_bound(device, type))
                                : "the fastest of copy, convert_copy and convert_words";
}

double Results::overhead(const Cell& cell) const {
  const auto* least = bound(cell.type, cell.size);
  if (!least || !cell.measured()) return std::numeric_limits<double>::quiet_NaN();
  return (cell.timing.median / least->timing.median - 1) * 100;
}

double Results::over_own_traffic(const Cell& cell) const {
  const auto* copy = find(cell.type, cell.size, "copy");
  if (!copy || !copy->measured() || !cell.measured() || !cell.traffic) return std::numeric_limits<double>::quiet_NaN();
  return bandwidth(*copy) / requested_bandwidth(cell);
}

std::optional<double> published(const Cell& cell) {
  return published_overhead(cell.row.substr(0, cell.row.find(' ')), cell.type, cell.size);
}

double bandwidth(const Cell& cell) {
  const auto& types = info(cell.type);
  return static_cast<double>(cell.size.pixels()) * static_cast<double>(size_of(types.input) + size_of(types.sum)) /
         cell.timing.median / 1000;
}

double requested_bandwidth(const Cell& cell) {
  return static_cast<double>(cell.traffic->read_bytes + cell.traffic->written_bytes) / cell.timing.median / 1000;
}

std::string text(Size size) {
  if (size.width == size.height) return std::to_string(size.width) + "²";
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::string number(double value) {
  char digits[32];
  const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  std::snprintf(digits, sizeof digits, "%.*f", decimals, value);
  return digits;
}

namespace {

constexpr int sides[] = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

struct Row {
  std::string_view algorithm;
  double percent[std::size(sides)];
};
// In the paper each of these rows is below its algorithm's times.
constexpr Row table_3[] = {
    {"2r2w", {1659.8, 2619.9, 1948.5, 1465.9, 984.4, 813.7, 561.2, 492.5}},
    {"2r2w_optimal", {337.5, 264.8, 183.0, 110.9, 101.7, 100.6, 103.8, 104.1}},
    {"2r1w", {214.5, 211.1, 196.4, 118.6, 83.1, 65.0, 57.5, 55.1}},
    {"1r1w", {487.9, 963.5, 1075.8, 523.3, 265.4, 117.9, 68.8, 42.9}},
    {"1_plus_r_r1w", {784.8, 803.9, 390.3, 191.5, 118.1, 72.6, 57.5, 40.1}},
    {"1r1w_skss", {482.0, 479.8, 267.3, 92.2, 34.6, 23.0, 13.3, 10.2}},
    {"1r1w_skss_lb", {146.1, 121.5, 26.1, 16.7, 8.9, 5.7, 6.2, 7.5}},
};

}  // namespace

std::optional<double> published_overhead(std::string_view algorithm, SatType type, Size size) {
  const auto* side = std::find(std::begin(sides), std::end(sides), size.width);
  if (type != SatType::f32_f32 || size.width != size.height || side == std::end(sides)) return {};
  for (const auto& row : table_3)
    if (row.algorithm == algorithm) return row.percent[side - std::begin(sides)];
  return {};
}

namespace {

std::string factor(const Cell* peer, const Cell* cell) {
  if (!peer || !cell || !peer->measured() || !cell->measured()) return {};
  return number(peer->timing.median / cell->timing.median) + "x";
}

SpeedUps over(const Results& results, const std::string& peer, Size size) {
  SpeedUps table{"speed-up over " + peer + ", " + text(size), {{"faster than " + peer}}};
  for (const auto type : results.types) table.grid[0].emplace_back(info(type).name);
  for (const auto& row : results.rows) {
    std::vector<std::string> line{row};
    for (const auto type : results.types)
      line.push_back(factor(results.find(type, size, peer), results.find(type, size, row)));
    const bool any = std::any_of(line.begin() + 1, line.end(), [](const auto& entry) { return !entry.empty(); });
    if (any && row != peer) table.grid.push_back(std::move(line));
  }
  return table;
}

Cell parse_cell(const std::string& line) {
  const auto fields = split_fields(line, "name,type,width,height,microseconds");
  const auto* known = find_sat_type(fields[1]);
  if (!known) throw std::runtime_error("has an unknown type: '" + fields[1] + "'");
  Cell cell{fields[0], {}, known->type, {whole_field(fields[2]), whole_field(fields[3])}, false, {}, {}};
  cell.timing.median = cell.timing.minimum = cell.timing.p90 = real_field(fields[4]);
  cell.timing.samples = 1;
  return cell;
}

}  // namespace

std::vector<SpeedUps> speed_ups(const Results& results, const std::vector<std::string>& peers) {
  std::vector<SpeedUps> tables;
  for (const auto& peer : peers)
    for (const auto size : results.sizes)
      if (auto table = over(results, peer, size); table.grid.size() > 1) tables.push_back(std::move(table));
  return tables;
}

std::vector<Cell> read_peer_times(const std::string& file) {
  std::vector<Cell> cells;
  read_peer_lines(file, [&](const std::string& line) { cells.push_back(parse_cell(line)); });
  return cells;
}

}  // namespace gpu::benchmarks
