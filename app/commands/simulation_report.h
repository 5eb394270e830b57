// `satscope simulate`: what it was asked to run, its results, and the figures derived from the counts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/options.h"
#include "gpu/sat.h"
#include "gpu/simulated/latency_model.h"
#include "gpu/simulated/observed/simulation.h"

namespace app {

// SimulationChoice: what `satscope simulate` was asked to run, looked up and checked before the first algorithm starts.
struct SimulationRun {
  const gpu::SatAlgorithm* algorithm = nullptr;
  gpu::Arguments arguments;
};

struct LeftOut {
  std::string name, reason;
};

struct SimulationChoice {
  gpu::simulated::SimulationRequest conditions;  // of every run; without algorithm, arguments and lines_of
  bool lines = false;                            // also what each source line does
  std::vector<SimulationRun> runs;               // at least one
  std::vector<LeftOut> left_out;
};

// All CUDA algorithms, or those that were named. One that cannot be simulated is left out, unless none remains. Host
// algorithms, values that no algorithm accepts and sizes that do not fit into memory are refused. Throws ExitError (usage).
SimulationChoice choose_simulations(const Options& options);

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
  bool lines = false;                          // also what each source line did
  std::vector<std::filesystem::path> sources;  // folders below which its text may be

  bool failed() const;
};

// Per pixel, if not stated otherwise. Barriers, shuffles and atomics count per thread.
struct SimulationFigures {
  double read_bytes, written_bytes;            // that threads requested
  double read_sectors, written_sectors;        // of 32 bytes
  double written_in_part;                      // of these sectors
  std::optional<double> coalescing;            // bytes requested / bytes of the sectors
  std::optional<double> bank_conflict_factor;  // stages of shared memory / stages without conflicts
  double barriers, shuffles, atomics;
  double polls, poll_bytes;
  std::optional<double> formula_ratio;  // units of the UMM alone / units of the formula
};
SimulationFigures figures_of(const gpu::simulated::Simulation& simulation, gpu::Size size);

// The JSON of `satscope simulate --json`. A figure that is not defined is null. With report.lines every algorithm has "lines".
std::string simulation_json(const SimulationReport& report);

// The text table of `satscope simulate`: at most 140 columns; a table of source lines per algorithm, if report.lines; the meaning of
// the columns; then the errors.
std::string simulation_table(const SimulationReport& report);

// `satscope simulate --model latency`: Chen et al. 2018, sec. V, per GPU: each equation by the paper's formulas and by the
// counts of the simulation.
inline constexpr std::string_view modelled_algorithms[] = {"scanrow_brlt", "brlt_scanrow", "scanrow_column"};

// The paper's two GPUs, the one measured for satscope (assets/latencies-h200.json), and the one of `file`, written by
// satscope-bench --latencies --json. Throws ExitError (usage) with one line if `file` is not such a file.
std::vector<gpu::simulated::GpuLatencies> model_gpus(const std::optional<std::string>& file);

// `report` has the modelled algorithms.
std::string latency_table(const SimulationReport& report, const std::vector<gpu::simulated::GpuLatencies>& gpus);
std::string latency_json(const SimulationReport& report, const std::vector<gpu::simulated::GpuLatencies>& gpus);

}  // namespace app
