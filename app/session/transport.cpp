#include "app/session/transport.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "app/capture/capture.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/selection.h"
#include "app/pipeline/picture_drawing.h"

namespace app {
namespace {

constexpr std::string_view a_new_source = "a new source";  // of which Messages knows the failure

}  // namespace

Transport::Transport(const Run& run, Settings& settings, const Engine& engine, bool has_gpu, const Outputs& outputs,
                     Messages& messages)
    : run_(run), settings_(settings), engine_(engine), outputs_(outputs), messages_(messages), asked_(request(has_gpu)) {
  feed_.set_playback(playback(run_.log || run_.record));
  feed_.open(asked_);
}

capture::Playback Transport::playback(bool every_frame) const {
  return {settings_.loop, settings_.max_speed, settings_.speed, every_frame, settings_.values};
}

bool Transport::needs_every_frame() const { return run_.log || outputs_.recording(); }

// A window waits for a live source that was lost; a run without one ends.
capture::Request Transport::request(bool has_gpu) const {
  auto request = request_of(settings_, has_gpu);
  request.retry = !run_.offscreen;
  request.lossless = run_.offscreen;
  request.largest_side = run_.largest_side;
  return request;
}

capture::Request Transport::wanted() const { return request(engine_.probe().gpu.has_value()); }

// The values of a matrix are those of one source; whoever names another and its values sets both.
bool Transport::leaves_matrix() const { return settings_.source != asked_.source && settings_.matrix == asked_.matrix; }

void Transport::stay() {
  put_request(asked_, settings_);
  start_ = 0;
}

void Transport::follow() {
  feed_.set_playback(playback(needs_every_frame()));
  auto request = wanted();
  request.start = std::exchange(start_, 0);            // of this source: one that is not opened leaves it to none after it
  const bool reopens = std::exchange(reopen_, false);  // another source is opened anyhow
  if (same_request(request, asked_) && !reopens) return;
  asked_ = std::move(request);
  failed_source_.clear();
  failed_because_.clear();
  at_start_ = false;
  if (const auto file = capture::source_file(asked_.source); !file.empty() && outputs_.will_write(file))
    return feed_.refuse(file.string() + " is a result of this run, and not complete yet: name another source");
  feed_.open(asked_);
}

const capture::Frame* Transport::take(std::chrono::microseconds patience, bool of_new) {
  const auto* frame = of_new ? feed_.take_new(patience) : feed_.take(patience);
  idle_ = !frame;
  if (!frame) return nullptr;
  taken_at_ = Clock::now();
  follow_frames(*frame);
  return frame;
}

// What was dropped between the frame taken before and this one, which may be the first of another source.
void Transport::follow_frames(const capture::Frame& frame) {
  const bool same = feed_.source_number() == taken_.source, follows = same && frame.seek == taken_.seek;
  // A seek leaves out what waited to be taken: that was not dropped.
  drops_.add(capture::DropReason::not_taken, follows ? frame.sequence - sequence_ - 1 : same ? 0 : frame.sequence);
  sequence_ = frame.sequence;
  taken_ = {feed_.source_number(), frame.seek};
  if (!same) source_ = std::make_shared<const std::string>(feed_.status().description);
}

void Transport::picture_made() {
  shown_ = taken_;
  position_ = next_position_;
}

bool Transport::shows_its_source() const {
  return !feed_.opening() && !reopen_ && follows_settings() && shown_.source == feed_.source_number();
}

std::string Transport::new_failure() {
  const auto& [number, why] = feed_.open_failure();
  if (messages_.is_new(a_new_source, why.empty() ? "" : std::to_string(number))) return why;
  const auto failure = feed_.failure(), source = std::to_string(feed_.source_number());
  return messages_.is_new("the end of the source", failure.empty() ? "" : source) ? failure : "";
}

bool Transport::new_one_failed() const {
  const auto& [number, why] = feed_.open_failure();
  return !why.empty() && !messages_.knows(a_new_source, std::to_string(number));
}

void Transport::give_up(const std::string& why) {
  has_failed_ = true;
  failed_source_ = asked_.source;
  failed_because_ = why;
  const auto* request = feed_.will_play();
  if (!request || same_request(*request, asked_)) return;
  put_request(*request, settings_);
  asked_ = *request;
}

// Such a picture is too small to be seen at its own size.
bool Transport::in_squares() const {
  const auto* frame = feed_.last();
  return frame && fits_squares(frame->view().size()) && capture::owns_matrix(asked_);
}

bool Transport::at_end() const {
  return !feed_.opening() && feed_.status().phase == capture::Status::Phase::ended && feed_.no_seek().empty();
}

// At the end of a file it starts again.
void Transport::resume() {
  if (at_end()) seek(0);
  feed_.set_paused(false);
}

void Transport::set_paused(bool paused) try {
  if (paused != feed_.paused()) paused ? pause() : resume();
} catch (const std::invalid_argument&) {}  // it has no beginning to resume from

void Transport::go_on_at(const Place& place) {
  if (!follows_settings()) start_at(place.position);
  set_paused(place.paused);
}

// A still image does not play: a key that is pressed while it is shown must not stop the next source.
void Transport::toggle_pause() {
  if (feed_.paused() || at_end()) return resume();
  if (feed_.opening() || !capture::is_still(feed_.status().kind)) return feed_.set_paused(true);
  messages_.info(feed_.no_seek() + ": there is nothing to pause");
}

// The position, or the target of the last seek until it is done: keys that follow each other add up.
double Transport::place() const { return feed_.seeking() ? sought_ : position_; }

void Transport::require_places() const {
  if (const auto why = feed_.no_seek(); !why.empty())
    throw std::invalid_argument(why +
                                (feed_.request() ? ": only videos and the synthetic scene can be sought or stepped" : ""));
}

void Transport::seek(double seconds) {
  require_places();
  const double length = feed_.status().length;
  sought_ = std::clamp(seconds, 0.0, length > 0 ? length : std::max(seconds, 0.0));
  feed_.seek(sought_);
}

// Keys and drags stop at the end; a number that somebody wrote is wrong there. In hundredths of a second, rounded down: so far
// it can be sought.
void Transport::seek_within(double seconds) {
  require_places();
  if (const double length = feed_.status().length; length > 0 && seconds > length)
    throw std::invalid_argument("seek " + number_as_text(seconds) + ": " + capture::describe_source(asked_) + " ends at " +
                                number_as_text(std::floor(length * 100 + 1e-6) / 100) + " s");
  seek(seconds);
}

void Transport::step(int pictures) {
  require_places();
  feed_.set_paused(true);
  const double fps = feed_.status().fps;
  sought_ = std::max(0.0, place() + (fps > 0 ? pictures / fps : 0));
  feed_.step(pictures);
}

}  // namespace app
