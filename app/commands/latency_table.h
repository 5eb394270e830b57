// `satscope simulate --model latency`: Chen et al. 2018, sec. V, per GPU: each equation by the paper's formulas and by the
// counts of the simulation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/simulation_report.h"
#include "gpu/simulated/latency_model.h"

namespace app {

inline constexpr std::string_view modelled_algorithms[] = {"scanrow_brlt", "brlt_scanrow", "scanrow_column"};

// The paper's two GPUs, the one measured for satscope (assets/latencies-h200.json), and the one of `file`, written by
// satscope-bench --latencies --json. Throws ExitError (usage) with one line if `file` is not such a file.
std::vector<gpu::simulated::GpuLatencies> model_gpus(const std::optional<std::string>& file);

// `report` has the modelled algorithms.
std::string latency_table(const SimulationReport& report, const std::vector<gpu::simulated::GpuLatencies>& gpus);
std::string latency_json(const SimulationReport& report, const std::vector<gpu::simulated::GpuLatencies>& gpus);

}  // namespace app
