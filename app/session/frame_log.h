// FrameLog: the one history, in memory: the frames of a run, the latest of them with all their times, and the figures of the
// frames since the work last changed, or of a range of frames. Graph, tables, percentiles and exports read it and nothing
// else. --log gets each record once it is complete: output/log_file.h writes the file, its rows and those of an export.
//
// A frame is begun, made and presented, in this order; its times come when the device has them. Then it is complete.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/pipeline/frame_figures.h"
#include "app/session/frame_history.h"
#include "gpu/execution/timeline.h"

namespace app {

// Rate: how often something happens, over the last second; of something slow, over the last few times. Of what happens more
// rarely than every five seconds it is not known.
class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  void count(Clock::time_point now) {
    if (!times_.empty() && now - times_.back() > silence) times_.clear();  // a pause is not an interval
    times_.push_back(now);
    while (times_.size() > fewest && now - times_.front() > window) times_.pop_front();
  }
  // Per second; 0 where it has not happened for a second, or for two of its intervals if they are longer.
  double now(Clock::time_point now = Clock::now()) const {
    if (times_.size() < 2) return 0;
    const auto span = times_.back() - times_.front();
    const auto intervals = static_cast<Clock::rep>(times_.size() - 1);
    if (span <= Clock::duration() || now - times_.back() > std::max<Clock::duration>(window, 2 * span / intervals)) return 0;
    return static_cast<double>(intervals) / std::chrono::duration<double>(span).count();
  }

 private:
  static constexpr std::chrono::seconds window{1}, silence{5};
  static constexpr std::size_t fewest = 4;  // their mean is steady where single intervals are not

  std::deque<Clock::time_point> times_;
};

// LostTime: finds the times of a GPU's kernels in which something else had the GPU.
//
// Where OpenGL draws the window on the GPU that computes, the GPU switches between the two from time to time. What is drawn
// then is within the time of whatever kernel runs, and no timing event records it: a kernel of 67 us seems to take 366. It is
// detected because the kernel usually takes much less. Such a time is marked (gpu::TimelineSpan::lost); statistics leave it
// out and count it.
//
// A kernel that takes longer for a reason of its own looks the same. Therefore times are marked only where something draws,
// only far above what is usual, and what stays so becomes usual after half as many frames as are remembered.
class LostTime {
 public:
  static constexpr std::size_t frames_remembered = 32, fewest = 8;  // with fewer nothing is usual yet
  static constexpr double least_us = 150;  // shorter interruptions are not told from a kernel's own time

  // Other work: what was usual before says nothing about it.
  void restart() { usual_.clear(); }
  // Marks the stages of a frame that lost time, and the spans around them. Frames of one work, in their order.
  void mark(gpu::TimelineFrame& frame);

 private:
  // The latest times of one path, per frame.
  struct Times {
    std::array<double, frames_remembered> latest{};
    std::size_t count = 0, next = 0;

    double above_usual(double microseconds) const;  // 0 where that is nothing unusual
    void add(double microseconds);
  };
  std::map<std::string, Times, std::less<>> usual_;
};

class FrameLog {
 public:
  using Clock = FrameRecord::Clock;

  static constexpr std::size_t frames_kept = 2048;  // with all their times; history() has more
  static constexpr std::size_t frames_awaited = 8;  // whose times may be missing; of more, the oldest is complete without
  static constexpr std::uint64_t frames_counted = 1 << 20;  // of one work; then the figures start again at zero

  // `complete` gets each frame once, in the order of their ids.
  explicit FrameLog(std::function<void(const FrameRecord&)> complete = {}) : completed_(std::move(complete)) {}

  // The main thread's loop: each turn, and what of it is spent waiting.
  void begin_turn();
  void waited(Clock::duration time) { waited_ += time; }
  // The turn's drawing is done: the picture made in it counts as presented. Where its annotations or its pixels still come
  // from the GPU (no interop), it is on the screen one or two frames later. Not `on_screen`: the window was not drawn in this
  // turn, the picture was only made.
  void drawn(bool on_screen = true);
  // Nothing is computed, and nothing comes by itself (a still image, a pause): the time until the next frame is nobody's
  // interval, also where the window is drawn meanwhile.
  void idle();

