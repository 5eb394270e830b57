// App: what the panels show of everything.

#include <thread>
#include <utility>

#include "app/capture/camera_list.h"
#include "app/live/app.h"
#include "app/support/simulated_gpu.h"

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
  if (engine.device() != gpu::Device::cuda) return "computed on the CPU";
  return texture.reason();
}

}  // namespace

void App::show_state() {
  const auto now = Clock::now();
  const auto& engine = session_.engine();
  const auto& meter = session_.meter();
  state_.messages = session_.messages().age(std::chrono::duration<double>(now - said_).count());
  said_ = now;
  state_.paused = session_.feed().paused();
  state_.position = session_.position();
  state_.frame_age_ms = session_.frame_age_ms();
  state_.device = engine.device();
  state_.selection = engine.selection();
  state_.refusal = engine.refusal();
  state_.picture = texture_->size();
  state_.zoom = view_.scale();
  state_.frames = meter.frames();
  state_.fps = meter.fps();
  state_.picture_fps = meter.picture_fps();
  state_.recording = session_.results().recording();
  state_.recorded_seconds = session_.results().recorded_seconds();
  if (now - refreshed_ < 100ms) return;
  refreshed_ = now;
  refresh_state();
}

void App::refresh_state() {
  if (!finished_) state_.capture = session_.feed().status();
  const auto& engine = session_.engine();
  state_.gpu = engine.probe().gpu;
  state_.cuda_unavailable = engine.probe().reason;
  state_.no_simulated = why_no_simulated_gpu();
  state_.host_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  state_.gl = surface_->gl();
  state_.interop = texture_->interop() && engine.device() == gpu::Device::cuda;
  state_.staged_reason = state_.interop ? "" : why_staged(engine, *texture_);
  session_.presented(state_.interop, state_.staged_reason);
  const auto* request = session_.feed().request();
  if (request && (state_.recent.empty() || state_.recent[0] != request->source)) remember(state_.recent, request->source);
  if (resting_) session_.refresh_statistics();
  const auto& statistics = session_.statistics();
  state_.memory_bytes = statistics.memory_bytes;
  state_.rows = statistics.rows;
  state_.total = statistics.total;
  state_.timed_frames = statistics.timed_frames;
  state_.untimed_frames = statistics.untimed_frames;
  state_.dropped_spans = statistics.dropped_spans;
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

}  // namespace app
