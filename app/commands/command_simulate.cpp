// satscope simulate: CUDA algorithms on the simulated GPU, with every memory access observed.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/simulation_report.h"
#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/control/settings_file.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/execution/driver.h"
#include "gpu/sat_runner.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

using gpu::Device;

[[noreturn]] void refuse_choice(const std::string& message) { throw ExitError(ExitCode::usage, message); }

std::vector<const gpu::SatAlgorithm*> candidates(const Options& options, std::vector<LeftOut>& left_out) {
  std::vector<const gpu::SatAlgorithm*> chosen;
  for (const auto& name : options.algorithms) {
    const auto& algorithm = named_algorithm(name);
    if (algorithm.device == Device::host)
      refuse_choice(name + " runs on the CPU: simulate takes CUDA's algorithms; satscope list algorithms prints them");
    if (!gpu::runs_on(algorithm, Device::simulated)) {
      const auto same = [&](const LeftOut& other) { return other.name == name; };
      if (std::none_of(left_out.begin(), left_out.end(), same))
        left_out.push_back({name, std::string(algorithm.not_simulated)});
    } else if (std::find(chosen.begin(), chosen.end(), &algorithm) == chosen.end())
      chosen.push_back(&algorithm);
  }
  if (chosen.empty() && !left_out.empty())
    refuse_choice(left_out[0].name + ": " + left_out[0].reason + "; choose another algorithm");
  if (!options.algorithms.empty()) return chosen;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (gpu::runs_on(*algorithm, Device::simulated))
      chosen.push_back(algorithm);
    else if (algorithm->device == Device::cuda)
      left_out.push_back({std::string(algorithm->name), std::string(algorithm->not_simulated)});
  return chosen;
}

// --set K=V for all algorithms that have K. An algorithm that does not accept the value is left out, unless none accepts it.
class Assigner {
 public:
  explicit Assigner(const Options& options) : options_(options) {}

  // Returns why the algorithm is left out; empty if it is not.
  std::string operator()(SimulationRun& run) {
    for (const auto& item : options_.changes) {
      const auto key = plain(item.path);
      for (const auto& parameter : run.arguments.parameters()) known_.insert(parameter.name);
      if (!run.arguments.has(key)) continue;
      try {
        run.arguments.set(key, item.text);
        taken_.insert(item.path);
      } catch (const gpu::ArgumentError& error) {
        if (!refused_) refused_ = std::string(run.algorithm->name) + ": " + error.what();
        return error.what();
      }
    }
    return {};
  }

  void check_all_taken() const {
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    for (const auto& item : options_.changes) {
      if (taken_.contains(item.path)) continue;
      if (known_.contains(plain(item.path)) && refused_) refuse_choice(*refused_);
      refuse_choice("no parameter '" + item.path + "' in the algorithms that run" + there_are(names, item.path, names));
    }
  }

 private:
  static std::string_view plain(std::string_view key) {
    constexpr std::string_view prefix = "algorithm.";
    return key.starts_with(prefix) ? key.substr(prefix.size()) : key;
  }

  const Options& options_;
  std::set<std::string_view> known_;
  std::set<std::string, std::less<>> taken_;
  std::optional<std::string> refused_;
};

// What the observation stores: per word of 4 bytes, who wrote and read it last (32 bytes); per pixel, the requests of warps.
constexpr double shadow_bytes_per_byte = 8, trace_bytes_per_pixel = 16;

double memory_needed(const gpu::simulated::SimulationRequest& request, std::size_t workspace) {
  const auto& type = gpu::info(request.type);
  const auto pixels = static_cast<double>(request.size.pixels());
  const auto sum = static_cast<double>(gpu::size_of(type.sum));
  const auto input = static_cast<double>(gpu::size_of(type.input));
  const double observed = pixels * (input + sum) + static_cast<double>(workspace);
  constexpr double reference = 16;  // a table and its bound, of double precision at most
  return observed * (1 + shadow_bytes_per_byte) + pixels * (reference + trace_bytes_per_pixel);
}

// `message` without the algorithm's name at its beginning: the report has the name beside it.
std::string reason(const std::string& message, std::string_view name) {
  const auto prefix = std::string(name) + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

}  // namespace

SimulationChoice choose_simulations(const Options& options) {
  SimulationChoice choice;
  auto& conditions = choice.conditions;
  conditions.type = named_type(options.type).type;
  conditions.size = options.size.value_or(conditions.size);
  conditions.width = options.width;
  conditions.latency = options.latency;
  conditions.gpu = {.resident_blocks = options.blocks, .schedule = options.schedule};
  choice.lines = options.lines;

  Assigner assign(options);
  std::size_t workspace = 0;
  for (const auto* algorithm : candidates(options, choice.left_out)) {
    SimulationRun run{algorithm, gpu::Arguments(algorithm->parameters)};
    auto why = assign(run);
    if (why.empty()) try {
        const auto plan = gpu::plan_sat(Device::simulated, 0, *algorithm, conditions.size, conditions.type, run.arguments);
        workspace = std::max(workspace, plan.workspace_bytes);
      } catch (const std::invalid_argument& error) {
        why = reason(error.what(), algorithm->name);
      }
    if (why.empty())
      choice.runs.push_back(std::move(run));
    else
      choice.left_out.push_back({std::string(algorithm->name), why});
  }
  assign.check_all_taken();
  if (choice.runs.empty()) refuse_choice(choice.left_out[0].name + ": " + choice.left_out[0].reason);
  require_memory(memory_needed(conditions, workspace), "observing a table of " + text_of(conditions.size) + " pixels",
                 "choose a smaller --size");
  return choice;
}

