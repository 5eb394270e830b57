// satscope simulate without the simulated GPU: from options to requests, and from counts to figures, table and JSON.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/simulation_report.h"
#include "app/support/text.h"
#include "app/tests/support/exit_refusal.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using nlohmann::json;

SimulationChoice choose(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return choose_simulations(parse_options(words));
}

std::string refused_simulation(const std::vector<std::string>& words) {
  return exit_refusal(ExitCode::usage, [&] { choose(words); });
}

TEST(SimulationChoiceTest, DefaultsToAllCudaAlgorithmsThatCanRun) {
  const auto choice = choose({});
  EXPECT_GE(choice.runs.size(), 15u);
  for (const auto& run : choice.runs) EXPECT_TRUE(gpu::runs_on(*run.algorithm, gpu::Device::simulated));
  ASSERT_EQ(choice.left_out.size(), 4u);
  EXPECT_EQ(choice.left_out[0].name, "cub");
  EXPECT_EQ(choice.left_out[1].name, "cub_segmented");
  EXPECT_EQ(choice.left_out[2].name, "npp");
  EXPECT_EQ(choice.left_out[3].name, "tensor_tiles") << "of bytes alone";
  EXPECT_NE(choice.left_out[0].reason, "");
  EXPECT_EQ(choice.conditions.size, (gpu::Size{1024, 1024}));
  EXPECT_EQ(choice.conditions.gpu.resident_blocks, 264);
}

TEST(SimulationChoiceTest, ParametersGoToTheAlgorithmsThatHaveThem) {
  const auto choice = choose({"2r2w", "2r1w", "2r1w", "--set", "algorithm.W=64"});
  ASSERT_EQ(choice.runs.size(), 2u);
  EXPECT_EQ(choice.runs[0].algorithm->name, "2r2w");
  EXPECT_EQ(choice.runs[1].arguments.text("W"), "64");
}

TEST(SimulationChoiceTest, RefusesWhatNoAlgorithmAccepts) {
  EXPECT_NE(refused_simulation({"2r2w", "--set", "W=64"}).find("no parameter 'W'"), std::string::npos);
  EXPECT_NE(refused_simulation({"2r1w", "--set", "W=63"}).find("2r1w: "), std::string::npos);
  EXPECT_NE(refused_simulation({"host_parallel"}).find("runs on the CPU"), std::string::npos);
  EXPECT_NE(refused_simulation({"cub"}).find("cub: "), std::string::npos);
  EXPECT_NE(refused_simulation({"--type", "32f32"}).find("did you mean '32f32f'"), std::string::npos);
}

SimulationReport report_of(gpu::Size size) {
  auto choice = choose({"2r1w", "prefix_tree", "1r1w"});
  SimulationReport report;
  report.conditions = choice.conditions;
  report.conditions.size = size;
  report.left_out = {{"cub", "NVIDIA's own"}};
  gpu::simulated::Simulation simulation;
  simulation.equal = true;
  simulation.launches = 3;
  const auto pixels = static_cast<std::uint64_t>(size.pixels());
  simulation.counts.read = {8 * pixels, pixels / 2};
  simulation.counts.written = {8 * pixels, pixels / 2};
  simulation.counts.barriers = pixels / 2;
  simulation.umm_units = 4 * pixels;
  simulation.dmm_umm_units = 5 * pixels;
  report.algorithms.push_back({choice.runs[0], simulation, {}});
  simulation.formula_units = 2.0 * static_cast<double>(pixels);
  simulation.races.push_back({"global write after read", "a.cuh:1", "b.cuh:2", 12345});
  report.algorithms.push_back({choice.runs[1], simulation, {}});
  report.algorithms.push_back({choice.runs[2], {}, "deadlock\nblock 0 waits at c.cuh:3"});
  return report;
}

TEST(SimulationReportTest, Figures) {
  const auto report = report_of({64, 64});
  const auto figures = figures_of(*report.algorithms[1].simulation, {64, 64});
  EXPECT_EQ(figures.read_bytes, 8);
  EXPECT_EQ(figures.coalescing, 0.5);
  EXPECT_FALSE(figures.bank_conflict_factor);
  auto with_conflicts = *report.algorithms[1].simulation;
  with_conflicts.counts.shared_stages = 12;
  with_conflicts.counts.shared_stages_without_conflicts = 8;
  EXPECT_EQ(figures_of(with_conflicts, {64, 64}).bank_conflict_factor, 1.5);
  EXPECT_EQ(figures.barriers, 0.5);
  EXPECT_EQ(figures.formula_ratio, 2);
  EXPECT_FALSE(report.algorithms[0].failed());
  EXPECT_TRUE(report.algorithms[1].failed());
  EXPECT_TRUE(report.algorithms[2].failed());
  EXPECT_TRUE(report.failed());
}

TEST(SimulationReportTest, Json) {
  const auto object = json::parse(simulation_json(report_of({64, 32})));
  EXPECT_EQ(object["size"], (json{64, 32}));
  EXPECT_EQ(object["type"], "32f32f");
  EXPECT_EQ(object["left_out"][0]["reason"], "NVIDIA's own");
  const auto& all = object["algorithms"];
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["formula_units"], nullptr);
  EXPECT_EQ(all[0]["bank_conflict_factor"], nullptr);
  EXPECT_EQ(all[0]["parameters"]["W"], std::string(gpu::find_sat_algorithm("2r1w")->parameters[0].initial));
  EXPECT_EQ(all[1]["races"][0]["second"], "b.cuh:2");
  EXPECT_EQ(all[2]["equal"], false);
  EXPECT_EQ(all[2]["launches"], nullptr);
  EXPECT_EQ(all[2]["umm_units"], nullptr);
  EXPECT_EQ(all[2]["races"], json::array());
}

