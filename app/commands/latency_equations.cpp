#include "app/commands/latency_equations.h"

#include <algorithm>

#include "app/commands/latency_table.h"
#include "gpu/sat/block/traffic.h"

namespace app {
namespace {

using namespace gpu::simulated;

constexpr double lanes = 32, kernels = 2;

int sum_bytes(gpu::SatType type) { return static_cast<int>(gpu::size_of(gpu::info(type).sum)); }

const Simulation* simulation_of(const SimulationReport& report, std::string_view name) {
  for (const auto& algorithm : report.algorithms)
    if (algorithm.run.algorithm->name == name && algorithm.simulation) return &*algorithm.simulation;
  return nullptr;
}

// Each of the two kernels processes all pixels.
KernelCounts counts_of(const Simulation& simulation, gpu::Size size) {
  const auto& counts = simulation.counts;
  return {static_cast<double>(counts.shuffles) / lanes,
          static_cast<double>(counts.shared_reads + counts.shared_writes),
          static_cast<double>(counts.shared_stages),
          kernels * static_cast<double>(size.pixels()),
          {}};
}

// The three parts that the equations are about. Counted, the transpose is what brlt_scanrow does in shared memory, and
// the scan of rows the shuffles of scanrow_brlt; additions cannot be counted, so that the scan of columns stays.
struct Parts {
  MatrixWork transpose, scan_row, scan_row_lf, scan_column;
};

Parts formula_parts(gpu::SatType type) {
  return {transpose_work(sum_bytes(type)), scan_row_work(WarpScan::kogge_stone), scan_row_work(WarpScan::ladner_fischer),
          scan_column_work()};
}

std::optional<Parts> counted_parts(const SimulationReport& report) {
  const auto* transposing = simulation_of(report, "brlt_scanrow");
  const auto* shuffling = simulation_of(report, "scanrow_brlt");
  if (!transposing || !shuffling) return {};
  auto parts = formula_parts(report.conditions.type);
  auto in_shared_memory = counts_of(*transposing, report.conditions.size);
  in_shared_memory.shuffles = 0;
  auto shuffles = counts_of(*shuffling, report.conditions.size);
  shuffles.shared_requests = shuffles.shared_stages = 0;
  parts.transpose = counted_work(in_shared_memory, parts.transpose);
  parts.scan_row = counted_work(shuffles, parts.scan_row);
  parts.scan_row_lf = counted_work(shuffles, parts.scan_row_lf);
  return parts;
}

// scanrow_column's first kernel scans rows and does all the shuffles, its second scans columns and has all that happens
// in shared memory: partial sums of warps. So the totals separate the two kernels.
std::optional<Parts> scanrow_column_parts(const SimulationReport& report) {
  const auto* simulation = simulation_of(report, "scanrow_column");
  if (!simulation) return {};
  auto rows = counts_of(*simulation, report.conditions.size);
  rows.pixels /= kernels;
  auto columns = rows;
  rows.shared_requests = rows.shared_stages = 0;
  columns.shuffles = 0;
  auto parts = formula_parts(report.conditions.type);
  parts.scan_row = counted_work(rows, parts.scan_row);
  parts.scan_column = counted_work(columns, parts.scan_column);
  return parts;
}

std::optional<ModelOccupancy> occupancy_on(const GpuLatencies& gpu, gpu::SatType type) {
  const auto kernel = paper_kernel(gpu.name, sum_bytes(type));
  if (!kernel) return {};
  const double bytes_per_clock = gpu.shared_memory.per_clock * 4 * kernel->multiprocessors;
  return ModelOccupancy{warps_per_block(*kernel), active_warps(*kernel), bandwidth_per_warp(bytes_per_clock, *kernel)};
}

}  // namespace

ModelOfGpu model_of(const SimulationReport& report, const GpuLatencies& gpu) {
  const bool floating = gpu::sat::sums_are_floating(report.conditions.type);
  const auto formulas = formula_parts(report.conditions.type);
  const auto counted = counted_parts(report);
  const auto two_scans = scanrow_column_parts(report);
  ModelOfGpu model{gpu, {}, {}, occupancy_on(gpu, report.conditions.type)};
  const auto equation = [&](int number, const char* what, auto&& value) {
    const auto of = [&](const std::optional<Parts>& parts) {
      return parts ? std::optional<double>(value(*parts)) : std::nullopt;
    };
    const bool transposing = number == 3 || number == 10;
    model.equations.push_back({number, what, value(formulas), of(counted), of(transposing ? std::nullopt : two_scans)});
  };
  const auto inequality = [&](int number, const char* what, auto&& value) {
    model.inequalities.push_back(
        {number, what, value(formulas), counted ? std::optional<Inequality>(value(*counted)) : std::nullopt});
  };
  const auto clocks = [&](const MatrixWork& work) { return latency(work, gpu, floating); };
  const auto rate = [&](const MatrixWork& work) { return throughput(work, gpu, floating); };
  equation(3, "L transpose", [&](const Parts& p) { return clocks(p.transpose); });
  equation(4, "L scan row", [&](const Parts& p) { return clocks(p.scan_row); });
  equation(5, "L scan column", [&](const Parts& p) { return clocks(p.scan_column); });
  equation(10, "T transpose", [&](const Parts& p) { return rate(p.transpose).shared_memory; });
  equation(11, "T scan column, additions", [&](const Parts& p) { return rate(p.scan_column).additions; });
  equation(12, "T scan row, shuffles", [&](const Parts& p) { return rate(p.scan_row).shuffles; });
  equation(13, "T scan row, additions (Kogge-Stone)", [&](const Parts& p) { return rate(p.scan_row).additions; });
  inequality(6, "L transpose + L scan column << L scan row",
             [&](const Parts& p) { return latency_inequality(p.transpose + p.scan_column, p.scan_row, gpu, floating); });
  inequality(14, "T transpose + T scan column << T scan row (Kogge-Stone)",
             [&](const Parts& p) { return throughput_inequality(p.transpose + p.scan_column, p.scan_row, gpu, floating); });
  inequality(15, "the same, scan row by Ladner-Fischer", [&](const Parts& p) {
    return throughput_inequality(p.transpose + p.scan_column, p.scan_row_lf, gpu, floating);
  });
  return model;
}

std::vector<ModelCounts> model_counts(const SimulationReport& report) {
  std::vector<ModelCounts> all;
  for (const auto name : modelled_algorithms) {
    const auto works = *kernel_work(name, WarpScan::kogge_stone, sum_bytes(report.conditions.type));
    auto formula = works[0] + works[1];
    for (auto* figure : {&formula.shuffles, &formula.shared_requests, &formula.shared_stages, &formula.addition_stages,
                         &formula.additions, &formula.ands})
      *figure /= kernels;
    ModelCounts counts{std::string(name), formula, {}};
    if (const auto* simulation = simulation_of(report, name))
      counts.counted = counted_work(counts_of(*simulation, report.conditions.size), formula);
    all.push_back(std::move(counts));
  }
  return all;
}

}  // namespace app
