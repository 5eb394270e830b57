#include "app/capture/feed.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "app/capture/capture.h"
#include "app/capture/convert.h"
#include "app/capture/source.h"

namespace app {

bool same_request(const capture::Request& a, const capture::Request& b) {
  return a.source == b.source && a.size == b.size && a.fps == b.fps && a.matrix == b.matrix;
}

Feed::Feed() : Feed(capture::open_source) {}

Feed::Feed(capture::SourceFactory factory) : factory_(std::move(factory)) {}

void Feed::open(const capture::Request& request) {
  opening_.reset();
  open_failure_.why.clear();
  // A new one would fail at its first error, unlike one that has played.
  if (shown_ && same_request(request, shown_->request()) && shown_->retry_now()) return;
  playback_.loop = request.loop;
  playback_.max_speed = request.max_speed;
  playback_.values = request.values;
  start(request);
}

void Feed::start(const capture::Request& request) {
  opening_ = std::make_unique<capture::Capture>(request, factory_, capture::Patience(), devices_, shown_.get());
  opening_->set_playback(playback_);
}

const capture::Frame* Feed::take(std::chrono::microseconds patience) {
  if (opening_) {
    if (const auto* frame = first_of_new()) return frame;
    if (opening_ && (!shown_ || shown_->made_way()))
      patience = std::min<std::chrono::microseconds>(patience, std::chrono::milliseconds(5));
  }
  auto* source = shown_ ? shown_.get() : opening_.get();
  if (!source) return std::this_thread::sleep_for(patience), nullptr;
  const auto* frame = source->take(patience);
  if (!frame) return nullptr;
  if (source == opening_.get()) take_over();
  return last_ = frame;
}

// If the new source has delivered a frame, it takes over.
const capture::Frame* Feed::first_of_new(std::chrono::microseconds patience) {
  if (const auto* frame = opening_->take(patience)) {
    take_over();
    return last_ = frame;
  }
  const auto status = opening_->status();
  if (status.phase == capture::Status::Phase::failed) new_one_failed(status.message);
  return nullptr;
}

void Feed::take_over() {
  shown_ = std::move(opening_);
  ++number_;
  shown_->set_paused(paused_);
}

void Feed::new_one_failed(const std::string& why) {
  ++open_failure_.number;
  open_failure_.why = why;
  opening_.reset();
  if (!shown_ || !shown_->made_way()) return;
  keep_last();
  const auto before = shown_->request();
  shown_.reset();
  start(before);
}

std::string Feed::failure() const {
  if (!shown_) return {};
  auto status = shown_->status();
  return status.phase == capture::Status::Phase::failed ? std::move(status.message) : std::string();
}

std::string Feed::loss() const { return shown_ ? shown_->status().loss : std::string(); }

std::string Feed::warning() const { return shown_ ? shown_->status().warning : std::string(); }

bool Feed::ended() const {
  if (opening_) return false;
  if (!shown_) return true;
  const auto phase = shown_->status().phase;
  if (phase != capture::Status::Phase::ended && phase != capture::Status::Phase::failed) return false;
  return !shown_->waiting();  // asked last: the source may have delivered its last frame and ended since the last take()
}

bool Feed::shows_other(const std::optional<capture::ValueWindow>& values) const {
  return last_ && last_->values.channels > 0 && last_->values.shown != values.value_or(last_->values.automatic);
}

void Feed::show(const std::optional<capture::ValueWindow>& values) {
  if (!shows_other(values)) return;
  auto& frame = last_ == &kept_ ? kept_ : shown_->taken();
  capture::show_values(frame, values.value_or(frame.values.automatic), frame.pixels.locked());
}

const capture::Frame* Feed::still() const {
  return !opening_ && shown_ && capture::is_still(shown_->status().kind) ? last_ : nullptr;
}

bool Feed::quiet() const {
  if (opening_ || seeking()) return false;
  return ended() || still() || paused_ || status().phase == capture::Status::Phase::retrying;
}

capture::Status Feed::status() const {
  if (opening_) return opening_->status();
  if (shown_) return shown_->status();
  capture::Status nothing;
  nothing.phase = capture::Status::Phase::failed;
  nothing.message = why_nothing();
  return nothing;
}

std::string Feed::why_nothing() const { return open_failure_.why.empty() ? "no source is open" : open_failure_.why; }

const capture::Request* Feed::request() const { return shown_ ? &shown_->request() : nullptr; }

const capture::Request* Feed::will_play() const { return shown_ || !opening_ ? request() : &opening_->request(); }

void Feed::set_paused(bool paused) {
  paused_ = paused;
  if (shown_) shown_->set_paused(paused);
}

void Feed::set_playback(const capture::Playback& playback) {
  playback_ = playback;
  if (shown_) shown_->set_playback(playback);
  if (opening_) opening_->set_playback(playback);
}

void Feed::seek(double seconds) {
  if (shown_) shown_->seek(seconds);
}

void Feed::step(int pictures) {
  if (shown_) shown_->step(pictures);
}

std::string Feed::no_seek() const { return shown_ ? shown_->status().no_seek : why_nothing(); }

// The frame outlives its source, so that it can be shown with other settings until the next one comes.
void Feed::keep_last() {
  if (!last_ || last_ == &kept_) return;
  kept_.resize(last_->size, false);
  std::copy_n(last_->pixels.data(), last_->size.pixels(), kept_.pixels.data());
  kept_.sequence = last_->sequence;
  kept_.seek = last_->seek;
  kept_.position = last_->position;
  kept_.captured = last_->captured;
  if (const auto& values = last_->values; values.channels > 0) {
    kept_.values.resize(last_->size, values.channels);
    std::copy_n(values.numbers.data(), last_->size.pixels() * static_cast<std::size_t>(values.channels),
                kept_.values.numbers.data());
  }
  kept_.values.channels = last_->values.channels;
  kept_.values.automatic = last_->values.automatic;
  kept_.values.shown = last_->values.shown;
  last_ = &kept_;
}

}  // namespace app
