#include "app/commands/simulation_report.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

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
using gpu::simulated::LineCounts;
using gpu::simulated::Simulation;

// What is said of a source line, each per pixel.
struct LineFigure {
  std::array<const char*, 2> heading;
  const char* key;  // in JSON
  std::uint64_t (*count)(const LineCounts& counts);
};
constexpr LineFigure line_figures[] = {
    {{"bytes", "read"}, "read_bytes_per_pixel", [](const LineCounts& line) { return line.read.bytes; }},
    {{"bytes", "write"}, "written_bytes_per_pixel", [](const LineCounts& line) { return line.written.bytes; }},
    {{"sect.", "read"}, "read_sectors_per_pixel", [](const LineCounts& line) { return line.read.sectors; }},
    {{"sect.", "write"}, "written_sectors_per_pixel", [](const LineCounts& line) { return line.written.sectors; }},
    {{"in", "part"}, "sectors_written_in_part_per_pixel", [](const LineCounts& line) { return line.written.in_part; }},
    {{"shared", "reads"}, "shared_reads_per_pixel", [](const LineCounts& line) { return line.shared_reads; }},
    {{"shared", "writes"}, "shared_writes_per_pixel", [](const LineCounts& line) { return line.shared_writes; }},
    {{"con-", "flicts"},
     "bank_conflict_stages_per_pixel",
     [](const LineCounts& line) { return line.shared_stages - line.shared_stages_without_conflicts; }},
    {{"barri-", "ers"}, "barriers_per_pixel", [](const LineCounts& line) { return line.barriers; }},
    {{"", "waits"}, "barrier_waits_per_pixel", [](const LineCounts& line) { return line.barrier_waits; }},
    {{"atom-", "ics"}, "atomics_per_pixel", [](const LineCounts& line) { return line.atomics; }},
};

double line_figure(const LineFigure& figure, const LineCounts& line, gpu::Size size) {
  return static_cast<double>(figure.count(line)) / static_cast<double>(size.pixels());
}

// The texts of source lines, without the spaces before them; empty where there is no such file.
class SourceTexts {
 public:
  explicit SourceTexts(std::span<const std::filesystem::path> folders) {
    for (const auto& folder : folders) {
      std::error_code error;  // such a folder counts as empty
      for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        paths_.try_emplace(at->path().filename().string(), at->path());
    }
  }

  std::string at(const LineCounts& counts) {
    const auto [file, is_new] = lines_.try_emplace(counts.file);
    auto& lines = file->second;
    if (const auto path = paths_.find(counts.file); is_new && path != paths_.end()) {
      std::ifstream source(path->second);
      for (std::string line; std::getline(source, line);) lines.push_back(line);
    }
    if (counts.line < 1 || static_cast<std::size_t>(counts.line) > lines.size()) return {};
    const auto& line = lines[static_cast<std::size_t>(counts.line) - 1];
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  }

 private:
  std::map<std::string, std::filesystem::path> paths_;  // by name
  std::map<std::string, std::vector<std::string>> lines_;
};

json lines_json(const std::vector<LineCounts>& lines, gpu::Size size, SourceTexts& texts) {
  auto array = json::array();
  for (const auto& line : lines) {
    json object{{"file", line.file}, {"line", line.line}};
    for (const auto& figure : line_figures) object[figure.key] = line_figure(figure, line, size);
    if (auto text = texts.at(line); !text.empty()) object["text"] = std::move(text);
    array.push_back(std::move(object));
  }
  return array;
}

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
  SourceTexts texts(report.lines ? report.sources : std::vector<std::filesystem::path>());
  for (const auto& algorithm : report.algorithms) {
    auto row = algorithm_json(algorithm, conditions.size);
    if (report.lines) row["lines"] = lines_json(algorithm.simulation.value_or(Simulation{}).lines, conditions.size, texts);
    object["algorithms"].push_back(std::move(row));
  }
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

constexpr std::size_t widest_table = 140;

// At most as wide as the first table: there the texts end.
std::string line_table(const SimulatedAlgorithm& algorithm, gpu::Size size, SourceTexts& texts) {
  std::vector<TextColumn> columns{{{std::string(algorithm.run.algorithm->name), "per pixel"}}};
  for (const auto& figure : line_figures) columns.push_back({{figure.heading[0], figure.heading[1]}});
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : algorithm.simulation->lines) {
    rows.push_back({line.file.empty() ? "unknown" : line.file + ':' + std::to_string(line.line)});
    for (const auto& figure : line_figures)
      rows.back().push_back(figure.count(line) == 0 ? "" : short_number(line_figure(figure, line, size)));
  }
  std::size_t width = 0;
  std::istringstream table(text_table(columns, rows));
  for (std::string row; std::getline(table, row);) width = std::max(width, screen_width(row));
  const auto room = widest_table - std::min(widest_table, width + 2);
  columns.push_back({});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto text = ' ' + texts.at(algorithm.simulation->lines[i]);
    if (text.size() > room) text = std::string(beginning_of(text, room - std::min<std::size_t>(room, 3))) + "...";
    rows[i].push_back(text + std::string(room - std::min(room, screen_width(text)), ' '));  // the column is right-aligned
  }
  return '\n' + text_table(columns, rows);
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
  if (report.lines)
    text += R"(
Source lines: those of gpu/sat/; what all kernels call, such as intrinsics, counts as the line that calls it.
  shared: loads and stores of threads. conflicts: stages of shared memory beyond those without bank conflicts.
  waits: how often a thread had to wait at a barrier for another warp, which had made more requests to memory.)";
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
  SourceTexts texts(report.lines ? report.sources : std::vector<std::filesystem::path>());
  for (const auto& algorithm : report.algorithms)
    if (report.lines && algorithm.simulation) text += line_table(algorithm, report.conditions.size, texts);
  text += explanations(report);
  for (const auto& algorithm : report.algorithms) text += complaints(algorithm);
  return text;
}

}  // namespace app
