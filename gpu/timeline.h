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

namespace gpu {

// Records moments, now or when a stream reaches them, and later returns the time between two of them. May throw.
class TimelineClock {
 public:
  virtual ~TimelineClock() = default;
  virtual void reserve(int slots) = 0;  // from now on slots are 0 .. slots - 1; recorded moments stay
  virtual void record(int slot) = 0;
  virtual bool ready(int slot) = 0;                   // whether that moment has passed; never blocks
  virtual double microseconds(int from, int to) = 0;  // both ready
};
std::unique_ptr<TimelineClock> cuda_clock(cudaStream_t stream);  // CUDA events, about 0.5 us resolution
std::unique_ptr<TimelineClock> host_clock();                     // std::chrono::steady_clock

// Where the times of a span come from. whole: from two points of its own; the spans inside it then have none. parts: from
// the points of the spans inside it.
enum class SpanTiming { whole, parts };

struct TimelineSpan {
  int path = 0;         // in the frame's paths
  int parent = -1;      // the span around it, in the frame's spans; -1: none
  double enqueued = 0;  // when the host began to queue it: microseconds of the host's clock since the frame's begin
  // Microseconds since the frame's first point; both 0 if only the span around it is timed.
  double started = 0, ended = 0;
  bool timed = false;

  double microseconds() const { return ended - started; }
};

struct TimelineFrame {
  std::uint64_t id = 0;
  bool timed = false;               // if not, the clock failed or too many frames were in flight, and there are no spans
  int dropped = 0;                  // spans for which there was no room
  std::vector<TimelineSpan> spans;  // in the order in which they began: parents come before their children
  // The names from the outermost span to the innermost, separated by slashes: "2r1w/tile sums". Frames share this list.
  std::shared_ptr<const std::vector<std::string>> paths;

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

  void begin_frame(std::uint64_t id = 0) noexcept;
  void end_frame() noexcept;
  void begin(std::string_view name, SpanTiming timing = SpanTiming::whole) noexcept;
  void end() noexcept;  // of the span that began last

  // The next frame that has finished; nothing if none has. Never blocks.
  std::optional<TimelineFrame> take() noexcept;

 private:
  using HostClock = std::chrono::steady_clock;
  struct Flight {
    TimelineFrame frame;
    HostClock::time_point begun;
    int first = -1, last = -1;  // slots of its first and of its last point
  };

  static int slot(int span, int flight) { return (span * frames_in_flight + flight) * 2; }  // of its start; + 1: of its end
  void record(int slot);
  void start(std::string_view name, SpanTiming timing);
  void lose_frame() noexcept;
  int path_of(std::string_view name, int parent);
  void collect() noexcept;
  void read(Flight& flight);
  void keep(TimelineFrame&& frame) noexcept;

  std::unique_ptr<TimelineClock> clock_;
  int room_ = 0;  // spans per frame
  std::shared_ptr<const std::vector<std::string>> paths_;
  Flight flights_[frames_in_flight];
  std::deque<TimelineFrame> done_;
  int head_ = 0, tail_ = 0, in_flight_ = 0;
  Flight* current_ = nullptr;  // the frame being recorded
  std::vector<int> open_;      // its spans that have not ended, innermost last; -1: one that was dropped
  int outside_ = 0;            // spans that have begun and not ended, and belong to no frame that is being recorded
  int timed_ = -1;             // the open span that has points of its own
};

}  // namespace gpu
