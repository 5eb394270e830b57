// --kernel of commands that compute: users' files are compiled and tried before the work.
#include <array>
#include <chrono>
#include <cstdio>
#include <ranges>

#include "app/commands/commands.h"
#include "app/control/kernel_names.h"
#include "app/session/kernel_files.h"
#include "app/session/kernel_refusal.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/interrupt.h"
#include "app/support/simulated_gpu.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

constexpr std::chrono::milliseconds moment(100);

void check_not_interrupted() {
  if (interrupted()) throw ExitError(ExitCode::failed, "interrupted while a kernel was compiled");
}

// As compilers say it, so that editors find the places; then one line.
[[noreturn]] void report_refusal(const KernelFile& file) {
  if (!file.messages.empty()) {
    const auto text = text_of_refusal(file);
    std::fputs((text.substr(text.find('\n') + 1) + '\n').c_str(), console());
  }
  throw ExitError(ExitCode::failed, file.path.string() + ": " + file.refusal);
}

}  // namespace

std::shared_ptr<KernelFiles> load_kernels(Options& options, const gpu::GpuProbe& probe, bool first_type_first) {
  if (options.kernels.empty()) return {};
  await_simulated_gpu();
  auto steps = KernelFiles::usual_steps(probe);
  steps.first_type_first = first_type_first;
  auto files = std::make_shared<KernelFiles>(std::move(steps));
  try {
    for (const auto& file : options.kernels) files->open(file);
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
  const auto is_busy = [&](const KernelFile& file) { return files->busy(file.name); };
  for (; std::ranges::any_of(files->files(), is_busy); files->wait(moment)) {
    check_not_interrupted();
    files->follow(options.size.value_or(gpu::Size()));
  }
  for (const auto& file : files->files()) {
    if (file.version == 0) report_refusal(file);
    if (file.verdict.outcome != gpu::Verdict::Outcome::right)
      tell(file.path.filename().string() + ": " + file.verdict.sentence);
  }
  for (const auto& file : files->files() | std::views::reverse) {  // of several, the last one named is chosen
    const auto* path = file.is_effect ? "effect" : "algorithm";
    if (!options.value_of(path)) options.changes.push_back({path, file.name});
  }
  return files;
}

void require_tried(KernelFiles* kernels, const Selection& selection, gpu::Size size) {
  using State = KernelFiles::Trial::State;
  if (!kernels) return;
  for (;;) {
    const auto trial = kernels->trial(selection, size, moment);
    if (trial.state == State::passed) return;
    if (trial.state == State::failed) throw ExitError(ExitCode::failed, trial.why);
    check_not_interrupted();
  }
}

std::string where_kernels_run(const Options& options, const gpu::GpuProbe& probe) {
  if (!probe.gpu || options.value_of("device").value_or("auto") != "auto") return {};
  for (const auto& file : options.kernels)
    if (const auto* version = gpu::find_user_kernel(kernel_name(file)); version && version->algorithm && !version->on_cuda)
      return version->name + ": " + version->no_cuda + "; it runs on the simulated GPU";
  return {};
}

}  // namespace app