TEST(SimulationReportTest, TheTableFitsAndReportsErrors) {
  for (const gpu::Size size : {gpu::Size{64, 64}, {8192, 8192}}) {
    const auto text = simulation_table(report_of(size));
    for (const auto* part : {"2r1w", "FAULT", "a.cuh:1", "b.cuh:2", "block 0 waits at c.cuh:3", "cub left out"})
      EXPECT_NE(text.find(part), std::string::npos) << part;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
      EXPECT_LE(columns, 140) << line;
    }
  }
}

// Two lines of two files, of which one is there.
SimulationReport report_with_lines(const std::filesystem::path& folder) {
  auto report = report_of({64, 64});
  std::filesystem::create_directories(folder / "block");
  std::ofstream(folder / "block" / "there.cuh") << "// first\n  table(x, y) = sum += " + std::string(200, '1') + ";\n";
  gpu::simulated::LineCounts first, second;
  first.file = "there.cuh", second.file = "missing.cuh";
  first.line = 2, second.line = 7;
  first.read = {4 * 4096, 512, 0};
  first.shared_stages = 3 * 2048;
  first.shared_stages_without_conflicts = 2048;
  second.barriers = 4096;
  second.barrier_waits = 1024;
  report.algorithms[0].simulation->lines = {first, second};
  report.lines = true;
  report.sources = {folder / "nowhere", folder};
  return report;
}

TEST(SimulationReportTest, SourceLines) {
  const TemporaryFolder folder;
  const auto report = report_with_lines(folder.path());
  const auto all = json::parse(simulation_json(report))["algorithms"];
  ASSERT_EQ(all[0]["lines"].size(), 2u);
  const auto &first = all[0]["lines"][0], &second = all[0]["lines"][1];
  EXPECT_EQ(first["file"], "there.cuh");
  EXPECT_EQ(first["line"], 2);
  EXPECT_EQ(first["read_bytes_per_pixel"], 4);
  EXPECT_EQ(first["bank_conflict_stages_per_pixel"], 1);
  EXPECT_TRUE(first["text"].get<std::string>().starts_with("table(x, y)"));
  EXPECT_EQ(second["barriers_per_pixel"], 1);
  EXPECT_EQ(second["barrier_waits_per_pixel"], 0.25);
  EXPECT_FALSE(second.contains("text"));
  EXPECT_EQ(all[2]["lines"], json::array()) << "it has no simulation";
  EXPECT_FALSE(json::parse(simulation_json(report_of({64, 64})))["algorithms"][0].contains("lines"));

  const auto text = simulation_table(report);
  for (const auto* part : {"there.cuh:2", "missing.cuh:7", " table(x, y) = sum += 1", "1...", "Source lines:"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(screen_width(line), 140u) << line;
  EXPECT_EQ(simulation_table(report_of({64, 64})).find("Source lines"), std::string::npos);
}

TEST(SimulationTextTableTest, Numbers) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.0001), "<.001");
  EXPECT_EQ(short_number(0.9999), "1.00");
  EXPECT_EQ(short_number(2.194), "2.19");
  EXPECT_EQ(short_number(99.96), "100");
  EXPECT_EQ(grouped(9999), "9999");
  EXPECT_EQ(grouped(34603008), "34\u2009603\u2009008");
}

TEST(SimulationLatencyTableTest, WithoutCountsTheFormulasRemain) {
  auto report = report_of({64, 64});
  const auto object = json::parse(latency_json(report, model_gpus({})));
  EXPECT_EQ(object["gpus"][0]["equations"][0]["formula"], 2304);
  EXPECT_EQ(object["gpus"][0]["equations"][0]["counted"], nullptr);
  EXPECT_EQ(object["gpus"][0]["equations"][1]["scanrow_column"], nullptr);
  EXPECT_NE(latency_table(report, model_gpus({})).find("eq. 14"), std::string::npos);
}

// Four matrices, each with 160 shuffles of a warp in the first kernel and two accesses to shared memory in the second.
TEST(SimulationLatencyTableTest, SeparatesTheKernelsOfScanrowColumn) {
  auto report = report_of({64, 64});
  gpu::simulated::Simulation simulation;
  simulation.counts.shuffles = 4 * 160 * 32;
  simulation.counts.shared_reads = simulation.counts.shared_writes = 4;
  simulation.counts.shared_stages = 8;
  report.algorithms = {{choose({"scanrow_column"}).runs[0], simulation, {}}};
  const auto p100 = json::parse(latency_json(report, model_gpus({})))["gpus"][0];
  for (const auto& equation : p100["equations"]) {
    const auto& clocks = equation["scanrow_column"];
    const int number = equation["number"];
    if (number == 3 || number == 10)
      EXPECT_EQ(clocks, nullptr);
    else
      EXPECT_EQ(clocks, equation["formula"].get<double>() + (number == 5 ? 2 * 36 : 0)) << "eq. " << number;
  }
  EXPECT_EQ(p100["occupancy"]["active_warps"], 56 * 32);
}

TEST(SimulationLatencyTableTest, OccupancyNeedsAKnownGpu) {
  auto gpu = gpu::simulated::paper_v100();
  const auto report = report_of({64, 64});
  EXPECT_NE(latency_table(report, {gpu}).find("5120 active warps"), std::string::npos);
  gpu.name = "another GPU";
  EXPECT_NE(latency_table(report, {gpu}).find("not evaluated"), std::string::npos);
  EXPECT_EQ(json::parse(latency_json(report, {gpu}))["gpus"][0]["occupancy"], nullptr);
}

}  // namespace
}  // namespace app
