#include "gpu/clock_match.h"

#include <algorithm>

namespace gpu {
namespace {

constexpr double drift = 100e-6;  // of one clock against the other: twice what ordinary quartz has

}  // namespace

void ClockMatch::not_before(double device, double host) {
  const auto old = offset_ - std::max(0.0, device - at_) * drift;
  offset_ = known_ ? std::max(old, host - device) : host - device;
  at_ = device;
  known_ = true;
}

void ClockMatch::not_after(double device, double host) {
  if (known_) offset_ = std::min(offset_, host - device);
}

}  // namespace gpu
