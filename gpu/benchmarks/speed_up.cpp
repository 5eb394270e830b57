#include "gpu/benchmarks/speed_up.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

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

Cell parse(const std::string& line) {
  std::istringstream words(line);
  std::string name, type, width, height, time;
  if (!std::getline(words, name, ',') || !std::getline(words, type, ',') || !std::getline(words, width, ',') ||
      !std::getline(words, height, ',') || !std::getline(words, time))
    throw std::runtime_error("is not name,type,width,height,microseconds");
  const auto* known = find_sat_type(type);
  if (!known) throw std::runtime_error("has an unknown type: '" + type + "'");
  const auto above_zero = [](const std::string& word, auto value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !(value > 0))
      throw std::runtime_error("has '" + word + "' instead of a number above 0");
    return value;
  };
  Cell cell{name, {}, known->type, {above_zero(width, 0), above_zero(height, 0)}, false, {}, {}};
  cell.timing.median = cell.timing.minimum = cell.timing.p90 = above_zero(time, 0.0);
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
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::vector<Cell> cells;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      cells.push_back(parse(line));
    } catch (const std::exception& error) {
      throw std::runtime_error(file + ", line " + std::to_string(number) + " " + error.what());
    }
  }
  return cells;
}

}  // namespace gpu::benchmarks
