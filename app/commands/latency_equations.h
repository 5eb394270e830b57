// The equations of the latency model for one GPU, from the paper's formulas and from counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/simulation_report.h"
#include "gpu/simulated/latency_model.h"

namespace app {

// Clocks per 32 x 32 matrix. `counted` and `scanrow_column` are empty if the simulation could not be finished; the latter
// also for the transpose, which its two kernels do not have.
struct ModelEquation {
  int number;
  std::string what;
  double formula;
  std::optional<double> counted;
  std::optional<double> scanrow_column;  // from the counts of those two kernels
};
// Eq. 7-9, of the paper's transposing kernel.
struct ModelOccupancy {
  int warps_per_block, active_warps;
  double shared_bytes;  // per clock and active warp
};
struct ModelInequality {
  int number;
  std::string what;
  gpu::simulated::Inequality formula;
  std::optional<gpu::simulated::Inequality> counted;
};
struct ModelOfGpu {
  gpu::simulated::GpuLatencies gpu;
  std::vector<ModelEquation> equations;
  std::vector<ModelInequality> inequalities;
  std::optional<ModelOccupancy> occupancy;  // empty if the GPU's limits are not known
};
ModelOfGpu model_of(const SimulationReport& report, const gpu::simulated::GpuLatencies& gpu);

// Of one algorithm's two kernels together, per matrix and kernel: what the formulas say, and what was counted.
struct ModelCounts {
  std::string algorithm;
  gpu::simulated::MatrixWork formula;
  std::optional<gpu::simulated::MatrixWork> counted;
};
std::vector<ModelCounts> model_counts(const SimulationReport& report);

}  // namespace app
