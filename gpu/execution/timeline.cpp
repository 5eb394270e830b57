#include "gpu/execution/timeline.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#if __has_include(<nvtx3/nvToolsExt.h>) && !defined(SATSCOPE_SIMULATED)
#include <nvtx3/nvToolsExt.h>
#define SATSCOPE_PROFILER_RANGES
#endif

#include "gpu/cuda/event.h"

namespace gpu {
namespace {

constexpr double drift = 100e-6;   // of one clock against the other: twice what ordinary quartz has
constexpr double to_be_read = -1;  // the start of a span with points of its own, until they are read
// Longer between two frames, events give their distance with too few digits.
constexpr auto longest_distance = std::chrono::seconds(1);

double microseconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

class CudaClock : public TimelineClock {
 public:
  explicit CudaClock(cudaStream_t stream) : stream_(stream) {}
  void reserve(int slots) override { events_.resize(std::max(events_.size(), static_cast<std::size_t>(slots))); }
  void record(int slot) override {
    auto& event = events_.at(static_cast<std::size_t>(slot));
    if (!event) event.emplace(Event::Timing::on);  // not before, because spans without points of their own need none
    event->record(stream_);
  }
  bool ready(int slot) override { return event_of(slot).passed(); }
  double microseconds(int from, int to) override { return event_of(to).microseconds_since(event_of(from)); }
  bool shares_points() const override { return true; }

 private:
  const Event& event_of(int slot) const { return events_.at(static_cast<std::size_t>(slot)).value(); }

