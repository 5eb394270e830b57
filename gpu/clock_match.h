// ClockMatch: places moments of a device's clock on the host's. Nothing asks the device for its time: it does its work after
// the host has queued it, and before the host sees that it is done, and both bound the difference between the clocks. The
// first bound is exact, up to the latency of a launch, whenever the device was idle; so the tightest of recent ones holds.
// All times are microseconds.
#pragma once

namespace gpu {

class ClockMatch {
 public:
  void not_before(double device, double host);  // the device reached `device` when the host's clock was at least at `host`
  void not_after(double device, double host);
  double host_time(double device) const { return device + offset_; }
  void restart() { known_ = false; }  // the device's clock begins anew

 private:
  bool known_ = false;
  double offset_ = 0, at_ = 0;  // host's time less the device's, as known at the device's time `at_`
};

}  // namespace gpu
