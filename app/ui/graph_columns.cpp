#include "app/ui/graph_columns.h"

#include <algorithm>

namespace app::ui {
namespace {

// Reorders them; 0 of none.
float median_of(std::vector<float>& times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

double shown_time(const HistoryFrame& frame, GraphShows shows) {
  switch (shows) {
    case GraphShows::work: return frame.work_us;
    case GraphShows::interval: return frame.interval_us > 0 ? frame.interval_us : -1;
    case GraphShows::kernels:
    case GraphShows::stages: break;
  }
  return frame.timed ? frame.device.computing : -1;
}

void GraphColumns::update(const FrameHistory& history, GraphShows shows, std::uint64_t per_column) {
  const auto frames = history.frames();
  const auto first = history.added() - frames.size();  // frames before them
  const auto begin = (first + per_column - 1) / per_column, end = (history.added() + per_column - 1) / per_column;
  // Another history that looks the same has fewer frames, or others at the end: a pause begins or ends.
  if (history_ != &history || shows_ != shows || per_column_ != per_column || begin < begin_ || begin > this->end() ||
      end < final_) {
    columns_.clear();
    begin_ = final_ = begin;
    history_ = &history;
    shows_ = shows;
    per_column_ = per_column;
  }
  if (begin > begin_) {
    columns_.erase(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(begin - begin_));
    begin_ = begin;
    final_ = std::max(final_, begin);
  }
  columns_.resize(end - begin_);
  for (auto number = final_; number < end; ++number) {
    columns_[number - begin_] = column(history, number);
    const auto last = (number + 1) * per_column;  // number of its last frame
    if (number == final_ && last <= history.added() && frames[last - 1 - first].complete) ++final_;
  }
}

GraphColumn GraphColumns::column(const FrameHistory& history, std::uint64_t number) {
  const auto frames = history.frames();
  const auto first = history.added() - frames.size();
  const auto from = std::max(number * per_column_, first) - first;
  const auto to = std::min((number + 1) * per_column_, history.added()) - first;
  GraphColumn column;
  times_.clear();
  intervals_.clear();
  for (auto i = from; i < to; ++i) {
    const auto& frame = frames[i];
    column.other_work |= i > 0 && frame.work != frames[i - 1].work;
    column.dropped |= frame.dropped_before > 0;
    const auto time = static_cast<float>(shown_time(frame, shows_));
    if (column.slowest == 0 || time > column.highest) {
      column.slowest = first + i + 1;
      column.highest = std::max(time, 0.f);
    }
    if (time >= 0) times_.push_back(time);
    if (frame.interval_us > 0) intervals_.push_back(static_cast<float>(frame.interval_us));
  }
  column.timed = !times_.empty();
  column.median = median_of(times_);
  column.median_interval = median_of(intervals_);
  column.longest_interval = intervals_.empty() ? 0 : std::ranges::max(intervals_);
  return column;
}

}  // namespace app::ui
