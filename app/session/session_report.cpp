#include "app/session/session_report.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "app/control/fields.h"
#include "app/session/session.h"
#include "app/support/machine.h"

namespace app {
namespace {

constexpr std::string_view path_to_window = "path to the window", interop_path = "interop";

std::string threads_text() { return std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " threads"; }
std::string driver_text() { return "NVIDIA " + nvidia_driver_version() + ", " + cuda_versions(); }

}  // namespace

Report report_of(Engine& engine, FrameLog& log, const capture::Status& source) {
  Report report;
  report.figures = log.shown();
  report.is_range = log.shows_range();
  report.source = source.description;
  report.selection = engine.selection();
  auto device = engine.device();
  if (engine.has_picture()) report.size = engine.pipeline().size();
  if (const auto* work = log.shown_work()) {
    if (report.is_range) {  // perhaps of an older work
      report.source = *work->source;
      report.selection = *work->selection;
      report.size = work->size;
      device = work->selection->device;
    }
    const auto path = std::ranges::find(work->circumstances, path_to_window, &Circumstance::name);
    report.interop = path != work->circumstances.end() && path->value == interop_path;
  }
  report.simulated = device == gpu::Device::simulated;
  const bool cuda = device == gpu::Device::cuda && engine.probe().gpu;
  report.device = cuda ? engine.probe().gpu->name : processor_name();
  report.driver = cuda ? driver_text() : (report.simulated ? "simulated GPU, " : "CPU, ") + threads_text();
  return report;
}

std::string machine_of(const Engine& engine) {
  const auto& gpu = engine.probe().gpu;
  return processor_name() + ", " + threads_text() + (gpu ? "; " + gpu->name + ", " + driver_text() : std::string());
}

void Session::presented(bool interop, std::string_view staged_reason) {
  interop_ = interop;
  log_.set_circumstance(path_to_window, interop ? interop_path : "staged");
  staged_reason_ = interop ? std::string_view() : staged_reason;
}

// Only what plays at a rate that is chosen has a speed. A source that replaces another is other work anyhow.
void Session::note_speed() {
  if (feed_.opening() || feed_.still() || feed_.status().live) return;
  log_.set_circumstance("speed", settings_.max_speed ? "max" : number_as_text(settings_.speed) + "x");
}

Report Session::report() {
  take_times();
  log_.select(settings_.graph_range);
  auto report = report_of(engine_, log_, feed_.status());
  if (const auto bound = bound_.of(report.selection.device, report.size)) report.bound_us = bound->us;
  report.race = race_.figures();
  report.staged_reason = report.interop ? "" : staged_reason_;
  return report;
}

}  // namespace app
