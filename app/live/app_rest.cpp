// App: when the window may stand still, and what is done before it does.
#include <imgui.h>

#include <algorithm>

#include "app/live/app.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto kept_awake = 1s;       // after the last thing that happened: timings come in, panels find their sizes
constexpr auto last_timings = 200ms;  // until they have come from the GPU
constexpr auto longest_rest = 250ms;  // then it is looked for what sends no event: Ctrl-C, a camera that was plugged in
constexpr std::uint64_t enough_measurements = 100;  // for a 99th percentile
constexpr auto longest_measurement = 2s;

}  // namespace

// True where there was input. At rest, waits for it.
bool App::look_for_input() { return surface_->wait_for_input(resting_ ? longest_rest : 0ms); }

// After everything but drawing: whether this frame has to be drawn. The one before a rest is: it says so.
bool App::stay_awake(bool happened) {
  const auto now = Clock::now();
  const bool rested = resting_;
  if (happened || moves()) awake_until_ = now + kept_awake;
  if (measuring()) awake_until_ = std::max(awake_until_, now + last_timings);
  resting_ = now > awake_until_;
  state_.resting = resting_;
  if (resting_ && !rested) refreshed_ = {};  // the last frame shows all that was measured
  if (resting_ && rested) session_.meter().rest();
  return !resting_ || !rested;
}

// What changes the window by itself.
bool App::moves() {
  if (session_.run().offscreen) return true;
  const bool other_cameras = look_for_cameras();
  return session_.run().frames || !session_.feed().quiet() || session_.engine().busy() || other_cameras ||
         session_.messages().any() || ImGui::GetIO().WantTextInput || ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive();
}

// A picture that stays is computed again until its kernels' statistics mean something.
bool App::measuring() {
  const auto& run = session_.run();
  if (run.offscreen || run.frames || !session_.feed().quiet() || !session_.feed().last()) return false;
  return session_.pictures_of_work() < enough_measurements && Clock::now() < measured_until_;
}

void App::measure_from_now() { measured_until_ = Clock::now() + longest_measurement; }

}  // namespace app
