#include "gpu/benchmarks/results.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "gpu/benchmarks/published.h"
#include "gpu/bounds.h"

namespace gpu::benchmarks {
namespace {

bool has_two_bounds(Device device, SatType type) { return device == Device::cuda && info(type).input != info(type).sum; }

}  // namespace

const Cell* Results::find(SatType type, Size size, const std::string& row) const {
  for (const auto& cell : cells)
    if (cell.type == type && cell.size == size && cell.row == row) return &cell;
  return nullptr;
}

const Cell* Results::bound(SatType type, Size size) const {
  const auto measured = [&](std::string_view name) {
    const auto* cell = find(type, size, std::string(name));
    return cell && cell->measured() ? cell : nullptr;
  };
  const auto* decisive = measured(decisive_bound(device, type));
  const auto* other = has_two_bounds(device, type) ? measured("copy") : nullptr;
  return decisive && other && other->timing.median < decisive->timing.median ? other : decisive;
}

std::string Results::bound_name(SatType type) const {
  return has_two_bounds(device, type) ? "the faster of copy and convert_copy" : std::string(decisive_bound(device, type));
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

}  // namespace gpu::benchmarks
