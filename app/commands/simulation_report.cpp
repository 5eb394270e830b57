#include "app/commands/simulation_report.h"

#include <algorithm>

namespace app {
namespace {

constexpr double sector_bytes = 32;

std::optional<double> ratio(double part, double whole) { return whole > 0 ? std::optional(part / whole) : std::nullopt; }

}  // namespace

std::string text_of(const gpu::simulated::Schedule& schedule) {
  return schedule.kind == gpu::simulated::Schedule::Kind::in_order ? "in-order" : "random:" + std::to_string(schedule.seed);
}

bool SimulationReport::failed() const {
  return std::any_of(algorithms.begin(), algorithms.end(), [](const auto& a) { return a.failed(); });
}

SimulationFigures figures_of(const gpu::simulated::Simulation& simulation, gpu::Size size) {
  const auto& counts = simulation.counts;
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  const auto per_pixel = [&](std::uint64_t count) { return number(count) / static_cast<double>(size.pixels()); };
  SimulationFigures figures{};
  figures.read_bytes = per_pixel(counts.read.bytes);
  figures.written_bytes = per_pixel(counts.written.bytes);
  figures.read_sectors = per_pixel(counts.read.sectors);
  figures.written_sectors = per_pixel(counts.written.sectors);
  figures.coalescing = ratio(number(counts.read.bytes + counts.written.bytes),
                             number(counts.read.sectors + counts.written.sectors) * sector_bytes);
  figures.bank_conflict_factor = ratio(number(counts.shared_stages), number(counts.shared_stages_without_conflicts));
  figures.barriers = per_pixel(counts.barriers);
  figures.shuffles = per_pixel(counts.shuffles);
  figures.atomics = per_pixel(counts.atomics);
  figures.polls = per_pixel(counts.polls);
  figures.poll_bytes = per_pixel(counts.poll_bytes);
  if (simulation.formula_units) figures.formula_ratio = ratio(number(simulation.umm_units), *simulation.formula_units);
  return figures;
}

}  // namespace app
