#include "gpu/benchmarks/speed_up.h"

#include <algorithm>
#include <stdexcept>

#include "gpu/benchmarks/peer_times.h"

namespace gpu::benchmarks {
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
