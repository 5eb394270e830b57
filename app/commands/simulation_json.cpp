#include "app/commands/simulation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/control/arguments_text.h"
#include "gpu/simulated/paper_bound.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;
using gpu::simulated::Simulation;

json number(std::optional<double> value) { return value && std::isfinite(*value) ? json(*value) : json(nullptr); }

json races_json(const std::vector<gpu::simulated::Race>& races) {
  auto array = json::array();
  for (const auto& race : races)
    array.push_back({{"what", race.what}, {"first", race.first}, {"second", race.second}, {"times", race.times}});
  return array;
}

// The same keys for every algorithm, whatever its result.
json algorithm_json(const SimulatedAlgorithm& algorithm, gpu::Size size) {
  const auto& simulation = algorithm.simulation;
  const auto figures = figures_of(simulation.value_or(Simulation{}), size);
  const auto figure = [&](auto member) { return simulation ? number(figures.*member) : json(nullptr); };
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
              {"formula_units", simulation ? number(simulation->formula_units) : json(nullptr)},
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

}  // namespace app
