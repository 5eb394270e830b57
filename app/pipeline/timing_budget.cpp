#include "app/pipeline/timing_budget.h"

#include <algorithm>

namespace app {

bool TimingBudget::affords(Clock::time_point now) {
  const double passed_us = std::chrono::duration<double, std::micro>(now - std::min(now, latest_)).count();
  latest_ = now;
  credit_us_ = std::min(credit_us_ + share_ * passed_us, most_us);
  return share_ >= 1 || credit_us_ > 0;
}

gpu::TimingDetail TimingBudget::detail(TimingChoice wanted, Clock::time_point now) {
  const bool affordable = affords(now) || wanted == TimingChoice::every;
  if (wanted == TimingChoice::off || !affordable) return gpu::TimingDetail::off;
  return wanted == TimingChoice::frame ? gpu::TimingDetail::frame : gpu::TimingDetail::launches;
}

void TimingBudget::spend(double us) { credit_us_ = std::max(credit_us_ - us, -most_us); }

}  // namespace app