namespace {

// The runs: one after another, with a progress bar, until Ctrl-C.

using gpu::simulated::Driver;

SimulatedAlgorithm simulate(const Driver& driver, const SimulationRun& run, gpu::simulated::SimulationRequest request,
                            bool lines) {
  request.algorithm = run.algorithm->name;
  if (const auto* version = run.algorithm->version)
    request.of_user = version->simulated_algorithm[static_cast<std::size_t>(gpu::simulated::Build::observed)];
  request.arguments = run.arguments;
  // The algorithm's own file, and what the algorithms share; not what all kernels call, such as intrinsics.
  if (lines) request.lines_of = {"sat_" + std::string(run.algorithm->name) + ".cu", "gpu/sat/"};
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

// A progress bar, if stderr is a terminal; otherwise one line, once it takes long.
class Bar {
 public:
  explicit Bar(const SimulationChoice& choice) : choice_(choice), watched_(::isatty(STDERR_FILENO) == 1) {
    if (!watched_) wait_.emplace([this] { say_where_it_is(); });
  }
  ~Bar() { progress_.erase(); }
  void show(std::size_t done) {
    done_ = done;
    if (watched_) progress_.show(done, choice_.runs.size(), choice_.runs[done].algorithm->name);
  }

 private:
  void say_where_it_is() const {  // on the thread of wait_
    const std::size_t done = done_;
    tell(std::string(choice_.runs[done].algorithm->name) + " is being simulated, " + std::to_string(done) + " of " +
         counted(choice_.runs.size(), "algorithm") +
         " ran in 10 s; a smaller --size takes less, Ctrl-C ends and reports those that ran");
  }

  const SimulationChoice& choice_;
  bool watched_;
  std::atomic<std::size_t> done_ = 0;
  Progress progress_{console(), "algorithm"};
  std::optional<LongWait> wait_;  // last: it has ended before what it reads is destroyed
};

// Every run of `choice`, with the driver of the observed build. A fault ends only its own algorithm. After Ctrl-C
// `interrupted` is set, and a thread may still simulate: the program must end with std::_Exit, which waits for nothing.
SimulationReport simulate_all(const Driver& driver, const SimulationChoice& choice) {
  SimulationReport report;
  report.conditions = choice.conditions;
  report.left_out = choice.left_out;
  report.lines = choice.lines;
  // In the source tree, and among the headers that users' kernels include.
  report.sources = {asset("../gpu/sat"), library_of(driver).parent_path() / "user_kernels" / "gpu" / "sat"};
  Bar bar(choice);
  for (std::size_t i = 0; i < choice.runs.size(); ++i) {
    const auto& run = choice.runs[i];
    if (report.interrupted) {
      report.left_out.push_back({std::string(run.algorithm->name), "interrupted"});
      continue;
    }
    // Deferred, and done by get(), only where the system starts no more threads.
    auto result = std::make_unique<std::future<SimulatedAlgorithm>>(
        std::async([&driver, run, request = choice.conditions, lines = choice.lines] {
          return simulate(driver, run, request, lines);
        }));
    while (result->wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout && !interrupted()) bar.show(i);
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
  if (options.model && !options.kernels.empty())
    refuse_choice("--model latency always runs scanrow_brlt, brlt_scanrow and scanrow_column: leave out --kernel");
  wanted.size = options.size.value_or(gpu::simulated::SimulationRequest().size);  // on which they are tried, too
  const auto kernels = load_kernels(wanted, {{}, "simulate runs no kernel on a GPU"});
  for (const auto& file : wanted.kernels) {
    const auto* version = gpu::find_user_kernel(kernel_name(file));
    if (!version->algorithm) refuse_choice(file + " has an effect: simulate runs algorithms; satscope apply draws effects");
    wanted.algorithms.push_back(version->name);
  }
  wanted.changes = options.changes;
  if (options.model) wanted.algorithms.assign(std::begin(modelled_algorithms), std::end(modelled_algorithms));
  const auto choice = choose_simulations(wanted);
  if (!options.output.empty()) {
    check_result(options.output, {});
    std::vector<std::filesystem::path> read;
    if (options.latencies) read.emplace_back(*options.latencies);
    check_kept(options.output, read);
  }
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
