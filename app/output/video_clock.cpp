#include "app/output/video_clock.h"

namespace app {
namespace {

constexpr double longest_gap = 5;  // seconds: beyond, the source's clock has jumped

}  // namespace

double VideoClock::picture(const Place& place, double speed, Clock::time_point now) {
  const double step = place.position - last_.position;
  // What was held of a live source is in its positions, too.
  const bool continues = place.live ? !held_ : step <= longest_gap;
  const bool follows = place.source == last_.source && place.seek == last_.seek && step > 0 && continues;
  if (begun_ && follows)
    seconds_ += step / speed;
  else if (begun_)
    seconds_ += real_time_ ? std::chrono::duration<double>(now - then_).count() : 1 / fps_;
  begun_ = true;
  held_ = false;
  last_ = place;
  then_ = now;
  return seconds_;
}

double VideoClock::hold(Clock::time_point now) {
  if (begun_ && real_time_) seconds_ += std::chrono::duration<double>(now - then_).count();
  then_ = now;
  held_ = true;
  return seconds_;
}

}  // namespace app
