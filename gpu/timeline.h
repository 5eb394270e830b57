// Timeline: what every kernel of every frame cost, without ever waiting for the GPU. Each span is a pair of recorded
// points in a ring of frames; collect() reads the pairs of frames that have finished, and leaves the others.
//
// Nothing here throws: a clock that fails, as all do once a GPU is lost, costs the times of the frame, which then counts as
// untimed. What is timed reports the error itself.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpu {

// Something that can note a moment, now or when a stream gets there, and say later how far apart two moments were.
class TimelineClock {
 public:
  virtual ~TimelineClock() = default;
  virtual void record(int slot) = 0;                      // slot: 0 .. slots-1 as given to the Timeline
  virtual bool ready(int slot) = 0;                       // has that moment passed? Never blocks
  virtual double microseconds(int from, int to) = 0;      // both ready
};
std::unique_ptr<TimelineClock> cuda_clock(cudaStream_t stream, int slots);  // CUDA events, about 0.5 us resolution
std::unique_ptr<TimelineClock> host_clock(int slots);                       // std::chrono::steady_clock

// The cost of one name over the frames kept, in microseconds a frame (a name launched three times a frame counts its
// three launches together).
struct TimelineRow {
  std::string name;
  double launches = 0;  // a frame, mean
  double last = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  double share = 0;     // of the sum of all rows' means, 0..1
};

class Timeline {
 public:
  static constexpr int frames_in_flight = 4;  // frames whose points may still be unread
  static constexpr int spans_per_frame = 64;  // more in one frame are dropped, and counted
  static constexpr int slots = frames_in_flight * 2 * spans_per_frame;

  // Statistics are over the latest `history` frames.
  explicit Timeline(std::unique_ptr<TimelineClock> clock, int history = 600);

  void begin_frame();  // where all rings are still unread, this frame goes untimed and is counted
  void end_frame();
  void begin(std::string_view name);  // spans nest: only the outermost is timed, so that a group is one row
  void end() noexcept;
  void collect();  // takes in every finished frame; never blocks

  std::vector<TimelineRow> rows() const;  // in the order of first appearance in the latest frame, then older names
  TimelineRow total() const;              // the frame: from its first point to its last
  std::uint64_t frames() const { return frames_; }      // taken in
  std::uint64_t untimed() const { return untimed_; }    // not read in time, or the clock failed
  std::uint64_t dropped_spans() const { return dropped_spans_; }
  void reset();  // forgets all statistics, e.g. after a switch of algorithm

 private:
  struct Span {
    int name;
    int slot;  // begin; end is slot + 1
  };
  struct Flight {
    std::vector<Span> spans;
  };
  struct Sample {
    std::uint64_t frame;
    double microseconds;
    int launches;
  };
  struct Name {
    std::string text;
    std::deque<Sample> samples;  // of the frames it appeared in, oldest first
  };
  bool record(int slot) noexcept;  // false where the clock failed; then the frame is lost
  int name_index(std::string_view name);
  void take_in(const Flight& flight);

  std::unique_ptr<TimelineClock> clock_;
  std::size_t history_;
  std::vector<Name> names_;
  std::vector<int> order_;                            // of the latest frame
  Flight flights_[frames_in_flight];
  int head_ = 0, tail_ = 0, in_flight_ = 0, depth_ = 0;
  Flight* current_ = nullptr;
  bool timing_ = false, open_ = false;  // a frame, a span is being timed
  std::deque<double> totals_;
  std::uint64_t frames_ = 0, untimed_ = 0, dropped_spans_ = 0;
};

}  // namespace gpu
