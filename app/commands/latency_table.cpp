#include "app/commands/latency_table.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/commands/latency_equations.h"
#include "app/control/json_text.h"
#include "app/control/names.h"
#include "app/support/assets_path.h"
#include "app/support/exit_code.h"
#include "app/support/text_table.h"
#include "gpu/sat/block/traffic.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;
using namespace gpu::simulated;

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

std::string holds_text(const Inequality& inequality) {
  return short_number(inequality.less) + (inequality.holds() ? " < " : " >= ") + short_number(inequality.more) +
         (inequality.holds() ? ": holds, " : ": does not hold, ") + short_number(inequality.ratio()) + " times";
}

std::string counted_text(const std::optional<double>& value) { return value ? short_number(*value) : "-"; }

std::string occupancy_text(const std::optional<ModelOccupancy>& occupancy) {
  if (!occupancy) return "not evaluated: the number and limits of multiprocessors are known only for P100, V100 and H200";
  return "the paper's transposing kernel: " + std::to_string(occupancy->warps_per_block) + " warps per block, at most " +
         grouped(static_cast<std::uint64_t>(occupancy->active_warps)) + " active warps, each at least " +
         short_number(occupancy->shared_bytes) + " bytes per clock of shared memory";
}

std::string gpu_text(const ModelOfGpu& model, bool floating) {
  const auto& gpu = model.gpu;
  const auto cost = [](const OperationCost& c) {
    return short_number(c.latency) + " clocks, " + short_number(c.per_clock) + " per clock";
  };
  std::string text = '\n' + gpu.name + " (shuffle: " + cost(gpu.shuffle) + "; shared memory: " + cost(gpu.shared_memory) +
                     "; addition: " + cost(floating ? gpu.float_addition : gpu.integer_addition) + ")\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& equation : model.equations)
    rows.push_back({"eq. " + std::to_string(equation.number) + (equation.number < 10 ? "   " : "  ") + equation.what,
                    short_number(equation.formula), counted_text(equation.counted), counted_text(equation.scanrow_column)});
  text += text_table({{{"", "clocks per matrix"}}, {{"", "formula"}}, {{"", "counted"}}, {{"counted,", "scanrow_column"}}},
                     rows);
  text += "eq. 7-9  " + occupancy_text(model.occupancy) + '\n';
  for (const auto& inequality : model.inequalities) {
    text += "eq. " + std::to_string(inequality.number) + "  " + inequality.what +
            "\n    formula: " + holds_text(inequality.formula) + '\n';
    if (inequality.counted) text += "    counted: " + holds_text(*inequality.counted) + '\n';
  }
  return text;
}

std::string counts_text(const SimulationReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& counts : model_counts(report)) {
    const auto counted = [&](auto member) {
      return counts.counted ? short_number((*counts.counted).*member) : std::string("-");
    };
    const auto add = [&](auto member, std::vector<std::string>& row) {
      row.push_back(short_number(counts.formula.*member));
      row.push_back(counted(member));
    };
    std::vector<std::string> row{counts.algorithm};
    add(&MatrixWork::shuffles, row);
    add(&MatrixWork::shared_requests, row);
    add(&MatrixWork::shared_stages, row);
    rows.push_back(std::move(row));
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

json optional_json(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

json inequality_json(const Inequality& inequality) {
  return {{"less", inequality.less}, {"more", inequality.more}, {"holds", inequality.holds()}};
}

json gpu_json(const ModelOfGpu& model) {
  json object{
      {"name", model.gpu.name}, {"equations", json::array()}, {"occupancy", nullptr}, {"inequalities", json::array()}};
  if (const auto& occupancy = model.occupancy)
    object["occupancy"] = {{"warps_per_block", occupancy->warps_per_block},
                           {"active_warps", occupancy->active_warps},
                           {"shared_bytes_per_clock_and_warp", occupancy->shared_bytes}};
  for (const auto& equation : model.equations)
    object["equations"].push_back({{"number", equation.number},
                                   {"what", equation.what},
                                   {"formula", equation.formula},
                                   {"counted", optional_json(equation.counted)},
                                   {"scanrow_column", optional_json(equation.scanrow_column)}});
  for (const auto& inequality : model.inequalities)
    object["inequalities"].push_back(
        {{"number", inequality.number},
         {"what", inequality.what},
         {"formula", inequality_json(inequality.formula)},
         {"counted", inequality.counted ? inequality_json(*inequality.counted) : json(nullptr)}});
  return object;
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
  for (const auto& gpu : gpus) text += gpu_text(model_of(report, gpu), floating);
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
              {"algorithms", json::array()},
              {"gpus", json::array()}};
  const auto work_json = [](const MatrixWork& work) {
    return json{
        {"shuffles", work.shuffles}, {"shared_requests", work.shared_requests}, {"shared_stages", work.shared_stages}};
  };
  for (const auto& counts : model_counts(report))
    object["algorithms"].push_back({{"name", counts.algorithm},
                                    {"formula", work_json(counts.formula)},
                                    {"counted", counts.counted ? work_json(*counts.counted) : json(nullptr)}});
  for (const auto& gpu : gpus) object["gpus"].push_back(gpu_json(model_of(report, gpu)));
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace app
