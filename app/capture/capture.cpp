#include "app/capture/capture.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/capture/capture_thread.h"
#include "app/capture/image_file.h"
#include "app/capture/source_text.h"
#include "app/support/threads.h"

namespace app::capture {

struct Devices::Held {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::map<std::string, int> holds;

  void give_back(const std::string& device) {
    {
      const std::lock_guard lock(mutex);
      --holds[device];
    }
    changed.notify_all();
  }
};

Devices::Devices() : held_(std::make_shared<Held>()) {}

Devices::Hold Devices::hold(const std::string& device, std::chrono::milliseconds patience, std::stop_token stop) const {
  std::unique_lock lock(held_->mutex);
  held_->changed.wait_for(lock, std::move(stop), patience, [&] { return held_->holds[device] == 0; });
  ++held_->holds[device];
  return {held_.get(), [held = held_, device](void*) { held->give_back(device); }};
}

Capture::Capture(Request request) : Capture(std::move(request), open_source) {}

Capture::Capture(Request request, SourceFactory factory, Patience patience, Devices devices, const Capture* before)
    : shared_(std::make_shared<Shared>(std::move(request), std::move(factory), patience, std::move(devices),
                                       before ? before->shared_ : nullptr)) {
  quiet_libraries();
  try {
    start_detached([shared = shared_] { shared->run(); });
  } catch (const std::exception& error) {
    shared_->enter(Status::Phase::failed, describe_source(shared_->request) + " could not be opened: " + error.what());
    shared_->active(false);
  }
}

Capture::~Capture() { shared_->stop.request_stop(); }

// When one seek follows another, the first picture of the earlier one is still shown: while the seek bar is dragged, pictures
// change.
const Frame* Capture::take(std::chrono::microseconds patience) {
  std::uint64_t seeks;
  {
    const std::lock_guard lock(shared_->mutex);
    seeks = shared_->seeks;
  }
  const auto wanted = [&](const Frame& frame) { return frame.seek == seeks || frame.seek > taken_seek_; };
  const Frame* frame = shared_->mailbox.take(patience, wanted);
  if (!frame) return nullptr;
  taken_seek_ = frame->seek;
  taken_position_ = frame->position;
  return frame;
}

Frame& Capture::taken() { return shared_->mailbox.taken(); }

Status Capture::status() const { return shared_->current(); }

const Request& Capture::request() const { return shared_->request; }

void Capture::set_paused(bool paused) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->paused = paused;
  }
  shared_->wake.notify_all();
}

void Capture::set_playback(Playback playback) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->playback == playback) return;
    shared_->playback = playback;
  }
  shared_->wake.notify_all();
}

void Capture::seek(double seconds) { go({.seconds = seconds}); }

void Capture::step(int pictures) { go({.steps = pictures}); }

bool Capture::retry_now() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->status.phase != Status::Phase::retrying || shared_->made_way) return false;
  shared_->retry_asked = true;
  shared_->wake.notify_all();
  return true;
}

void Capture::go(Jump place) {
  {
    const std::lock_guard lock(shared_->mutex);
    const bool there = std::max(taken_seek_, shared_->without_picture) >= shared_->seeks;
    if (there && place.steps != 0) place.from = taken_position_;
    if (shared_->asked && !place.seconds) {  // not begun: both at once
      place.steps += shared_->asked->steps;
      place.seconds = shared_->asked->seconds;
      place.from = shared_->asked->from;
    }
    place.number = ++shared_->seeks;
    shared_->asked = place;
    if (shared_->status.phase == Status::Phase::ended) {
      shared_->status.phase = Status::Phase::playing;
      shared_->status.message.clear();
    }
  }
  shared_->mailbox.clear();
  shared_->wake.notify_all();
}

bool Capture::made_way() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->made_way;
}

bool Capture::waiting() const { return shared_->mailbox.full(); }

bool Capture::seeking() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->status.phase == Status::Phase::playing && std::max(taken_seek_, shared_->without_picture) < shared_->seeks;
}

}  // namespace app::capture
