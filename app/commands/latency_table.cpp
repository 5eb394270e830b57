#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/simulation_report.h"
#include "app/control/names.h"
#include "app/control/settings_file.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/simulated/latency_model.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;
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

// Eq. 7-9, of the paper's transposing kernel. Null if the GPU's limits are not known.
json occupancy_on(const GpuLatencies& gpu, gpu::SatType type) {
  const auto kernel = paper_kernel(gpu.name, sum_bytes(type));
  if (!kernel) return nullptr;
  const double bytes_per_clock = gpu.shared_memory.per_clock * 4 * kernel->multiprocessors;
  return {{"warps_per_block", warps_per_block(*kernel)},
          {"active_warps", active_warps(*kernel)},
          {"shared_bytes_per_clock_and_warp", bandwidth_per_warp(bytes_per_clock, *kernel)}};
}

// The equations of the latency model for one GPU, in clocks per 32 x 32 matrix: from the paper's formulas, and from counts,
// null if the simulation could not be finished. `scanrow_column`: from those two kernels' counts, which do not transpose.
json model_of(const SimulationReport& report, const GpuLatencies& gpu) {
  const auto type = report.conditions.type;
  const bool floating = gpu::sat::sums_are_floating(type);
  const auto formulas = formula_parts(type);
  const auto counted = counted_parts(report), two_scans = scanrow_column_parts(report);
  json model{{"name", gpu.name},
             {"equations", json::array()},
             {"occupancy", occupancy_on(gpu, type)},
             {"inequalities", json::array()}};
  const auto equation = [&](int number, const char* what, auto&& value) {
    const auto of = [&](const std::optional<Parts>& parts) { return parts ? json(value(*parts)) : json(nullptr); };
    const bool transposing = number == 3 || number == 10;
    model["equations"].push_back({{"number", number},
                                  {"what", what},
                                  {"formula", value(formulas)},
                                  {"counted", of(counted)},
                                  {"scanrow_column", of(transposing ? std::nullopt : two_scans)}});
  };
  const auto inequality = [&](int number, const char* what, auto&& value) {
    const auto of = [&](const Parts& parts) -> json {
      const Inequality sides = value(parts);
      return {{"less", sides.less}, {"more", sides.more}, {"holds", sides.holds()}};
    };
    model["inequalities"].push_back({{"number", number},
                                     {"what", what},
                                     {"formula", of(formulas)},
                                     {"counted", counted ? of(*counted) : json(nullptr)}});
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

// The figures of each algorithm's two kernels together, per matrix and kernel: what the formulas say, and what was counted.
json model_counts(const SimulationReport& report) {
  const auto figures = [](const MatrixWork& work) -> json {
    return {{"shuffles", work.shuffles}, {"shared_requests", work.shared_requests}, {"shared_stages", work.shared_stages}};
  };
  auto all = json::array();
  for (const auto name : modelled_algorithms) {
    const auto works = *kernel_work(name, WarpScan::kogge_stone, sum_bytes(report.conditions.type));
    auto formula = works[0] + works[1];
    for (auto* figure : {&formula.shuffles, &formula.shared_requests, &formula.shared_stages, &formula.addition_stages,
                         &formula.additions, &formula.ands})
      *figure /= kernels;
    const auto* simulation = simulation_of(report, name);
    const auto counted = [&] { return figures(counted_work(counts_of(*simulation, report.conditions.size), formula)); };
    all.push_back({{"name", name}, {"formula", figures(formula)}, {"counted", simulation ? counted() : json(nullptr)}});
  }
  return all;
}

GpuLatencies parse_latencies(const std::string& text) {
  const auto object = json_from<json>(text);
  GpuLatencies gpu;
  gpu.name = object.at("machine").get<std::string>();
  const auto cost = [&](const std::string& operation) -> OperationCost {
    for (const auto& item : object.at("operations"))
      if (item.at("operation") == operation) {
        const OperationCost found{item.at("latency_clocks").get<double>(), item.at("lanes_per_clock").get<double>()};
        if (found.latency > 0 && found.per_clock > 0) return found;
      }
    throw std::runtime_error("it has no '" + operation + "'");
  };
  gpu.shuffle = cost("shuffle");
  gpu.shared_memory = cost("shared memory load");
  gpu.integer_addition = cost("integer addition");
  gpu.float_addition = cost("float addition");
  return gpu;
}

GpuLatencies read_latencies(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    return ExitError(ExitCode::usage,
                     "--latencies takes what satscope-bench --latencies --json F writes: '" + path.string() + "': " + why);
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw refuse("there is no such file; check the path");
  if (std::filesystem::is_directory(path, ignored)) throw refuse("it is a folder, not a file");
  if (!std::filesystem::is_regular_file(path, ignored)) throw refuse("it is not a file");  // a pipe could block
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw refuse("it cannot be read; check its permissions");
  if (text.empty()) throw refuse("it is empty");
  try {
    return parse_latencies(text);
  } catch (const json::exception&) {
    throw refuse("it is not JSON of that form");
  } catch (const std::exception& error) {
    throw refuse(error.what());
  }
}

std::string number_text(const json& value) { return value.is_null() ? "-" : short_number(value.get<double>()); }

std::string holds_text(const json& inequality) {
  const auto less = inequality.at("less").get<double>(), more = inequality.at("more").get<double>();
  const bool holds = inequality.at("holds").get<bool>();
  return short_number(less) + (holds ? " < " : " >= ") + short_number(more) + (holds ? ": holds, " : ": does not hold, ") +
         short_number(more / less) + " times";
}

std::string occupancy_text(const json& occupancy) {
  if (occupancy.is_null())
    return "not evaluated: the number and limits of multiprocessors are known only for P100, V100 and H200";
  return "the paper's transposing kernel: " + std::to_string(occupancy.at("warps_per_block").get<int>()) +
         " warps per block, at most " + grouped(occupancy.at("active_warps").get<std::uint64_t>()) +
         " active warps, each at least " + number_text(occupancy.at("shared_bytes_per_clock_and_warp")) +
         " bytes per clock of shared memory";
}

std::string gpu_text(const GpuLatencies& gpu, const json& model, bool floating) {
  const auto cost = [](const OperationCost& c) {
    return short_number(c.latency) + " clocks, " + short_number(c.per_clock) + " per clock";
  };
  const auto number_of = [](const json& formula) { return "eq. " + std::to_string(formula.at("number").get<int>()) + "  "; };
  std::string text = '\n' + gpu.name + " (shuffle: " + cost(gpu.shuffle) + "; shared memory: " + cost(gpu.shared_memory) +
                     "; addition: " + cost(floating ? gpu.float_addition : gpu.integer_addition) + ")\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& equation : model.at("equations"))
    rows.push_back({number_of(equation) + (equation.at("number") < 10 ? " " : "") + equation.at("what").get<std::string>(),
                    number_text(equation.at("formula")), number_text(equation.at("counted")),
                    number_text(equation.at("scanrow_column"))});
  text += text_table({{{"", "clocks per matrix"}}, {{"", "formula"}}, {{"", "counted"}}, {{"counted,", "scanrow_column"}}},
                     rows);
  text += "eq. 7-9  " + occupancy_text(model.at("occupancy")) + '\n';
  for (const auto& inequality : model.at("inequalities")) {
    text += number_of(inequality) + inequality.at("what").get<std::string>() +
            "\n    formula: " + holds_text(inequality.at("formula")) + '\n';
    if (const auto& counted = inequality.at("counted"); !counted.is_null())
      text += "    counted: " + holds_text(counted) + '\n';
  }
  return text;
}

std::string counts_text(const SimulationReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& counts : model_counts(report)) {
    auto& row = rows.emplace_back(1, counts.at("name").get<std::string>());
    const auto& counted = counts.at("counted");
    for (const auto* figure : {"shuffles", "shared_requests", "shared_stages"}) {
      row.push_back(number_text(counts.at("formula").at(figure)));
      row.push_back(number_text(counted.is_null() ? counted : counted.at(figure)));
    }
  }
  return text_table({{{"per matrix and kernel", "of a warp"}},
                     {{"shuffles", "formula"}},
                     {{"", "counted"}},
                     {{"shared requests", "formula"}},
                     {{"", "counted"}},
                     {{"shared stages", "formula"}},
                     {{"", "counted"}}},
                    rows);
}

}  // namespace

