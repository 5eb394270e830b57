#include "app/session/meter.h"

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t frames_in_graph = 600, frames_in_run = 100'000;

double milliseconds(Meter::Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// Half of it goes at once, so that a long run costs no more a frame than a short one.
template <class T>
void append(std::vector<T>& values, T value, std::size_t most) {
  if (values.size() >= most) values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(most / 2));
  values.push_back(value);
}

void count(std::deque<Meter::Clock::time_point>& times, Meter::Clock::time_point now) {
  times.push_back(now);
  while (now - times.front() > std::chrono::seconds(1)) times.pop_front();
}

}  // namespace

void Meter::begin() {
  last_begun_ = begun_;
  begun_ = Clock::now();
  waited_ = {};
}

void Meter::end(bool new_picture, double gpu_ms) {
  const auto now = Clock::now();
  const FrameTime frame{started_ ? milliseconds(begun_ - last_begun_) : 0, milliseconds(now - begun_ - waited_),
                            gpu_ms, sequence_++, new_picture};
  started_ = true;
  if (frames_.size() == frames_in_graph) frames_.erase(frames_.begin());
  frames_.push_back(frame);
  count(shown_, now);
  if (!new_picture) return;
  count(pictures_, now);
  append(work_ms_, frame.work, frames_in_run);
  if (pictured_ && rested_)
    first_picture_ += now - last_picture_;
  else if (pictured_)
    append(picture_ms_, milliseconds(now - last_picture_), frames_in_run);
  else
    first_picture_ = now;
  pictured_ = true;
  rested_ = false;
  last_picture_ = now;
}

void Meter::rest() {
  started_ = false;
  rested_ = true;
}

void Meter::reset() {
  frames_.clear();
  picture_ms_.clear();
  work_ms_.clear();
  pictured_ = started_ = false;
}

double Meter::seconds() const {
  return pictured_ ? std::chrono::duration<double>(last_picture_ - first_picture_).count() : 0;
}

double Meter::rate(const std::deque<Clock::time_point>& times) const {
  if (times.size() < 2 || Clock::now() - times.back() > std::chrono::seconds(1)) return 0;
  const auto span = std::chrono::duration<double>(times.back() - times.front()).count();
  return span > 0 ? static_cast<double>(times.size() - 1) / span : 0;
}

}  // namespace app
