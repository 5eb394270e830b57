#include "app/pipeline/timing_budget.h"

#include <algorithm>

namespace app {

bool TimingBudget::affords(Clock::time_point now) {
  const double passed_us = std::chrono::duration<double, std::micro>(now - std::min(now, latest_)).count();
  latest_ = now;
  credit_us_ = std::min(credit_us_ + share_ * passed_us, most_us);
  return credit_us_ > 0;
}

void TimingBudget::spend(double us) { credit_us_ = std::max(credit_us_ - us, -most_us); }

}  // namespace app
