// SimulationChoice: what `satscope simulate` was asked to run, looked up and checked before the first algorithm starts.
#pragma once

#include <string>
#include <vector>

#include "app/commands/options.h"
#include "gpu/sat.h"
#include "gpu/simulated/simulation.h"

namespace app {

struct SimulationRun {
  const gpu::SatAlgorithm* algorithm = nullptr;
  gpu::Arguments arguments;
};

struct LeftOut {
  std::string name, reason;
};

struct SimulationChoice {
  gpu::simulated::SimulationRequest conditions;  // of every run; without algorithm and arguments
  std::vector<SimulationRun> runs;               // at least one
  std::vector<LeftOut> left_out;
};

// All CUDA algorithms, or those that were named. One that cannot be simulated is left out, unless none remains. Host
// algorithms, values that no algorithm accepts and sizes that do not fit into memory are refused. Throws ExitError (usage).
SimulationChoice choose_simulations(const Options& options);

}  // namespace app
