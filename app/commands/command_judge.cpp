// satscope judge: whether kernels of a user's own are right, what they move, and how long they take.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/scratch_folder.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "gpu/cuda/device.h"
#include "gpu/user_kernels/judge.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using Outcome = gpu::Verdict::Outcome;

// Says on a thread that the user has interrupted.
class InterruptFlag {
 public:
  const std::atomic<bool>& on() const { return on_; }

 private:
  std::atomic<bool> on_ = false;
  std::jthread thread_{[this](const std::stop_token& stop) {
    for (; !stop.stop_requested() && !on_; std::this_thread::sleep_for(std::chrono::milliseconds(20))) on_ = interrupted();
  }};
};

// Where compilers write.
std::unique_ptr<ScratchFolder> compiler_folder() try {
  return std::make_unique<ScratchFolder>("judge");
} catch (const std::runtime_error& error) {
  throw ExitError(ExitCode::failed, error.what());
}

void check_files(const Options& options) {
  std::vector<fs::path> read;
  for (const auto& name : options.sources) {
    std::error_code error;
    const auto status = fs::status(name, error);
    if (!fs::exists(status)) refuse("no such file: " + name);
    if (!fs::is_regular_file(status)) refuse("not a file with kernels: " + name);
    read.emplace_back(name);
  }
  if (!options.junit) return;
  check_result(*options.junit, {});
  check_not_read(*options.junit, read);
}

// What judges: compilers, the simulated GPU, and the GPU if there is one and it is to.
struct Court {
  gpu::KernelTools tools;
  bool on_gpu = false;
};

Court assemble(const Options& options) {
  const bool needs_gpu = options.judge_device == Options::JudgeDevice::cuda ||
                         (options.at_most && options.at_most->microseconds > 0);
  await_simulated_gpu();
  const auto probe = options.judge_device == Options::JudgeDevice::simulated ? gpu::GpuProbe() : gpu::probe_gpu();
  if (needs_gpu && !probe.gpu)
    throw ExitError(ExitCode::no_gpu, "no CUDA device: " + probe.reason +
                                          (options.at_most && options.at_most->microseconds > 0
                                               ? "; without one --at-most takes a factor and an algorithm, as '1.5x 2r1w'"
                                               : "; leave out --device cuda"));
  const auto architecture = probe.gpu ? "sm_" + std::to_string(probe.gpu->major) + std::to_string(probe.gpu->minor) : "";
  std::error_code ignored;
  Court court{gpu::find_kernel_tools(simulated_folders(fs::read_symlink("/proc/self/exe", ignored)), architecture)};
  if (!court.tools.problem.empty()) throw ExitError(ExitCode::failed, court.tools.problem);
  court.on_gpu = probe.gpu && court.tools.no_cuda.empty();
  if (needs_gpu && !court.on_gpu) throw ExitError(ExitCode::failed, court.tools.no_cuda);
  if (probe.gpu && !court.on_gpu) tell("only the simulated GPU judges: " + court.tools.no_cuda);
  if (options.at_most && !court.on_gpu && !options.at_most->algorithm.empty()) {
    const auto& algorithm = named_algorithm(options.at_most->algorithm);
    if (!gpu::runs_on(algorithm, gpu::Device::simulated))
      refuse("--at-most cannot compare with " + options.at_most->algorithm +
             " without a GPU: " + std::string(algorithm.not_simulated));
  }
  return court;
}

JudgedFile judge_file(const Options& options, const Court& court, const std::string& name, const fs::path& folder,
                      const std::atomic<bool>& stop) {
  std::error_code error;
  const auto path = fs::absolute(name, error);
  gpu::JudgeRequest request;
  if (options.size) request.sizes.push_back(*options.size);
  request.on_gpu = request.timed = court.on_gpu;
  request.seed = options.seed;
  if (options.at_most) request.beside = options.at_most->algorithm;
  request.limits = {std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000)),
                    static_cast<std::size_t>(options.memory * (1 << 30))};
  const auto compiled = gpu::compile_kernel(gpu::read_kernel_source(path), 1, court.tools, {}, folder, stop);
  JudgedFile judged{
      name, gpu::judge(compiled, request, {{"/proc/self/exe", std::string(judge_child_word)}}, court.tools, stop), {}};
  if (!judged.verdict.no_cuda.empty()) tell(name + " was judged on the simulated GPU alone: " + judged.verdict.no_cuda);
  if (options.at_most) apply_limit(judged, *options.at_most);
  return judged;
}

