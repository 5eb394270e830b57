// The capture thread: opens the source, has it played, and opens a live one that was lost again.
#include "app/capture/capture_thread.h"

#include <algorithm>
#include <cmath>
#include <new>

#include <opencv2/core.hpp>

#include "app/capture/source_text.h"
#include "app/support/address.h"
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
  const auto too_large = [this] {
    return describe_source(request) + " needs more memory than there is; ask for a smaller size";
  };
  try {
    active(true);
    const auto source = factory(request, opening());
    if (!source) throw SourceError("the source could not be opened");
    if (!stop.stop_requested()) play(*source);
  } catch (const cv::Exception& error) {
    if (error.code == cv::Error::StsNoMem) return too_large();
    return describe_source(request) + " failed inside OpenCV: " + one_line(Address(request.source).hidden_in(error.err)) +
           "; try another source or convert it with ffmpeg";
  } catch (const std::bad_alloc&) {
    return too_large();
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

// Reports what the attempt to open is doing.
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
  status.gray = info.gray;
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

// What the capture thread does with an open source: reads each picture, waits until it is due, posts it; and goes to another
// place where that is asked for.

namespace {

// How late the main thread may take a file's picture before the next one replaces it: the duration of one picture. Pictures
// are due by the file's timestamps, so that one that is posted late does not delay the next.
std::chrono::microseconds tolerated_delay(double fps) {
  return std::chrono::microseconds(fps > 0 ? static_cast<long long>(1e6 / fps) : 33'333);
}

// How many frames of a live source may wait where each is needed, in 128 MiB and in the budget, where one is written and one read.
std::size_t most_waiting(const Frame& frame, std::uint64_t budget) {
  constexpr std::uint64_t most = 30, most_bytes = std::uint64_t{128} << 20;
  const auto bytes_per_pixel = sizeof(gpu::Bgr) + sizeof(std::uint16_t) * static_cast<std::size_t>(frame.values.channels);
  const auto bytes = std::max<std::uint64_t>(frame.size.pixels() * bytes_per_pixel, 1);
  const auto left = budget - std::min(budget, 2 * bytes);
  return static_cast<std::size_t>(std::clamp(std::min(most_bytes, left) / bytes, std::uint64_t{1}, most));
}

void check(const Frame& frame, const Request& request) {
  check_size(frame.size, describe_source(request), request.largest_side);
  if (frame.pixels.size() < frame.size.pixels())
    throw SourceError(describe_source(request) + " delivered an incomplete picture; try another source");
}

}  // namespace

void Capture::Shared::play(Source& source) {
  const SourceInfo info = source.info();
  note(info);
  forget_rate();
  if (info.live) budget = request.memory > 0 ? request.memory : usual_memory();
  pace = {};
  pictures_of_pass = 0;
  held = at_once = false;
  if (request.start > 0 && info.no_seek.empty()) go(source, {.seconds = request.start});
  while (!stop.stop_requested()) {
    if (!info.live && !wait_for_turn(source)) return;
    auto read = Source::Read::frame;
    if (!held) {
      active(true);
      mailbox.slot().captured = {};
      read = source.read(mailbox.slot(), stop.get_token());
      if (stop.stop_requested()) return;
    }
    if (read == Source::Read::waiting) continue;
    if (read == Source::Read::lost) {
      const std::string why = source.info().message;
      if (!request.retry) throw SourceError(why);
      forget_rate();
      lose(why, why);
      continue;
    }
    if (read == Source::Read::end) {
      if (!end(source)) return;
      continue;
    }
    if (info.live) measure(mailbox.slot().captured);
    pictures_of_pass += !held;
    held = !deliver(source, info.live);
    if (read == Source::Read::still) return;
  }
}

// Waits while it is paused, and goes where that is asked for. False: asked to stop.
bool Capture::Shared::wait_for_turn(Source& source) {
  Jump place;
  {
    std::unique_lock lock(mutex);
    if (paused) {
      pace.forget();
      expecting = false;
    }
    if (!wake.wait(lock, stop.get_token(), [this] { return !paused || asked; })) return false;
    pace.set_speed(playback.speed);
    if (!asked) return true;
    place = *std::exchange(asked, {});
  }
  go(source, place);
  return true;
}

void Capture::Shared::go(Source& source, const Jump& place) {
  {
    const std::lock_guard lock(mutex);
    seeking = true;
  }
  active(true);
  seek_number = place.number;
  at_once = true;
  pace.forget();
  if (place.seconds) {
    held = false;
    source.seek(*place.seconds, stop.get_token());
    if (place.steps == 0) return;
    if (source.read(mailbox.slot(), stop.get_token()) != Source::Read::frame) return;
    at = mailbox.slot().position;
  }
  step(source, place);
}

// The picture posted last need not be the one that was taken last.
void Capture::Shared::step(Source& source, const Jump& place) {
  const double from = place.seconds || !place.from ? at.value_or(0) : *place.from;
  const bool there = at == from && place.steps != 0;  // to and fro, the same picture comes once more
  if (place.steps < 0) {
    held = false;
    return source.step_back(from, -place.steps, stop.get_token());
  }
  int passed_over = place.steps - 1;
  if (!there) {
    held = false;
    source.seek(from, stop.get_token());
    ++passed_over;
  }
  if (held && passed_over > 0) {
    held = false;
    --passed_over;
  }
  while (passed_over-- > 0 && source.read(mailbox.slot(), stop.get_token()) == Source::Read::frame) continue;
}

// At the end: starts again, or waits until something is asked for. False: nothing more can come.
bool Capture::Shared::end(Source& source) {
  const SourceInfo info = source.info();
  std::unique_lock lock(mutex);
  status.warning = info.warning;
  const bool loops = playback.loop && pictures_of_pass > 0 && !info.live;
  if (std::exchange(at_once, false) && !loops) without_picture = seek_number;
  if (loops) {
    pace.next_pass(info.fps > 0 ? 1 / info.fps : 0);
  } else {
    if (asked) return true;  // during the last read: it has not ended
    if (sequence == 0)
      throw SourceError(describe_source(request) +
                        (!is_url(request.source) && looks_like_text(local_path(request.source))
                             ? " holds text, not an image; name an image, a video, a camera or a URL"
                             : " holds no picture that can be decoded; " + instead_of(request)));
    status.phase = Phase::ended;
    status.message = info.warning.empty() ? info.message : info.warning;
    if (!info.no_seek.empty()) return false;
    expecting = seeking = false;
    const auto news = [this] { return asked || (playback.loop && !paused && pictures_of_pass > 0); };
    if (!wake.wait(lock, stop.get_token(), news)) return false;
    if (asked) return true;
    pace.forget();
  }
  lock.unlock();
  source.rewind();
  pictures_of_pass = 0;
  return true;
}

// Who takes the frame shows other values of it where these were changed meanwhile.
void Capture::Shared::show_values_of(Frame& frame) {
  const auto automatic = shown_values.automatic_of(frame);
  std::optional<ValueWindow> chosen;
  {
    const std::lock_guard lock(mutex);
    status.automatic = automatic;
    chosen = playback.values;
  }
  if (automatic) show_values(frame, chosen.value_or(*automatic), request.page_locked);
}

// False: before the picture is due something else comes.
bool Capture::Shared::deliver(Source& source, bool live) {
  show_values_of(mailbox.slot());
  check(mailbox.slot(), request);
  bool at_max_speed = false;
  {
    const std::lock_guard lock(mutex);
    if (live && paused) return true;
    at_max_speed = playback.max_speed && !live;
  }
  active(false);  // what follows waits for the frame's time or for whoever takes it, not for the source
  const double position = mailbox.slot().position;
  if (at_once)
    pace.due(position, Clock::now());
  else if (!at_max_speed && !live && !wait_until_due(position))
    return false;
  post(source, live);
  at = position;
  at_once = false;
  return true;
}

bool Capture::Shared::wait_until_due(double position) {
  std::unique_lock lock(mutex);
  for (;;) {
    pace.set_speed(playback.speed);
    const auto due = pace.due(position, Clock::now());
    const auto playing = playback;
    wake.wait_until(lock, stop.get_token(), due, [&] { return asked || paused || playback != playing; });
    if (stop.stop_requested() || asked || paused) return false;
    if (playback.max_speed || Clock::now() >= due) return true;
  }
}

void Capture::Shared::post(Source& source, bool live) {
  Frame& frame = mailbox.slot();
  frame.seek = seek_number;
  frame.sequence = sequence++;  // here: what a pause or a seek leaves out was not dropped
  if (!live || frame.captured == Clock::time_point{}) frame.captured = Clock::now();
  SilentStderr::forget_old();
  played_live |= live;
  next_retry = patience.retry;

  bool news;
  Playback now;
  {
    const std::lock_guard lock(mutex);
    news = status.phase != Phase::playing || status.size != frame.size;
    now = playback;
  }
  if (news) {
    SourceInfo info = source.info();
    info.size = frame.size;
    note(info);
    enter(Phase::playing, info.message);
  }
  if (live)
    mailbox.post(now.every_frame ? most_waiting(frame, budget) : 1);
  else if (now.max_speed || now.every_frame || request.lossless)
    mailbox.post_lossless(stop.get_token());
  else
    mailbox.post_patiently(tolerated_delay(source.info().fps * now.speed), stop.get_token());
}

namespace {

using namespace std::chrono_literals;

constexpr auto settling = 1s;  // pictures that waited until the source was opened come at once
constexpr auto enough = 1s, window = 4s, silence = 5s;
constexpr std::size_t fewest = 3;
constexpr double clear_change = 0.02;

}  // namespace

void ArrivalRate::add(Clock::time_point at) {
  if (!times_.empty() && at - times_.back() > silence) *this = {};
  if (!first_) first_ = at;
  if (at - *first_ < settling) return;
  times_.push_back(at);
  while (times_.size() > fewest && at - times_.front() > window) times_.pop_front();
  const auto span = at - times_.front();
  if (times_.size() < fewest || span < enough) return;
  const double now = static_cast<double>(times_.size() - 1) / std::chrono::duration<double>(span).count();
  if (std::abs(now - rate_) > clear_change * rate_) rate_ = std::max(0.1, std::round(now * 10) / 10);
}

}  // namespace app::capture
