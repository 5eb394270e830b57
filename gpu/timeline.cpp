#include "gpu/timeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>

#include "gpu/error.h"

namespace gpu {
namespace {

class CudaClock : public TimelineClock {
 public:
  CudaClock(cudaStream_t stream, int slots) : stream_(stream), events_(static_cast<std::size_t>(slots)) {}
  ~CudaClock() override {
    for (const auto event : events_)
      if (event) cudaEventDestroy(event);
  }
  void record(int slot) override {
    auto& event = events_[static_cast<std::size_t>(slot)];
    if (!event) check(cudaEventCreate(&event));
    check(cudaEventRecord(event, stream_));
  }
  bool ready(int slot) override {
    const auto code = cudaEventQuery(events_[static_cast<std::size_t>(slot)]);
    if (code == cudaErrorNotReady) {
      cudaGetLastError();
      return false;
    }
    check(code);
    return true;
  }
  double microseconds(int from, int to) override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_[static_cast<std::size_t>(from)],
                               events_[static_cast<std::size_t>(to)]));
    return static_cast<double>(milliseconds) * 1000.0;
  }

 private:
  cudaStream_t stream_;
  std::vector<cudaEvent_t> events_;
};

class HostClock : public TimelineClock {
 public:
  explicit HostClock(int slots) : points_(static_cast<std::size_t>(slots)) {}
  void record(int slot) override { points_[static_cast<std::size_t>(slot)] = std::chrono::steady_clock::now(); }
  bool ready(int) override { return true; }
  double microseconds(int from, int to) override {
    return std::chrono::duration<double, std::micro>(points_[static_cast<std::size_t>(to)] -
                                                     points_[static_cast<std::size_t>(from)])
        .count();
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> points_;
};

// The value that `fraction` of the values do not exceed (nearest rank). Reorders them: rows() runs in every frame, and
// partial sorting is some ten times cheaper than sorting.
double percentile(std::vector<double>& values, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, values.size()) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

TimelineRow summarise(std::string name, std::vector<double> values) {
  TimelineRow row;
  row.name = std::move(name);
  if (values.empty()) return row;
  row.last = values.back();
  row.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  row.p50 = percentile(values, 0.50);
  row.p90 = percentile(values, 0.90);
  row.p99 = percentile(values, 0.99);
  row.max = *std::max_element(values.begin(), values.end());
  return row;
}

}  // namespace

std::unique_ptr<TimelineClock> cuda_clock(cudaStream_t stream, int slots) {
  return std::make_unique<CudaClock>(stream, slots);
}
std::unique_ptr<TimelineClock> host_clock(int slots) { return std::make_unique<HostClock>(slots); }

Timeline::Timeline(std::unique_ptr<TimelineClock> clock, int history)
    : clock_(std::move(clock)), history_(static_cast<std::size_t>(std::max(history, 1))) {}

void Timeline::begin_frame() {
  collect();
  timing_ = in_flight_ < frames_in_flight;
  current_ = nullptr;
  if (!timing_) {
    ++untimed_;
    return;
  }
  current_ = &flights_[head_];
  current_->spans.clear();
}

void Timeline::end_frame() {
  if (!timing_) return;
  timing_ = false;
  if (!current_->spans.empty()) {
    head_ = (head_ + 1) % frames_in_flight;
    ++in_flight_;
  }
  current_ = nullptr;
}

void Timeline::begin(std::string_view name) {
  if (depth_++ > 0 || !current_) return;
  if (current_->spans.size() == spans_per_frame) {
    ++dropped_spans_;
    return;
  }
  const int slot = (head_ * spans_per_frame + static_cast<int>(current_->spans.size())) * 2;
  if (!record(slot)) return;
  current_->spans.push_back({name_index(name), slot});
  open_ = true;
}

void Timeline::end() noexcept {
  if (--depth_ > 0 || !open_) return;
  open_ = false;
  record(current_->spans.back().slot + 1);
}

bool Timeline::record(int slot) noexcept try {
  clock_->record(slot);
  return true;
} catch (const std::exception&) {
  timing_ = false;
  current_ = nullptr;
  ++untimed_;
  return false;
}

void Timeline::collect() {
  while (in_flight_ > 0) {
    const auto& flight = flights_[tail_];
    try {
      if (!clock_->ready(flight.spans.back().slot + 1)) return;
      take_in(flight);
    } catch (const std::exception&) {
      ++untimed_;
    }
    tail_ = (tail_ + 1) % frames_in_flight;
    --in_flight_;
  }
}

void Timeline::take_in(const Flight& flight) {
  // All are read before the first counts: a clock that fails half way leaves nothing behind.
  std::vector<double> microseconds;
  for (const auto& span : flight.spans) microseconds.push_back(clock_->microseconds(span.slot, span.slot + 1));
  const double total = clock_->microseconds(flight.spans.front().slot, flight.spans.back().slot + 1);
  ++frames_;
  order_.clear();
  auto time = microseconds.begin();
  for (const auto& span : flight.spans) {
    auto& samples = names_[static_cast<std::size_t>(span.name)].samples;
    if (samples.empty() || samples.back().frame != frames_) {
      samples.push_back({frames_, 0, 0});
      order_.push_back(span.name);
    }
    samples.back().microseconds += *time++;
    ++samples.back().launches;
  }
  totals_.push_back(total);
  if (totals_.size() > history_) totals_.pop_front();
  for (auto& name : names_)
    while (!name.samples.empty() && name.samples.front().frame + history_ <= frames_) name.samples.pop_front();
}

std::vector<TimelineRow> Timeline::rows() const {
  auto order = order_;
  for (int name = 0; name < static_cast<int>(names_.size()); ++name)
    if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
  std::vector<TimelineRow> rows;
  double sum = 0;
  for (const int index : order) {
    const auto& name = names_[static_cast<std::size_t>(index)];
    if (name.samples.empty()) continue;
    std::vector<double> values;
    double launches = 0;
    for (const auto& sample : name.samples) {
      values.push_back(sample.microseconds);
      launches += sample.launches;
    }
    rows.push_back(summarise(name.text, std::move(values)));
    rows.back().launches = launches / static_cast<double>(name.samples.size());
    sum += rows.back().mean;
  }
  for (auto& row : rows) row.share = sum > 0 ? row.mean / sum : 0;
  return rows;
}

TimelineRow Timeline::total() const {
  auto row = summarise("frame", {totals_.begin(), totals_.end()});
  row.launches = 1;
  row.share = 1;
  return row;
}

void Timeline::reset() {
  // Frames still under way belong to what was before: they are read no more.
  tail_ = head_;
  in_flight_ = 0;
  totals_.clear();
  names_.clear();
  order_.clear();
  frames_ = untimed_ = dropped_spans_ = 0;
  // What of this frame was timed already belongs there too, and a span that is open now has no beginning any more.
  if (current_) current_->spans.clear();
  open_ = false;
}

int Timeline::name_index(std::string_view name) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].text == name) return static_cast<int>(i);
  names_.push_back({std::string(name), {}});
  return static_cast<int>(names_.size()) - 1;
}

}  // namespace gpu
