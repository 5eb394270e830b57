#include "app/capture/arrival_rate.h"

#include <algorithm>
#include <cmath>

namespace app::capture {
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
