#include "app/commands/simulation_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/text.h"
#include "gpu/simulated/memory_machine.h"

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
  figures.written_in_part = per_pixel(counts.written.in_part);
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

namespace {

using json = nlohmann::ordered_json;
using gpu::simulated::Simulation;

json number_or_null(std::optional<double> value) { return value && std::isfinite(*value) ? json(*value) : json(nullptr); }

json races_json(const std::vector<gpu::simulated::Race>& races) {
  auto array = json::array();
  for (const auto& race : races)
    array.push_back({{"what", race.what}, {"first", race.first}, {"second", race.second}, {"times", race.times}});
  return array;
}

// An object with the same keys for every algorithm, whatever its result.
json algorithm_json(const SimulatedAlgorithm& algorithm, gpu::Size size) {
  const auto& simulation = algorithm.simulation;
  const auto figures = figures_of(simulation.value_or(Simulation{}), size);
  const auto figure = [&](auto member) { return simulation ? number_or_null(figures.*member) : json(nullptr); };
  const auto count = [&](auto member) { return simulation ? json((*simulation).*member) : json(nullptr); };
  using Figures = SimulationFigures;
  json object{{"name", algorithm.run.algorithm->name},
              {"parameters", json_of(algorithm.run.arguments)},
              {"equal", simulation && simulation->equal},
              {"launches", count(&Simulation::launches)},
              {"read_bytes_per_pixel", figure(&Figures::read_bytes)},
              {"written_bytes_per_pixel", figure(&Figures::written_bytes)},
              {"read_sectors_per_pixel", figure(&Figures::read_sectors)},
              {"written_sectors_per_pixel", figure(&Figures::written_sectors)},
              {"sectors_written_in_part_per_pixel", figure(&Figures::written_in_part)},
              {"coalescing", figure(&Figures::coalescing)},
              {"bank_conflict_factor", figure(&Figures::bank_conflict_factor)},
              {"barriers_per_pixel", figure(&Figures::barriers)},
              {"shuffles_per_pixel", figure(&Figures::shuffles)},
              {"atomics_per_pixel", figure(&Figures::atomics)},
              {"polls_per_pixel", figure(&Figures::polls)},
              {"poll_bytes_per_pixel", figure(&Figures::poll_bytes)},
              {"races", simulation ? races_json(simulation->races) : json::array()},
              {"umm_units", count(&Simulation::umm_units)},
              {"dmm_umm_units", count(&Simulation::dmm_umm_units)},
              {"formula_units", simulation ? number_or_null(simulation->formula_units) : json(nullptr)},
              {"formula_ratio", figure(&Figures::formula_ratio)}};
  if (const auto bound = gpu::simulated::paper_bound(algorithm.run.algorithm->name, {})) object["formula"] = bound->formula;
  if (simulation && !simulation->equal) object["mismatch"] = simulation->mismatch;
  if (!algorithm.fault.empty()) object["fault"] = algorithm.fault;
  return object;
}

}  // namespace

