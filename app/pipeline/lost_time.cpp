#include "app/pipeline/lost_time.h"

#include <algorithm>

#include "app/pipeline/frame_figures.h"

namespace app {
namespace {

// The longest span of the path is the one that was interrupted.
void give(gpu::TimelineFrame& frame, const std::string& path, double lost) {
  auto longest = frame.spans.end();
  for (auto span = frame.spans.begin(); span != frame.spans.end(); ++span)
    if (span->timed && frame.path(*span) == path &&
        (longest == frame.spans.end() || span->microseconds() > longest->microseconds()))
      longest = span;
  for (auto i = longest - frame.spans.begin(); i >= 0; i = frame.spans[static_cast<std::size_t>(i)].parent)
    frame.spans[static_cast<std::size_t>(i)].lost += lost;
}

}  // namespace

double LostTime::Times::above_usual(double microseconds) const {
  if (count < fewest || microseconds <= least_us) return 0;
  auto sorted = latest;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return microseconds > *middle + least_us && microseconds > 2 * *middle ? microseconds - *middle : 0;
}

void LostTime::Times::add(double microseconds) {
  latest[next] = microseconds;
  next = (next + 1) % latest.size();
  count = std::min(count + 1, latest.size());
}

void LostTime::mark(gpu::TimelineFrame& frame) {
  if (!frame.timed) return;
  for (const auto& time : stage_times(frame)) {
    if (!time.leaf || time.kind == gpu::SpanKind::wait) continue;
    auto& usual = usual_[*time.path];
    if (const auto lost = usual.above_usual(time.microseconds); lost > 0) give(frame, *time.path, lost);
    usual.add(time.microseconds);
  }
}

}  // namespace app
