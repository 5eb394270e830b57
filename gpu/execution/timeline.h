// Timeline: the times of one frame, as a tree of spans: a lane, an algorithm, a kernel. Nothing waits for the GPU: the
// moments of a frame are points in a ring of frames, and take() returns the frames whose points have passed.
//
// Nothing here throws: if the clock fails, as every clock does after a GPU is lost, take() returns the frame without times.
// The timed work reports the error itself.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/context.h"

namespace gpu {

// Records moments, now or when a stream reaches them, and later returns the time between two of them. May throw.
class TimelineClock {
 public:
  virtual ~TimelineClock() = default;
  virtual void reserve(int slots) = 0;  // from now on slots are 0 .. slots - 1; recorded moments stay
  virtual void record(int slot) = 0;
  virtual bool ready(int slot) = 0;                   // whether that moment has passed; never blocks
  virtual double microseconds(int from, int to) = 0;  // both ready
  // Whether a span that begins soon after another one begins at the point where that one ended, because recording points takes
  // time. What the device does between them then counts to the later one.
  virtual bool shares_points() const { return false; }
  virtual std::chrono::steady_clock::time_point host_time() const { return std::chrono::steady_clock::now(); }
};
std::unique_ptr<TimelineClock> cuda_clock(cudaStream_t stream);  // CUDA events, about 0.5 us resolution; shares points
std::unique_ptr<TimelineClock> host_clock();                     // std::chrono::steady_clock

// ClockMatch: places moments of a device's clock on the host's. Nothing asks the device for its time: it does its work after
// the host has queued it, and before the host sees that it is done, and both bound the difference between the clocks. The
// first bound is exact, up to the latency of a launch, whenever the device was idle; so the tightest of recent ones holds.
// All times are microseconds.
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

// Which spans of a frame have points. off: none, and the frame has no spans. frame: spans of computing that are in no other
// such span; only they are recorded. launches: every span whose SpanTiming asks for it.
enum class TimingDetail { off, frame, launches };

struct TimelineSpan {
  int path = 0;         // in the frame's paths
  int parent = -1;      // the span around it, in the frame's spans; -1: none
  double enqueued = 0;  // when the host began to queue it: microseconds of the host's clock since the frame's begin
  // Microseconds since the frame's first point; both 0 if only the span around it is timed.
  double started = 0, ended = 0;
  bool timed = false;
  SpanKind kind = SpanKind::compute;
  double queued = 0;  // when the host had queued all of it, likewise since the frame's begin
  double lost = 0;    // of its microseconds(), those in which something else had the device, if whoever reads them finds out

  double microseconds() const { return ended - started; }
};

struct TimelineFrame {
  std::uint64_t id = 0;
  // If false, there are no spans: the clock failed, too many frames were in flight, or something was started for the first time.
  bool timed = false;
  // How many kernels and library calls the timeline had not met before. The driver may have loaded or even compiled them
  // while the frame was queued: its times are not those of its work.
  int first_launches = 0;
  int dropped = 0;                  // spans for which there was no room
  std::vector<TimelineSpan> spans;  // in the order in which they began: parents come before their children
  // The names from the outermost span to the innermost, separated by slashes: "2r1w/tile sums". Frames share this list.
  std::shared_ptr<const std::vector<std::string>> paths;
  // When the device reached the frame's first point: microseconds of the host's clock since the frame's begin, as well as
  // ClockMatch knows.
  double first_point = 0;
  int points = 0;        // recorded for it
  double timing_us = 0;  // time of the host for recording them, asking for them and reading them

  const std::string& path(const TimelineSpan& span) const { return (*paths)[static_cast<std::size_t>(span.path)]; }
};

class Timeline {
 public:
  static constexpr int frames_in_flight = 4;  // frames whose points may still be unread
  static constexpr int frames_kept = 16;      // finished frames that were not taken; beyond this the oldest is discarded

  // Has room for `spans` spans per frame.
  explicit Timeline(std::unique_ptr<TimelineClock> clock, int spans = 64) noexcept;
  // Makes room for more, between two frames: as many as a dry replay of a frame counted. Spans without room are dropped, and
  // counted.
  void reserve(int spans) noexcept;

  void set_detail(TimingDetail detail) noexcept { detail_ = detail; }  // of frames that begin from now on
  void begin_frame(std::uint64_t id = 0) noexcept;
  void end_frame() noexcept;
  // `started`: an address that stands for the kernel or the library call that the span is about to start on a GPU.
  void begin(const SpanLabel& label, SpanTiming timing = SpanTiming::whole, const void* started = nullptr) noexcept;
  void end() noexcept;  // of the span that began last
  // Something that belongs to no span was queued: the next span gets a point of its own to begin at. It gets one, too, if the
  // host lets more than `longest_shared_gap` pass before it.
  void separate() noexcept { shared_ = -1; }
  static constexpr auto longest_shared_gap = std::chrono::microseconds(20);

  // The next frame that has finished; nothing if none has. Never blocks.
  std::optional<TimelineFrame> take() noexcept;

 private:
  using HostClock = std::chrono::steady_clock;
  struct Flight {
    TimelineFrame frame;
    HostClock::time_point begun;
    int first = -1, last = -1;  // slots of its first and of its last point
    std::vector<int> starts;    // of each span with points of its own: the slot at which it begins
  };
  // One more than may be in flight: the points of the frame read last stay, to tell how much later the next frame's are.
  static constexpr int ring = frames_in_flight + 1;

  static int slot(int span, int flight) { return (span * ring + flight) * 2; }  // of its start; + 1: of its end
  void record(int slot);
  void start(const SpanLabel& label, SpanTiming timing);
  bool shares_point() const;
  void lose_frame() noexcept;
  bool is_first(const void* started) noexcept;
  int path_of(std::string_view name, int parent, std::size_t index);
  void collect() noexcept;
  void read(Flight& flight);
  void match_clocks(Flight& flight);
  void keep(TimelineFrame&& frame) noexcept;

  std::unique_ptr<TimelineClock> clock_;
  int room_ = 0;  // spans per frame
  std::shared_ptr<const std::vector<std::string>> paths_;
  std::vector<int> usual_paths_;  // of the spans of the latest frame: the next one most likely has the same
  Flight flights_[ring];
  std::deque<TimelineFrame> done_;
  std::vector<const void*> started_;  // all that spans have started, in ascending order
  int head_ = 0, tail_ = 0, in_flight_ = 0;
  Flight* current_ = nullptr;        // the frame being recorded
  std::vector<int> open_;            // its spans that have not ended, innermost last; -1: one that was dropped
  int timed_ = -1;                   // the open span that has points of its own
  int shared_ = -1;                  // the slot where the span before ended, if the next one may begin there
  HostClock::time_point shared_at_;  // when that was recorded
  TimingDetail detail_ = TimingDetail::launches;
  ClockMatch match_;
  HostClock::time_point matched_;  // the begin of the frame read last
  int matched_point_ = -1;         // its first point's slot; -1: none
  double device_time_ = 0;         // of that point, on the clock of match_
};

// The spans of a context as ranges of a profiler (NVTX): Nsight shows kernels under the names that the program shows. Without
// a profiler a range costs a comparison. Not on the simulated GPU, and nothing where NVTX's headers are missing.
void push_profiler_range(std::string_view name) noexcept;  // on this thread; allocates nothing
void pop_profiler_range() noexcept;

}  // namespace gpu
