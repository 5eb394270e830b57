// satscope simulate: CUDA algorithms on the simulated GPU, with every memory access observed.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/latency_table.h"
#include "app/commands/simulation_choice.h"
#include "app/commands/simulation_report.h"
#include "app/control/settings_file.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/progress.h"
#include "app/support/simulated_gpu.h"
#include "app/support/taken_names.h"
#include "gpu/simulated/driver.h"

namespace app {
namespace {

// The runs: one after another, with a progress bar, until Ctrl-C.

using gpu::simulated::Driver;

SimulatedAlgorithm simulate(const Driver& driver, const SimulationRun& run, gpu::simulated::SimulationRequest request) {
  request.algorithm = run.algorithm->name;
  request.arguments = run.arguments;
  SimulatedAlgorithm result{run, {}, {}};
  try {
    result.simulation = driver.simulate(request);
  } catch (const std::bad_alloc&) {
    result.fault = "memory is exhausted: choose a smaller --size";
  } catch (const std::exception& error) {
    result.fault = error.what();
  }
  return result;
}

// A progress bar, if stderr is a terminal.
class Bar {
 public:
  explicit Bar(std::size_t total) : total_(total), watched_(::isatty(STDERR_FILENO) == 1) {}
  ~Bar() { progress_.erase(); }
  void show(std::size_t done, std::string_view name) {
    if (watched_) progress_.show(done, total_, name);
  }

 private:
  std::size_t total_;
  bool watched_;
  Progress progress_{console(), "algorithm"};
};

// Every run of `choice`, with the driver of the observed build. A fault ends only its own algorithm. After Ctrl-C
// `interrupted` is set, and a thread may still simulate: the program must end with std::_Exit, which waits for nothing.
SimulationReport simulate_all(const Driver& driver, const SimulationChoice& choice) {
  SimulationReport report;
  report.conditions = choice.conditions;
  report.left_out = choice.left_out;
  Bar bar(choice.runs.size());
  for (std::size_t i = 0; i < choice.runs.size(); ++i) {
    const auto& run = choice.runs[i];
    if (report.interrupted) {
      report.left_out.push_back({std::string(run.algorithm->name), "interrupted"});
      continue;
    }
    // Deferred, and done by get(), only where the system starts no more threads.
    auto result = std::make_unique<std::future<SimulatedAlgorithm>>(
        std::async([&driver, run, request = choice.conditions] { return simulate(driver, run, request); }));
    while (result->wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout && !interrupted())
      bar.show(i, run.algorithm->name);
    if (result->wait_for(std::chrono::seconds(0)) != std::future_status::timeout) {
      report.algorithms.push_back(result->get());
      if (interrupted() && i + 1 < choice.runs.size()) report.interrupted = true;
    } else {
      report.interrupted = true;
      report.left_out.push_back({std::string(run.algorithm->name), "interrupted"});
      result.release();  // its destructor would wait
    }
  }
  return report;
}

void put(const std::string& text, const std::string& output) {
  if (output.empty())
    print(text);
  else
    write_file(output, text);
}

// For callers that do not read the report, such as scripts: one line says that something in it is wrong.
void report_what_failed(const SimulationReport& report) {
  std::string names;
  std::string_view first;
  for (const auto& algorithm : report.algorithms) {
    if (!algorithm.failed()) continue;
    names += (names.empty() ? "" : ", ") + std::string(algorithm.run.algorithm->name);
    const std::string_view why = !algorithm.simulation          ? std::string_view(algorithm.fault)
                                 : !algorithm.simulation->equal ? "its table is wrong"
                                                                : "it has a race";
    if (first.empty()) first = why.substr(0, why.find('\n'));
  }
  tell("failed: " + names + " (" + std::string(first) + "); details are in the report");
}

// A running simulation cannot be stopped: the finished ones are written, and the program ends without waiting.
[[noreturn]] void end_interrupted(std::size_t done, std::size_t wanted) {
  tell("interrupted; " + std::to_string(done) + " of " + std::to_string(wanted) + " algorithms ran");
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitCode::failed));
}

}  // namespace

ExitCode run_simulate(const Options& options) {
  const auto latencies = options.model ? model_gpus(options.latencies) : std::vector<gpu::simulated::GpuLatencies>();
  auto wanted = options;
  if (options.model) wanted.algorithms.assign(std::begin(modelled_algorithms), std::end(modelled_algorithms));
  const auto choice = choose_simulations(wanted);
  if (!options.output.empty()) {
    check_result(options.output, {});
    std::vector<std::filesystem::path> read;
    if (options.latencies) read.emplace_back(*options.latencies);
    check_kept(options.output, read);
  }
  const TakenNames taken({options.output});
  const auto& driver = simulated_gpu(gpu::simulated::Build::observed);

  watch_interrupts();
  auto report = simulate_all(driver, choice);
  report.set = options.changes;
  // Do not replace an older report with an empty one.
  if (report.interrupted && report.algorithms.empty() && !options.output.empty()) end_interrupted(0, choice.runs.size());
  try {
    if (options.model)
      put(options.json ? latency_json(report, latencies) : latency_table(report, latencies), options.output);
    else
      put(options.json ? simulation_json(report) : simulation_table(report), options.output);
  } catch (const std::exception& error) {
    if (!report.interrupted) throw;
    report_failure(error);
  }
  if (report.interrupted) end_interrupted(report.algorithms.size(), choice.runs.size());
  if (!report.failed()) return ExitCode::ok;
  report_what_failed(report);
  return ExitCode::failed;
}

}  // namespace app