std::string simulation_json(const SimulationReport& report) {
  const auto& conditions = report.conditions;
  json object{{"size", {conditions.size.width, conditions.size.height}},
              {"type", gpu::info(conditions.type).name},
              {"width", conditions.width},
              {"latency", conditions.latency},
              {"blocks", conditions.gpu.resident_blocks},
              {"schedule", text_of(conditions.gpu.schedule)},
              {"algorithms", json::array()},
              {"left_out", json::array()}};
  for (const auto& algorithm : report.algorithms) object["algorithms"].push_back(algorithm_json(algorithm, conditions.size));
  for (const auto& [name, reason] : report.left_out) object["left_out"].push_back({{"name", name}, {"reason", reason}});
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

namespace {

using gpu::simulated::Simulation;

constexpr std::string_view none = "-";  // a figure that is not defined
constexpr std::uint64_t widest_units = 9'999'999;

std::string title(const SimulationReport& report) {
  const auto& conditions = report.conditions;
  std::string text = text_of(conditions.size) + ", " + std::string(gpu::info(conditions.type).name) +
                     "; memory machine of width " + std::to_string(conditions.width) + " and latency " +
                     std::to_string(conditions.latency) + "; " +
                     counted(static_cast<std::uint64_t>(conditions.gpu.resident_blocks), "resident block") + "; schedule " +
                     text_of(conditions.gpu.schedule);
  for (const auto& item : report.set) text += (&item == &report.set[0] ? "; " : ", ") + item.path + '=' + item.text;
  return text + '\n';
}

// Time units are shown as they are, or in thousands if the table would be too wide.
double unit_of(const SimulationReport& report) {
  const bool large = std::any_of(report.algorithms.begin(), report.algorithms.end(), [](const auto& a) {
    return a.simulation && (a.simulation->umm_units > widest_units || a.simulation->dmm_umm_units > widest_units ||
                            a.simulation->formula_units.value_or(0) > static_cast<double>(widest_units));
  });
  return large ? 1000 : 1;
}

std::vector<TextColumn> columns(double unit) {
  const std::string units = unit == 1 ? "units" : "k units";
  return {{{"", "algorithm"}}, {{"", "equal"}},      {{"laun-", "ches"}}, {{"bytes", "read"}},  {{"bytes", "write"}},
          {{"sect.", "read"}}, {{"sect.", "write"}}, {{"in", "part"}},    {{"coal-", "esced"}}, {{"bank", "factor"}},
          {{"barri-", "ers"}}, {{"shuf-", "fles"}},  {{"atom-", "ics"}},  {{"", "polls"}},      {{"", "races"}},
          {{"UMM", units}},    {{"DMM+UMM", units}}, {{"bound", units}},  {{"UMM/", "bound"}}};
}

std::string percent(std::optional<double> part) { return part ? short_number(*part * 100) + "%" : std::string(none); }
std::string factor(std::optional<double> value) { return value ? short_number(*value) : std::string(none); }

std::vector<std::string> row_of(const SimulatedAlgorithm& algorithm, gpu::Size size, double unit) {
  std::vector<std::string> row{std::string(algorithm.run.algorithm->name)};
  if (!algorithm.simulation) {
    row.emplace_back("FAULT");
    return row;
  }
  const auto& simulation = *algorithm.simulation;
  const auto figures = figures_of(simulation, size);
  const auto units = [&](double count) { return grouped(static_cast<std::uint64_t>(std::llround(count / unit))); };
  for (auto& cell :
       {std::string(simulation.equal ? "yes" : "NO"), std::to_string(simulation.launches), short_number(figures.read_bytes),
        short_number(figures.written_bytes), short_number(figures.read_sectors), short_number(figures.written_sectors),
        short_number(figures.written_in_part), percent(figures.coalescing), factor(figures.bank_conflict_factor),
        short_number(figures.barriers), short_number(figures.shuffles), short_number(figures.atomics),
        short_number(figures.polls), std::to_string(simulation.races.size()),
        units(static_cast<double>(simulation.umm_units)), units(static_cast<double>(simulation.dmm_umm_units)),
        simulation.formula_units ? units(*simulation.formula_units) : std::string(none), factor(figures.formula_ratio)})
    row.push_back(cell);
  return row;
}

std::string explanations(const SimulationReport& report) {
  std::string text = R"(
equal: to the reference; floating-point tables: within the error bound that satscope documents.
bytes, sect.(ors of 32 bytes), barriers, shuffles, atomics: per pixel. Bytes and sectors are those that threads request
  from global memory; barriers, shuffles and atomics count per thread. polls: reads, per pixel, of a word of another
  block that had not changed; their bytes are not included in those read.
in part: sectors written of which the instruction had not all bytes: memory has to read and merge the rest.
coalesced: bytes requested / bytes of the sectors; more than 100% if threads of a warp request the same bytes.
bank factor: stages of shared memory / stages without conflicts.
units: time on Nakano's memory machines (2013): the unified memory machine alone (UMM: global memory), and one UMM with
  a discrete memory machine per resident block (DMM: shared memory with banks).
  On the UMM a thread cannot make a second request while one is outstanding: for 1r1w_skss, which prefetches, the time
  is too long if the latency is high.
bound: as proved in the paper, with constant 1; w width, l latency, n pixels, p threads that run at the same time.)";
  for (const auto& algorithm : report.algorithms) {
    const std::string name(algorithm.run.algorithm->name);
    if (!algorithm.simulation || !algorithm.simulation->formula_units) continue;
    if (const auto bound = gpu::simulated::paper_bound(name, {}))
      text += "\n  " + name + ": " + std::string(bound->formula) + " (" + std::string(bound->source) + ")";
  }
  return text + '\n';
}

// Errors, printed after the table: the lines of a fault, a wrong sum, both places of every race.
std::string complaints(const SimulatedAlgorithm& algorithm) {
  const std::string name(algorithm.run.algorithm->name);
  if (!algorithm.simulation) return '\n' + name + ": " + algorithm.fault + '\n';
  std::string text;
  if (!algorithm.simulation->equal) text += '\n' + name + ": wrong: " + algorithm.simulation->mismatch + '\n';
  for (const auto& race : algorithm.simulation->races) {
    text += '\n' + name + ": race, " + race.what + ", " + grouped(race.times) + (race.times == 1 ? " time\n" : " times\n");
    if (!race.first.empty()) text += "    first:  " + race.first + '\n';
    text += (race.first.empty() ? "    at:     " : "    second: ") + race.second + '\n';
  }
  return text;
}

}  // namespace

std::string simulation_table(const SimulationReport& report) {
  const double unit = unit_of(report);
  std::vector<std::vector<std::string>> rows;
  for (const auto& algorithm : report.algorithms) rows.push_back(row_of(algorithm, report.conditions.size, unit));
  std::string text = title(report) + '\n' + text_table(columns(unit), rows);
  for (const auto& [name, reason] : report.left_out) text += name + " left out: " + reason + '\n';
  text += explanations(report);
  for (const auto& algorithm : report.algorithms) text += complaints(algorithm);
  return text;
}

}  // namespace app
