#include "app/commands/simulation_worker.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <new>

#include "app/support/console.h"
#include "app/support/interrupt.h"
#include "app/support/progress.h"

namespace app {
namespace {

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

}  // namespace

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

}  // namespace app
