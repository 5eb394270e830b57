#include "app/session/idle.h"

#include <algorithm>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto kept_awake = 1s;               // after the last thing that happened: timings come in, panels find their sizes
constexpr auto last_timings = 200ms;          // until they have come from the GPU
constexpr auto longest_wait = 250ms;          // then what sends no event is checked: Ctrl-C, a camera that was plugged in
constexpr auto wait_for_script = 10ms;        // its next line sends no event either
constexpr auto wait_for_saves = 50ms;         // nor does a user's kernel that was saved
constexpr auto wait_while_recording = 100ms;  // its time is shown in tenths of a second
constexpr std::uint64_t enough_measurements = 100;  // for a 99th percentile
constexpr auto longest_measurement = 2s;

}  // namespace

std::chrono::milliseconds Idle::patience() const {
  if (!idle_) return 0ms;
  if (session_.script().runs()) return wait_for_script;
  if (session_.kernels()) return wait_for_saves;
  return session_.outputs().recording() ? wait_while_recording : longest_wait;
}

bool Idle::draws(bool happened) {
  const auto now = Clock::now();
  const bool was_idle = idle_;
  if (happened || moves()) awake_until_ = now + kept_awake;
  if (measuring()) awake_until_ = std::max(awake_until_, now + last_timings);
  idle_ = now > awake_until_;
  begins_ = idle_ && !was_idle;
  return !idle_ || begins_ || session_.outputs().recording();  // a recording counts its seconds
}

// Whether anything changes the window by itself.
bool Idle::moves() const {
  const auto& run = session_.run();
  return run.offscreen || run.frames || session_.script().waits() || session_.script().advanced() ||
         !session_.feed().quiet() || session_.engine().busy() || session_.race().running() ||
         session_.trace_runner().arrives() || (session_.kernels() && session_.kernels()->busy()) ||
         session_.race_runner().bound().measuring() || session_.race_runner().study().running() ||
         session_.maker().responses().busy() || session_.maker().cascade_view().busy() || session_.settings().cards ||
         session_.settings().presentation || session_.messages().any() || session_.settings().browse;
}

bool Idle::measuring() const {
  const auto& run = session_.run();
  if (run.offscreen || run.frames || !session_.feed().quiet() || !session_.feed().last()) return false;
  return session_.log().made_of_work() < enough_measurements && Clock::now() < measured_until_;
}

void Idle::measure_from_now() { measured_until_ = Clock::now() + longest_measurement; }

}  // namespace app
