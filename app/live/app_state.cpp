// App: what the panels show of everything, and the report that is exported.

#include <thread>
#include <utility>

#include "app/capture/camera_list.h"
#include "app/live/app.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t recent_sources = 8;

std::vector<ui::Camera> cameras_now() {
  std::vector<ui::Camera> cameras;
  for (const auto& camera : capture::list_cameras()) cameras.push_back({camera.path, camera.name, camera.reason});
  return cameras;
}

void remember(std::vector<std::string>& recent, const std::string& source) {
  std::erase(recent, source);
  recent.insert(recent.begin(), source);
  if (recent.size() > recent_sources) recent.pop_back();
}

std::string why_staged(const Engine& engine, const gl::SharedTexture& texture) {
  if (engine.device() == gpu::Device::host) return "computed on the host";
  return texture.reason();
}

}  // namespace

void App::show_state() {
  const auto now = Clock::now();
  state_.messages = messages_.age(std::chrono::duration<double>(now - said_).count());
  said_ = now;
  state_.paused = feed_.paused();
  state_.device = engine_.device();
  state_.recipe = engine_.recipe();
  state_.picture = texture_->size();
  state_.zoom = view_.scale();
  state_.frames = meter_.frames();
  state_.fps = meter_.fps();
  state_.picture_fps = meter_.picture_fps();
  state_.recording = results_.recording();
  state_.recorded_seconds = results_.recorded_seconds();
  if (now - refreshed_ < 100ms) return;
  refreshed_ = now;
  refresh_statistics();
}

void App::refresh_statistics() {
  if (!finished_) state_.capture = feed_.status();
  state_.gpu = engine_.probe().gpu;
  state_.cuda_unavailable = engine_.probe().reason;
  state_.host_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  state_.gl = surface_->gl();
  state_.interop = texture_->interop() && engine_.device() == gpu::Device::cuda;
  state_.staged_reason = state_.interop ? "" : why_staged(engine_, *texture_);
  if (const auto* request = feed_.request(); request && (state_.recent.empty() || state_.recent[0] != request->source))
    remember(state_.recent, request->source);
  if (!engine_.has_picture()) return;
  auto& pipeline = engine_.pipeline();
  auto& timeline = pipeline.timeline();
  timeline.collect();
  state_.memory_bytes = pipeline.memory_bytes();
  state_.rows = timeline.rows();
  state_.total = timeline.total();
  state_.timed_frames = timeline.frames();
  state_.untimed_frames = timeline.untimed();
  state_.dropped_spans = timeline.dropped_spans();
  gpu_ms_ = engine_.device() == gpu::Device::cuda ? state_.total.last / 1000 : 0;
}

// Off this thread: a camera that hangs holds up whoever opens it.
// True where others are there than before.
bool App::look_for_cameras() {
  if (cameras_.valid()) {
    if (cameras_.wait_for(0s) != std::future_status::ready) return false;
    return std::exchange(state_.cameras, cameras_.get()) != state_.cameras;
  }
  if (Clock::now() - looked_ > 3s && settings_.panels) {
    looked_ = Clock::now();
    cameras_ = std::async(std::launch::async, cameras_now);
  }
  return false;
}

Report App::report() {
  refresh_statistics();
  auto report = report_of(engine_, meter_, state_.capture);
  report.frames = pictures_;
  report.interop = state_.interop;
  report.staged_reason = state_.staged_reason;
  return report;
}

}  // namespace app
