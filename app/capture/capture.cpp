#include "app/capture/capture.h"

#include <opencv2/core.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "app/capture/mailbox.h"
#include "app/capture/pace.h"
#include "app/capture/quiet.h"
#include "app/capture/running_threads.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/console.h"

namespace app::capture {
namespace {

using Clock = std::chrono::steady_clock;
using Phase = Status::Phase;

// How late the main thread may take a file's picture before the next one replaces it: the duration of one picture. Pictures
// are due by the file's timestamps, so that one that is posted late does not delay the next.
std::chrono::microseconds tolerated_delay(double fps) {
  return std::chrono::microseconds(fps > 0 ? static_cast<long long>(1e6 / fps) : 33'333);
}

}  // namespace

// All that the capture thread needs. The thread holds it too, so a source that hangs outlives its Capture unharmed.
struct Capture::Shared {
  Shared(Request request, SourceFactory factory, Patience patience)
      : request(std::move(request)), factory(std::move(factory)), patience(patience) {}

  const Request request;
  const SourceFactory factory;
  const Patience patience;
  std::stop_source stop;
  Mailbox<Frame> mailbox;

  mutable std::mutex mutex;          // guards what follows
  std::condition_variable_any wake;  // paused changed
  Status status;
  bool paused = false;
  bool expecting = true;  // something should come: neither paused, nor at an end, nor between two attempts
  Clock::time_point last_activity = Clock::now();

  std::uint64_t sequence = 0;  // the capture thread's, as what follows
  bool played_live = false;
  std::chrono::milliseconds next_retry = patience.retry;

