#include "app/session/outputs.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <thread>
#include <utility>

#include "app/support/machine.h"

namespace app {
namespace {

namespace fs = std::filesystem;

// satscope-out/<what>-20260102-030405.<ending>, with a number where two fall into one second.
fs::path new_file(const std::string& what, const std::string& ending) {
  const fs::path folder = "satscope-out";
  std::error_code ignored;
  fs::create_directories(folder, ignored);  // where it fails, writing says why
  const auto now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  auto path = folder / (what + '-' + stamp + ending);
  for (int i = 2; fs::exists(path, ignored); ++i)
    path = folder / (what + '-' + stamp + '-' + std::to_string(i) + ending);
  return path;
}

}  // namespace

Report report_of(Engine& engine, const Meter& meter, const capture::Status& source) {
  Report report;
  const bool cuda = engine.device() == gpu::Device::cuda;
  report.device = cuda ? engine.probe().gpu->name : processor_name();
  report.driver = cuda ? "NVIDIA " + nvidia_driver_version() + ", " + cuda_versions()
                       : std::string(engine.device() == gpu::Device::simulated ? "simulated GPU, " : "host, ") +
                             std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " threads";
  report.simulated = engine.device() == gpu::Device::simulated;
  report.source = source.description;
  report.dropped = source.dropped;
  report.selection = engine.selection();
  report.frame_ms = meter.picture_ms();
  report.work_ms = meter.work_ms();
  report.seconds = meter.seconds();
  if (!engine.has_picture()) return report;
  auto& timeline = engine.pipeline().timeline();
  if (cuda) cudaStreamSynchronize(engine.pipeline().context().stream());  // the last frames count too
  timeline.collect();
  report.size = engine.pipeline().size();
  report.kernels = timeline.rows();
  report.total = timeline.total();
  return report;
}

void Outputs::attempt(const fs::path& path, const Writer& write) {
  try {
    write(path);
    messages_.info("written: " + path.string());
    if (run_.announce) std::printf("%s\n", path.c_str());
  } catch (const std::exception& error) {
    messages_.error(error.what());
    failed_ = true;
  }
}

void Outputs::add(gpu::Context& context, const Picture& picture, const Feed& feed) {
  if (run_.record && !recording_asked_) {
    recording_asked_ = true;
    wanted_recording_ = run_.record;
  }
  if (!recorder_ && !wanted_recording_) return;
  try {
    if (!recorder_)
      recorder_ = std::make_unique<Recorder>(*std::exchange(wanted_recording_, {}), picture.size(), feed.status().fps);
    recorder_->add(context, picture.pixels, feed.last()->position);
  } catch (const std::exception& error) {
    messages_.error(error.what());
    recorder_.reset();
    failed_ = true;
  }
}

void Outputs::toggle_recording() {
  if (recorder_)
    finish_recording();
  else if (wanted_recording_)
    wanted_recording_.reset();
  else
    wanted_recording_ = new_file("processed", ".mp4");
}

void Outputs::finish_recording() {
  if (const auto recorder = std::exchange(recorder_, {}))
    attempt(recorder->target(), [&](const auto&) { recorder->finish(); });
}

void Outputs::screenshot_now(const Writer& write) { attempt(new_file("screenshot", ".png"), write); }

void Outputs::export_now(const Report& report) {
  attempt(new_file("timings", ".json"), [&](const auto& path) { export_report(path, report); });
}

void Outputs::final_screenshot(const Writer& write) {
  if (run_.screenshot) attempt(*run_.screenshot, write);
}

void Outputs::final_export(const Report& report) {
  if (run_.export_file) attempt(*run_.export_file, [&](const auto& path) { export_report(path, report); });
}

}  // namespace app