  cudaStream_t stream_;
  std::vector<std::optional<Event>> events_;
};

class HostClock : public TimelineClock {
 public:
  void reserve(int slots) override { points_.resize(std::max(points_.size(), static_cast<std::size_t>(slots))); }
  void record(int slot) override { points_.at(static_cast<std::size_t>(slot)) = std::chrono::steady_clock::now(); }
  bool ready(int) override { return true; }
  double microseconds(int from, int to) override {
    return microseconds_between(points_.at(static_cast<std::size_t>(from)), points_.at(static_cast<std::size_t>(to)));
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> points_;
};

bool is_path(std::string_view path, std::string_view parent, std::string_view name) {
  if (parent.empty()) return path == name;
  return path.size() == parent.size() + 1 + name.size() && path.starts_with(parent) && path[parent.size()] == '/' &&
         path.ends_with(name);
}

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

std::unique_ptr<TimelineClock> cuda_clock(cudaStream_t stream) { return std::make_unique<CudaClock>(stream); }
std::unique_ptr<TimelineClock> host_clock() { return std::make_unique<HostClock>(); }

Timeline::Timeline(std::unique_ptr<TimelineClock> clock, int spans) noexcept : clock_(std::move(clock)) { reserve(spans); }

void Timeline::reserve(int spans) noexcept try {
  if (spans <= room_) return;
  clock_->reserve(slot(spans, 0));
  room_ = spans;
} catch (...) {  // the room stays as it was
}

void Timeline::begin_frame(std::uint64_t id) noexcept {
  collect();
  open_.clear();
  timed_ = -1;
  separate();
  current_ = nullptr;
  if (detail_ == TimingDetail::off || in_flight_ == frames_in_flight) return keep({.id = id, .spans = {}, .paths = {}});
  current_ = &flights_[head_];
  current_->frame = {.id = id, .spans = {}, .paths = {}};
  current_->begun = clock_->host_time();
  current_->first = current_->last = -1;
  current_->starts.clear();
}

void Timeline::end_frame() noexcept {
  if (!current_) return;
  if (timed_ >= 0) return lose_frame();  // a span has not ended
  current_->frame.paths = paths_;
  current_ = nullptr;
  head_ = (head_ + 1) % ring;
  ++in_flight_;
}

bool Timeline::is_first(const void* started) noexcept try {
  const auto at = std::ranges::lower_bound(started_, started, std::less<>());
  if (at != started_.end() && *at == started) return false;
  started_.insert(at, started);
  return true;
} catch (...) {  // no memory: it is met again
  return true;
}

void Timeline::begin(const SpanLabel& label, SpanTiming timing, const void* started) noexcept {
  const bool first = started && is_first(started);
  if (!current_) return;
  current_->frame.first_launches += first;
  try {
    start(label, timing);
  } catch (...) {
    lose_frame();
  }
}

void Timeline::start(const SpanLabel& label, SpanTiming timing) {
  auto& frame = current_->frame;
  auto& spans = frame.spans;
  const auto index = spans.size();
  const bool suppressed = detail_ == TimingDetail::frame && (timed_ >= 0 || label.kind != SpanKind::compute);
  const bool dropped = !suppressed && index == static_cast<std::size_t>(room_);
  frame.dropped += dropped;
  open_.push_back(suppressed || dropped ? -1 : static_cast<int>(index));
  if (suppressed || dropped) return separate();
  if (index == 0) spans.reserve(usual_paths_.size());
  TimelineSpan span;
  // The innermost span around it that was not dropped.
  for (auto at = open_.rbegin() + 1; at != open_.rend() && span.parent < 0; ++at) span.parent = *at;
  span.path = path_of(label.name, span.parent < 0 ? -1 : spans[static_cast<std::size_t>(span.parent)].path, index);
  span.kind = label.kind;
  span.enqueued = microseconds_between(current_->begun, clock_->host_time());
  const bool own = timing == SpanTiming::whole && timed_ < 0;
  if (own) span.started = to_be_read;
  current_->starts.resize(index, -1);
  spans.push_back(span);
  if (!own) return;
  timed_ = static_cast<int>(index);
  const int start = shares_point() ? shared_ : slot(timed_, head_);
  current_->starts.push_back(start);
  if (start != shared_) record(start);
}

bool Timeline::shares_point() const { return shared_ >= 0 && clock_->host_time() - shared_at_ <= longest_shared_gap; }

void Timeline::end() noexcept {
  if (!current_ || open_.empty()) return;  // of a span outside of the frame, or of one that it has lost
  const int index = open_.back();
  open_.pop_back();
  if (index < 0) return;
  current_->frame.spans[static_cast<std::size_t>(index)].queued = microseconds_between(current_->begun, clock_->host_time());
  if (index != timed_) return;
  timed_ = -1;
  try {
    const int point = slot(index, head_) + 1;
    record(point);
    shared_ = clock_->shares_points() ? point : -1;
    shared_at_ = clock_->host_time();
  } catch (...) {
    lose_frame();
  }
}

void Timeline::record(int slot) {
  const auto before = HostClock::now();
  clock_->record(slot);
  current_->frame.timing_us += microseconds_between(before, HostClock::now());
  ++current_->frame.points;
  if (current_->first < 0) current_->first = slot;
  current_->last = slot;
}

void Timeline::lose_frame() noexcept {
  open_.clear();
  timed_ = -1;
  keep({.id = std::exchange(current_, nullptr)->frame.id, .spans = {}, .paths = {}});
}

std::optional<TimelineFrame> Timeline::take() noexcept {
  collect();
  if (done_.empty()) return {};
  std::optional<TimelineFrame> frame(std::move(done_.front()));
  done_.pop_front();
  return frame;
}

void Timeline::collect() noexcept {
  while (in_flight_ > 0) {
    auto& flight = flights_[tail_];
    const auto before = HostClock::now();
    const auto count_time = [&] { flight.frame.timing_us += microseconds_between(before, HostClock::now()); };
    try {
      if (flight.last >= 0 && !clock_->ready(flight.last)) return count_time();
      if (flight.frame.first_launches > 0) {
        flight.frame.spans.clear();
        matched_point_ = -1;
      } else {
        read(flight);
        match_clocks(flight);
      }
      count_time();
    } catch (...) {
      flight.frame = {.id = flight.frame.id, .spans = {}, .paths = {}};
      matched_point_ = -1;
    }
    keep(std::move(flight.frame));
    tail_ = (tail_ + 1) % ring;
    --in_flight_;
  }
}

void Timeline::read(Flight& flight) {
  auto& spans = flight.frame.spans;
  int read = -1;  // the point that was read last, which the next span may share
  double its_time = 0;
  const auto time_of = [&](int point) {
    if (point != read) its_time = clock_->microseconds(flight.first, point);
    read = point;
    return its_time;
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    auto& span = spans[i];
    if (span.started != to_be_read) continue;
    span.started = time_of(flight.starts[i]);
    span.ended = time_of(slot(static_cast<int>(i), tail_) + 1);
    span.timed = true;
  }
  for (std::size_t i = spans.size(); i-- > 0;) {  // children before their parents
    auto& span = spans[i];
    if (!span.timed || span.parent < 0) continue;
    auto& parent = spans[static_cast<std::size_t>(span.parent)];
    parent.started = parent.timed ? std::min(parent.started, span.started) : span.started;
    parent.ended = parent.timed ? std::max(parent.ended, span.ended) : span.ended;
    parent.timed = true;
  }
  flight.frame.timed = true;
}

void Timeline::match_clocks(Flight& flight) {
  if (flight.first < 0) return;
  const bool follows = matched_point_ >= 0 && flight.begun - matched_ < longest_distance;
  if (!follows) match_.restart();
  device_time_ = follows ? device_time_ + clock_->microseconds(matched_point_, flight.first) : 0;
  matched_ = flight.begun;
  matched_point_ = flight.first;
  const double begun = microseconds_between({}, flight.begun);
  double ended = 0;
  for (std::size_t i = 0; i < flight.frame.spans.size(); ++i) {
    const auto& span = flight.frame.spans[i];
    if (!span.timed) continue;
    ended = std::max(ended, span.ended);
    // A point that the span before shares was queued, and may have passed, before the host came to this span.
    if (i < flight.starts.size() && flight.starts[i] == slot(static_cast<int>(i), tail_))
      match_.not_before(device_time_ + span.started, begun + span.enqueued);
  }
  match_.not_after(device_time_ + ended, microseconds_between({}, clock_->host_time()));
  flight.frame.first_point = match_.host_time(device_time_) - begun;
}

void Timeline::keep(TimelineFrame&& frame) noexcept try {
  if (done_.size() == frames_kept) done_.pop_front();
  done_.push_back(std::move(frame));
} catch (...) {  // no memory: the frame is lost
}

int Timeline::path_of(std::string_view name, int parent, std::size_t index) {
  if (index >= usual_paths_.size()) usual_paths_.resize(index + 1, 0);
  auto& usual = usual_paths_[index];
  const auto parent_path = parent < 0 ? std::string_view() : std::string_view((*paths_)[static_cast<std::size_t>(parent)]);
  const int known = paths_ ? static_cast<int>(paths_->size()) : 0;
  const auto is_it = [&](int path) { return is_path((*paths_)[static_cast<std::size_t>(path)], parent_path, name); };
  if (usual < known && is_it(usual)) return usual;
  for (int i = 0; i < known; ++i)
    if (is_it(i)) return usual = i;
  // A new list: frames that were taken share the old one.
  auto paths = paths_ ? std::make_shared<std::vector<std::string>>(*paths_) : std::make_shared<std::vector<std::string>>();
  paths->push_back(parent < 0 ? std::string(name) : std::string(parent_path) + '/' + std::string(name));
  paths_ = std::move(paths);
  return usual = known;
}

#ifdef SATSCOPE_PROFILER_RANGES
namespace {

// Null without a profiler: NVTX loads the one that the environment names, if any, with the first call, and never later.
nvtxDomainHandle_t profiler_domain() noexcept {
  static const auto handle = nvtxDomainCreateA("satscope");
  return handle;
}

}  // namespace

void push_profiler_range(std::string_view name) noexcept {
  if (!profiler_domain()) return;
  char text[64];  // NVTX wants a terminating zero
  text[name.copy(text, sizeof text - 1)] = 0;
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = text;
  nvtxDomainRangePushEx(profiler_domain(), &range);
}

void pop_profiler_range() noexcept {
  if (profiler_domain()) nvtxDomainRangePop(profiler_domain());
}
#else
void push_profiler_range(std::string_view) noexcept {}
void pop_profiler_range() noexcept {}
#endif

}  // namespace gpu
