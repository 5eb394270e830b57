// The capture thread: opens the source, has it played, and opens a live one that was lost again.
#include <opencv2/core.hpp>

#include <algorithm>
#include <new>

#include "app/capture/capture_shared.h"
#include "app/capture/source_text.h"
#include "app/support/console.h"

namespace app::capture {

void Capture::Shared::run() {
  const SilentStderr silent;
  for (;;) {
    const auto why = attempt();
    if (why.empty() || stop.stop_requested()) break;
    if (!request.retry || !played_live) {
      enter(Phase::failed, why);
      break;
    }
    pause_before_retry(why);
    if (stop.stop_requested()) break;
  }
  active(false);
}

// Why the source failed, in one line; empty where it did not.
std::string Capture::Shared::attempt() {
  try {
    active(true);
    const auto source = factory(request, opening());
    if (!source) throw SourceError("the source could not be opened");
    if (!stop.stop_requested()) play(*source);
  } catch (const cv::Exception& error) {
    return describe_source(request) + " failed inside OpenCV: " + one_line(error.err) +
           "; try another source or convert it with ffmpeg";
  } catch (const std::bad_alloc&) {
    return describe_source(request) + " needs more memory than there is; ask for a smaller size";
  } catch (const std::exception& error) {
    return one_line(error.what());
  } catch (...) {
    return describe_source(request) + " failed for a reason it did not give; try another source";
  }
  return {};
}

Opening Capture::Shared::opening() {
  // An attempt that was given up may claim its device after this thread's end: it holds all that it uses.
  auto claim = [devices = devices, before = before, patience = patience.closing,
                token = stop.get_token()](const std::string& device) {
    if (const auto previous = token.stop_requested() ? nullptr : before.lock()) previous->make_way(device);
    return devices.hold(device, patience, token);
  };
  return {stop.get_token(), [this](std::string message) { say(std::move(message)); }, std::move(claim)};
}

// Called by the thread that needs the device.
void Capture::Shared::make_way(const std::string& needed) {
  {
    const std::lock_guard lock(mutex);
    if (device != needed || status.phase == Phase::failed || status.phase == Phase::ended) return;
    made_way = true;
  }
  stop.request_stop();
}

void Capture::Shared::pause_before_retry(const std::string& why) {
  // No time that is left: a window that is idle would show an old one.
  const auto longest = std::chrono::ceil<std::chrono::seconds>(std::max(next_retry, patience.longest_retry)).count();
  const std::string name = describe_source(request);
  const std::string loss = "lost " + name + ": " +
                           (why.starts_with(name + " ") ? "it " + why.substr(name.size() + 1) : why) + "; trying again";
  lose(loss, loss + ", at least every " + std::to_string(longest) + " s");
  active(false);
  SilentStderr::forget_old();
  next_retry = waits_for_retry() ? std::min(next_retry * 2, patience.longest_retry) : patience.retry;
  say(loss);
}

// What an attempt to open does now.
void Capture::Shared::say(std::string message) {
  const std::lock_guard lock(mutex);
  status.message = std::move(message);
  last_activity = Clock::now();
}

void Capture::Shared::lose(std::string loss, std::string message) {
  const std::lock_guard lock(mutex);
  status.phase = Phase::retrying;
  status.message = std::move(message);
  status.loss = std::move(loss);
  retry_asked = false;
}

// False where the user wants the attempt at once.
bool Capture::Shared::waits_for_retry() {
  std::unique_lock lock(mutex);
  return !wake.wait_for(lock, stop.get_token(), next_retry, [this] { return retry_asked; });
}

void Capture::Shared::note(const SourceInfo& info) {
  const std::lock_guard lock(mutex);
  status.kind = info.kind;
  status.description = info.description;
  status.name = info.name;
  status.fps = info.fps;
  status.live = info.live;
  status.length = info.length;
  status.no_seek = info.no_seek;
  device = info.device;
  if (info.size.pixels() > 0) status.size = info.size;
  if (!info.message.empty()) status.message = info.message;
  if (!info.warning.empty()) status.warning = info.warning;
}

void Capture::Shared::enter(Phase phase, std::string message) {
  const std::lock_guard lock(mutex);
  status.phase = phase;
  status.message = std::move(message);
  if (phase == Phase::playing) status.loss.clear();
}

// A picture of a live source has come.
void Capture::Shared::measure(ArrivalRate::Clock::time_point came) {
  arrivals.add(came == Clock::time_point() ? Clock::now() : came);
  const std::lock_guard lock(mutex);
  status.measured_fps = arrivals.per_second();
}

void Capture::Shared::forget_rate() {
  arrivals = {};
  const std::lock_guard lock(mutex);
  status.measured_fps = 0;
}

void Capture::Shared::active(bool expects_more) {
  const std::lock_guard lock(mutex);
  expecting = expects_more;
  seeking = seeking && expects_more;
  last_activity = Clock::now();
}

// A source that hangs inside a library cannot report it: the time since its last activity is checked here, on the caller's
// thread.
Status Capture::Shared::current() const {
  const auto counts = mailbox.counts();
  const std::lock_guard lock(mutex);
  Status now = status;
  now.delivered = counts.posted;
  now.dropped = counts.replaced;
  const auto silent = Clock::now() - last_activity;
  const std::string seconds = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silent).count());
  if ((now.phase == Phase::opening || now.phase == Phase::retrying) && expecting && !seeking && silent > patience.open) {
    now.phase = Phase::failed;
    now.message = describe_source(request) + " has not answered for " + seconds + " s; check it, or choose another source";
  } else if (now.phase == Phase::playing && expecting && !paused && !seeking && silent > patience.picture) {
    now.silent = true;
    now.message = describe_source(request) + " has sent no frames for " + seconds + " s; check it, or choose another source";
  }
  return now;
}

}  // namespace app::capture