// What is compared, and the ratio to what is allowed; 0: nothing can be.
struct Compared {
  double of_limit = 0;
  std::string text;
};

Compared compare(const gpu::Verdict& verdict, const Options::AtMost& most) {
  const auto& time = verdict.time;
  if (most.microseconds > 0) {
    if (!time) return {0, "not compared: no time was measured"};
    return {time->microseconds / most.microseconds,
            microseconds(time->microseconds) + " us, of at most " + microseconds(most.microseconds) + " us"};
  }
  const auto of = [&](double factor, const std::string& what, const std::string& than) -> Compared {
    return {factor / most.factor, what + " " + short_number(factor) + " times " + than + most.algorithm + ", of at most " +
                                      short_number(most.factor)};
  };
  if (time && time->beside_microseconds > 0) return of(time->microseconds / time->beside_microseconds, "takes", "");
  if (!verdict.counts_beside || verdict.counted.pixels() == 0)
    return {0, "not compared: " + most.algorithm + " has no " + std::string(gpu::info(verdict.type).name)};
  const auto sectors = [](const gpu::simulated::Counts& counts) {
    return static_cast<double>(counts.read.sectors + counts.written.sectors);
  };
  auto compared = of(sectors(verdict.counts) / sectors(*verdict.counts_beside), "moves", "the sectors of ");
  compared.text += " (no GPU measured times: what is moved is compared)";
  return compared;
}

}  // namespace

void apply_limit(JudgedFile& judged, const Options::AtMost& most) {
  auto& verdict = judged.verdict;
  if (verdict.outcome != Outcome::right) return;
  const auto [of_limit, text] = compare(verdict, most);
  judged.compared = text;
  if (of_limit > 0 && of_limit <= 1) return;
  verdict.outcome = Outcome::too_slow;
  verdict.sentence = of_limit > 0 ? "right, but too slow" : "right, but not compared";
}

ExitCode exit_code_of(std::span<const JudgedFile> files) {
  const auto any = [&](Outcome outcome) {
    return std::ranges::any_of(files, [&](const JudgedFile& each) { return each.verdict.outcome == outcome; });
  };
  if (any(Outcome::does_not_compile)) return ExitCode::does_not_compile;
  if (any(Outcome::wrong) || any(Outcome::interrupted)) return ExitCode::failed;
  return any(Outcome::too_slow) ? ExitCode::too_slow : ExitCode::ok;
}

namespace {

// Whole at any time: what ends the run leaves what was judged until then, and names what was not. What is no regular file takes it once.
void write_junit(const Options& options, std::span<const JudgedFile> judged, bool last) {
  if (!options.junit) return;
  std::error_code error;
  const auto status = fs::status(*options.junit, error);
  if (!last && fs::exists(status) && !fs::is_regular_file(status)) return;
  write_file(*options.junit, verdicts_junit(judged, std::span(options.sources).subspan(judged.size())));
}

}  // namespace

ExitCode judge_all(const Options& options, const std::function<JudgedFile(const std::string& name)>& judge,
                   const std::atomic<bool>& stop) {
  std::vector<JudgedFile> judged;
  std::exception_ptr problem;  // that of one file takes no other's verdict
  bool broken_off = false;
  try {
    for (const auto& name : options.sources) {
      write_junit(options, judged, false);
      judged.push_back(judge(name));
      broken_off = stop && judged.back().verdict.outcome == Outcome::interrupted;
      if (broken_off) break;
      if (!options.json) print((judged.size() > 1 ? "\n" : "") + verdict_text(judged.back()), true);
    }
    write_junit(options, judged, true);
  } catch (const std::exception&) {
    problem = std::current_exception();
  }
  if (options.json) print(verdicts_json(judged));
  if (!options.json && judged.size() > 1) print('\n' + ranking_text(judged));
  if (problem) std::rethrow_exception(problem);
  if (broken_off)
    tell("interrupted; " + std::to_string(judged.size() - 1) + " of " + counted(options.sources.size(), "file") + " judged");
  return exit_code_of(judged);
}

ExitCode run_judge(const Options& options) {
  check_files(options);
  const auto court = assemble(options);
  ScratchFolder::remove_abandoned("judge");
  const auto folder = compiler_folder();
  watch_interrupts();
  const InterruptFlag stop;
  return judge_all(
      options, [&](const std::string& name) { return judge_file(options, court, name, folder->path(), stop.on()); },
      stop.on());
}

}  // namespace app