std::vector<GpuLatencies> model_gpus(const std::optional<std::string>& file) {
  std::vector<GpuLatencies> gpus{paper_p100(), paper_v100()};
  std::error_code ignored;
  if (const auto measured = asset("latencies-h200.json"); std::filesystem::exists(measured, ignored))
    gpus.push_back(read_latencies(measured));
  if (file) gpus.push_back(read_latencies(*file));
  return gpus;
}

std::string latency_table(const SimulationReport& report, const std::vector<GpuLatencies>& gpus) {
  const auto& conditions = report.conditions;
  std::string text =
      "Chen et al. 2018, sec. V: clocks that one warp takes for the prefix sums of a 32x32 matrix; "
      "counted on " +
      text_of(conditions.size) + ", " + std::string(gpu::info(conditions.type).name) + "\n\n" + counts_text(report);
  const bool floating = gpu::sat::sums_are_floating(conditions.type);
  for (const auto& gpu : gpus) text += gpu_text(gpu, model_of(report, gpu), floating);
  for (const auto& algorithm : report.algorithms)
    if (!algorithm.fault.empty())
      text += '\n' + std::string(algorithm.run.algorithm->name) + " failed: " + algorithm.fault + '\n';
  for (const auto& [name, reason] : report.left_out) text += name + " left out: " + reason + '\n';
  return text + R"(
L: latency, where each step waits for the previous one (eq. 3-5). T: time on a fully occupied multiprocessor.
counted: the transpose is counted as the shared memory accesses of brlt_scanrow, the scan of rows as the shuffles of
scanrow_brlt. The third column is for the two kernels of scanrow_column, which do not transpose: all shuffles belong to
the scan of rows, all shared memory accesses to the scan of columns. Additions cannot be counted; they are those of the
formulas. A matrix that the image fills only partly counts as a full one: small images cost more per pixel.
eq. 7-9: blocks and shared memory as in sec. IV. The paper does not give the registers of its kernels: assumed are those
of the matrix alone, the fewest possible, so that the number of active warps is an upper bound.
)";
}

std::string latency_json(const SimulationReport& report, const std::vector<GpuLatencies>& gpus) {
  const auto& conditions = report.conditions;
  json object{{"model", "latency"},
              {"size", {conditions.size.width, conditions.size.height}},
              {"type", gpu::info(conditions.type).name},
              {"algorithms", model_counts(report)},
              {"gpus", json::array()}};
  for (const auto& gpu : gpus) object["gpus"].push_back(model_of(report, gpu));
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace app