  // A picture was asked for: all that is known before it is there. Only one at a time.
  void begin(FrameRecord record) { making_ = std::move(record); }
  // It is there, made with `selection`. One that is never drawn does not count as a frame. `drawn_bytes`: as in FrameRecord.
  void made(const Selection& selection, gpu::Size size, int drawn_bytes = sizeof(gpu::Rgba));
  void take(gpu::TimelineFrame times);
  // The check of one of the lanes of the picture that is being made.
  void add_check(const PictureCheck& check);
  void flush();  // no more times will come
  void reset();  // the figures start again at zero with the next frame
  // Whether OpenGL draws on the GPU that computes, which frames then lose time to.
  void draws_on_gpu(bool draws) { draws_on_gpu_ = draws; }
  // What else the cost or the rate of frames depends on: if its value changes, the figures start again at zero with the next
  // frame that is made. The first value is not a change.
  void set_circumstance(std::string_view name, std::string_view value);

  std::span<const FrameRecord> latest() const;  // presented ones, oldest first; the times of the last ones may be missing
  const FrameFigures& figures() const { return figures_; }  // of the complete frames of the work
  std::uint64_t made_of_work() const { return of_work_; }

  // The frames that statistics are about: a range of ids, of the work of its last frame; nullopt: those of the work.
  void select(std::optional<FrameRange> range) { range_ = range; }
  const FrameFigures& shown();                  // of these frames, as far as they are complete
  const Work* shown_work() const;               // that they belong to; nullptr before the first frame
  FrameHistory::Indices shown_indices() const;  // of history(), as far as it has them
  // The same with all their times, as far as latest() has them.
  std::vector<FrameRecord> shown_records() const;
  bool shows_range() const { return range_.has_value(); }
  const FrameHistory& history() const { return history_; }

  double age_us() const { return age_us_; }  // of the picture shown last, when it was
  double drawn_per_second() const { return drawn_rate_.now(); }
  double pictures_per_second() const { return picture_rate_.now(); }  // of new frames

 private:
  void begin_work(const Selection& selection, gpu::Size size);
  void complete_frames(std::size_t awaited);
  void mark_lost_time(FrameRecord& record);

  std::function<void(const FrameRecord&)> completed_;
  std::optional<FrameRecord> making_, made_;
  std::vector<FrameRecord> records_;      // beside history_: all spans of a frame are too large for as many frames
  std::size_t complete_ = 0;              // of records_
  std::deque<gpu::TimelineFrame> times_;  // of frames that are not complete
  std::vector<StageTime> stages_;         // of the frame that is completed
  LostTime lost_time_;
  std::uint64_t lost_time_of_ = 0;  // the work that it remembers
  bool draws_on_gpu_ = false;
  FrameHistory history_;
  // Figures of frames of history_, each added once: a work has more of them than are kept, and a range stays when its own are
  // not.
  FrameFigures figures_, range_figures_;
  std::optional<FrameRange> range_, figured_range_;  // the latter: that range_figures_ are of
  std::size_t figured_ = 0;                          // how many frames of it were complete
  std::optional<Work> range_work_;
  std::uint64_t of_work_ = 0;
  Work work_;                                   // of the picture made last
  std::vector<Circumstance> circumstances_;     // of the next one
  std::shared_ptr<const Selection> selection_;  // likewise, with an effect's position
  Clock::time_point turn_, presented_;
  Clock::duration waited_{};
  Clock::duration turn_cpu_{},
      longest_cpu_{};  // CPU time: the thread's as the turn began; of the longest turn since a frame
  double age_us_ = 0;
  bool reset_ = false;
  bool interrupted_ = true;  // no new frame came just before
  Rate drawn_rate_, picture_rate_;
};

}  // namespace app
