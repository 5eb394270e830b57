// SimulationReport: the results of `satscope simulate`, and the figures derived from the counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/simulation_choice.h"
#include "gpu/simulated/simulation.h"

namespace app {

// As --schedule takes it: "in-order", "random:3".
std::string text_of(const gpu::simulated::Schedule& schedule);

struct SimulatedAlgorithm {
  SimulationRun run;
  std::optional<gpu::simulated::Simulation> simulation;  // empty if it could not be finished
  std::string fault;                                     // then the cause, followed by a line per waiting block

  bool failed() const { return !simulation || !simulation->equal || !simulation->races.empty(); }
};

struct SimulationReport {
  gpu::simulated::SimulationRequest conditions;
  std::vector<Change> set;
  std::vector<SimulatedAlgorithm> algorithms;  // those that ran
  std::vector<LeftOut> left_out;
  bool interrupted = false;

  bool failed() const;
};

// Per pixel, if not stated otherwise. Barriers, shuffles and atomics count per thread.
struct SimulationFigures {
  double read_bytes, written_bytes;            // that threads requested
  double read_sectors, written_sectors;        // of 32 bytes
  std::optional<double> coalescing;            // bytes requested / bytes of the sectors
  std::optional<double> bank_conflict_factor;  // stages of shared memory / stages without conflicts
  double barriers, shuffles, atomics;
  double polls, poll_bytes;
  std::optional<double> formula_ratio;  // units of the UMM alone / units of the formula
};
SimulationFigures figures_of(const gpu::simulated::Simulation& simulation, gpu::Size size);

// The JSON of `satscope simulate --json`. A figure that is not defined is null.
std::string simulation_json(const SimulationReport& report);

// The text table of `satscope simulate`: at most 140 columns; the meaning of its columns follows, then the errors.
std::string simulation_table(const SimulationReport& report);

}  // namespace app
