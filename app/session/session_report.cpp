#include "app/session/session_report.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "app/session/session.h"
#include "app/support/machine.h"

namespace app {
namespace {

std::string threads_text() { return std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " threads"; }
std::string driver_text() { return "NVIDIA " + nvidia_driver_version() + ", " + cuda_versions(); }

}  // namespace

Report report_of(Engine& engine, const FrameLog& log, const capture::Status& source) {
  Report report;
  const bool cuda = engine.device() == gpu::Device::cuda;
  report.simulated = engine.device() == gpu::Device::simulated;
  report.device = cuda ? engine.probe().gpu->name : processor_name();
  report.driver = cuda ? driver_text() : (report.simulated ? "simulated GPU, " : "host, ") + threads_text();
  report.source = source.description;
  report.selection = engine.selection();
  if (engine.has_picture()) report.size = engine.pipeline().size();
  report.figures = log.figures();
  return report;
}

std::string machine_of(const Engine& engine) {
  const auto& gpu = engine.probe().gpu;
  return processor_name() + ", " + threads_text() + (gpu ? "; " + gpu->name + ", " + driver_text() : std::string());
}

void Session::presented(bool interop, std::string staged_reason) {
  if (interop_ && *interop_ != interop) log_.reset();
  interop_ = interop;
  staged_reason_ = std::move(staged_reason);
}

Report Session::report() {
  take_times();
  auto report = report_of(engine_, log_, feed_.status());
  report.race = race_.figures();
  report.interop = interop_.value_or(false);
  report.staged_reason = staged_reason_;
  return report;
}

}  // namespace app