  void run();
  std::string attempt();
  void pause_before_retry(const std::string& why);
  void say(std::string message);
  void lose(std::string loss, std::string message);
  void play(Source& source);
  void deliver(Source& source, Pace& pace, bool live);
  bool hold_while_paused(Pace& pace);
  void sleep_until(Clock::time_point due);
  void note(const SourceInfo& info);
  void enter(Phase phase, std::string message);
  void active(bool expects_more);
  Status current() const;
};

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
    const auto source = factory(request, {stop.get_token(), [this](std::string message) { say(std::move(message)); }});
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

void Capture::Shared::pause_before_retry(const std::string& why) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(next_retry).count();
  const std::string name = describe_source(request);
  const std::string loss = "lost " + name + ": " +
                           (why.starts_with(name + " ") ? "it " + why.substr(name.size() + 1) : why) + "; trying again";
  lose(loss, loss + " in " + std::to_string(seconds) + " s");
  active(false);
  SilentStderr::forget_old();
  sleep_until(Clock::now() + next_retry);
  next_retry = std::min(next_retry * 2, patience.longest_retry);
  say(loss);
}

// What an attempt to open does now.
void Capture::Shared::say(std::string message) {
  const std::lock_guard lock(mutex);
  status.message = std::move(message);
}

void Capture::Shared::lose(std::string loss, std::string message) {
  const std::lock_guard lock(mutex);
  status.phase = Phase::retrying;
  status.message = std::move(message);
  status.loss = std::move(loss);
}

// For each picture: read it, check it, wait until it is due, post it.
void Capture::Shared::play(Source& source) {
  const SourceInfo info = source.info();
  note(info);
  Pace pace;
  std::uint64_t this_pass = 0;
  while (!stop.stop_requested()) {
    if (!info.live && !hold_while_paused(pace)) return;
    active(true);
    Frame& frame = mailbox.slot();
    frame.captured = {};
    const Source::Read read = source.read(frame, stop.get_token());
    if (stop.stop_requested()) return;
    if (read == Source::Read::waiting) continue;
    if (read == Source::Read::lost) {
      const std::string why = source.info().message;
      if (!request.retry) throw SourceError(why);
      lose(why, why);
      continue;
    }
    if (read == Source::Read::end) {
      const SourceInfo at_end = source.info();
      {
        const std::lock_guard lock(mutex);
        status.warning = at_end.warning;
      }
      if (!request.loop || this_pass == 0) {
        if (sequence == 0)
          throw SourceError(describe_source(request) + " holds no picture that can be decoded; try another file");
        return enter(Phase::ended, at_end.warning.empty() ? at_end.message : at_end.warning);
      }
      source.rewind();
      pace.next_pass(info.fps > 0 ? 1 / info.fps : 0);
      this_pass = 0;
      continue;
    }
    ++this_pass;
    deliver(source, pace, info.live);
    if (read == Source::Read::still) return;
  }
}

void Capture::Shared::deliver(Source& source, Pace& pace, bool live) {
  Frame& frame = mailbox.slot();
  check_size(frame.size, describe_source(request));
  if (frame.pixels.size() < frame.size.pixels())
    throw SourceError(describe_source(request) + " delivered less than a picture of its size; try another source");
  {
    const std::lock_guard lock(mutex);
    if (live && paused) return;
  }
  active(false);                // what follows waits for the frame's time or for whoever takes it, not for the source
  frame.sequence = sequence++;  // here: what a pause leaves out was not dropped
  const bool lossless = request.max_speed && !live;
  if (!lossless && !live) sleep_until(pace.due(frame.position, Clock::now()));
  if (!live || frame.captured == Clock::time_point{}) frame.captured = Clock::now();
  SilentStderr::forget_old();
  played_live |= live;
  next_retry = patience.retry;

  bool news;
  {
    const std::lock_guard lock(mutex);
    news = status.phase != Phase::playing || status.size != frame.size;
  }
  if (news) {
    SourceInfo info = source.info();
    info.size = frame.size;
    note(info);
    enter(Phase::playing, info.message);
  }
  if (lossless)
    mailbox.post_lossless(stop.get_token());
  else if (live)
    mailbox.post();
  else
    mailbox.post_patiently(tolerated_delay(source.info().fps), stop.get_token());
}

// False: asked to stop.
bool Capture::Shared::hold_while_paused(Pace& pace) {
  std::unique_lock lock(mutex);
  if (!paused) return true;
  pace.forget();
  expecting = false;
  return wake.wait(lock, stop.get_token(), [this] { return !paused; });
}

void Capture::Shared::sleep_until(Clock::time_point due) {
  std::unique_lock lock(mutex);
  wake.wait_until(lock, stop.get_token(), due, [] { return false; });
}

void Capture::Shared::note(const SourceInfo& info) {
  const std::lock_guard lock(mutex);
  status.kind = info.kind;
  status.description = info.description;
  status.fps = info.fps;
  status.length = info.length;
  if (info.size.pixels() > 0) status.size = info.size;
  if (!info.message.empty()) status.message = info.message;
}

void Capture::Shared::enter(Phase phase, std::string message) {
  const std::lock_guard lock(mutex);
  status.phase = phase;
  status.message = std::move(message);
  if (phase == Phase::playing) status.loss.clear();
}

void Capture::Shared::active(bool expects_more) {
  const std::lock_guard lock(mutex);
  expecting = expects_more;
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
  if ((now.phase == Phase::opening || now.phase == Phase::retrying) && expecting && silent > patience.open) {
    now.phase = Phase::failed;
    now.message = describe_source(request) + " has not answered for " + seconds + " s; check it, or choose another source";
  } else if (now.phase == Phase::playing && expecting && silent > patience.picture) {
    now.message = describe_source(request) + " has sent no frames for " + seconds + " s; check it, or choose another source";
  }
  return now;
}

Capture::Capture(Request request) : Capture(std::move(request), open_source) {}

Capture::Capture(Request request, SourceFactory factory, Patience patience)
    : shared_(std::make_shared<Shared>(std::move(request), std::move(factory), patience)) {
  quiet_libraries();
  start_detached([shared = shared_] { shared->run(); });
}

Capture::~Capture() { shared_->stop.request_stop(); }

const Frame* Capture::take(std::chrono::microseconds patience) { return shared_->mailbox.take(patience); }

Status Capture::status() const { return shared_->current(); }

const Request& Capture::request() const { return shared_->request; }

void Capture::set_paused(bool paused) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->paused = paused;
  }
  shared_->wake.notify_all();
}

}  // namespace app::capture
