// FrameRecord: one frame. FrameFigures: statistics over frames of one work (with the same source, size, selection, ...),
// exactly what their records give; of all of them, or of a range.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/execution/timeline.h"

namespace app {

// FrameRecord: one frame from capture to screen.
struct FrameRecord {
  using Clock = std::chrono::steady_clock;

  std::uint64_t id = 0;              // counts the frames captured in a run: dropped ones leave gaps
  std::uint64_t dropped_before = 0;  // captured between the frame before and this one, and never taken
  bool again = false;                // not a new frame: the one before, computed again

  std::shared_ptr<const std::string> source;   // as it describes itself
  std::shared_ptr<const Selection> selection;  // what it was made with
  gpu::Size size;
  std::uint64_t work_number = 0;  // grows with every change of source, selection or size, and every reset of the figures
  std::uint64_t of_work = 0;      // counts the frames of one work, from 1

  Clock::time_point captured, taken, enqueued, presented;
  double interval_us = 0;  // of a new frame: since the one before; 0 for the first, and where nothing was due meanwhile
  double work_us = 0;      // of the main thread, without waiting
  double cpu_us = 0;       // of the main thread's longest turn since the frame before: what it computes, whatever else runs
  int drawn_bytes = 0;     // of the picture, per pixel, as Picture::drawn_bytes
  std::vector<PictureCheck> checks;  // of its tables, until it is complete
  std::optional<bool> table_right;   // their result; nothing if no table was checked
  gpu::TimelineFrame times;          // of its stages on the selection's device; empty until they are known

  double age_us() const { return std::chrono::duration<double, std::micro>(presented - captured).count(); }
};

// Distribution: the exact mean, percentiles and maximum of any number of times. Adding one and asking for a percentile stay
// cheap as their number grows.
//
// Values are microseconds in whole nanoseconds, and so is all that is computed from them. Sums are integers: no figure
// depends on the order of the values, so that figures computed from a log are the same to the last digit.
class Distribution {
 public:
  struct Sum {
    std::size_t count = 0;
    std::int64_t nanoseconds = 0;
    double per_second() const;  // count / time, 0 for no time
  };

  void add(double microseconds);

  std::size_t count() const { return values_.size(); }
  // All 0 where there is no value.
  double last() const { return last_; }
  Sum sum() const { return {values_.size(), nanoseconds_}; }
  double mean() const;  // rounded to whole nanoseconds, halves up
  double max() const { return max_; }
  double percentile(unsigned percent) const { return permille(percent * 10); }  // by nearest rank
  double permille(unsigned permille) const;                                     // likewise: 999 is the 99.9th percentile
  Sum largest(unsigned permille) const;  // of so many of the largest values, the number of them rounded up
  std::size_t count_above(double limit) const;
  double share_above(double limit) const;  // of the values, 0..1

 private:
  void sort() const;
  std::span<const double> older() const { return std::span(values_).first(older_); }
  std::span<const double> newer() const { return std::span(values_).subspan(older_); }

  // Three runs: many sorted values, fewer sorted ones, and unsorted ones, added since the last percentile was asked for.
  mutable std::vector<double> values_;
  mutable std::size_t older_ = 0, sorted_ = 0;
  std::int64_t nanoseconds_ = 0;
  double last_ = 0, max_ = 0;
};

// StageStatistics: the time of each stage of a frame (a path of the timeline), over any number of frames.
// The time of one path in one frame, summed where the path occurs more than once. Rounded to nanoseconds, as logs write it,
// so that statistics computed from a log are the same.
struct StageTime {
  const std::string* path;  // owned by the frame
  int depth;                // 0: an outermost span
  bool leaf;                // there is no timed span within it
  int launches;             // spans of the path
  double microseconds;
  gpu::SpanKind kind = gpu::SpanKind::compute;
  double lost = 0;  // of microseconds: gpu::TimelineSpan::lost. Statistics leave such a time out
};
std::vector<StageTime> stage_times(const gpu::TimelineFrame& frame);  // timed ones, in the order in which they begin

// A frame's time on its device, by what its outermost spans are spent on, in microseconds rounded to nanoseconds. Waiting is
// also what is between them (on the CPU until the window takes the picture), and what they lost.
struct DeviceTime {
  double computing = 0, transferring = 0, waiting = 0;
};
DeviceTime device_time(const gpu::TimelineFrame& frame);

// The cost of one path over the frames in which it occurs, in microseconds per frame.
struct StageRow {
  std::string name;     // the path
  double launches = 0;  // per frame, mean
  double last = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  // The share of the time spent computing, 0..1: its mean, a group's the means of its parts, over those of all rows of kind
  // compute that are leaves. 0 for transfers and waiting.
  double share = 0;
  int depth = 0;
  bool leaf = true;               // false: a group, whose parts are the rows after it with greater depth
  std::uint64_t frames = 0;       // in which it occurs and lost no time: the figures are of these
  std::uint64_t lost_frames = 0;  // in which it lost time, and
  double lost_us = 0;             // the mean of that
  double p999 = 0;                // the 99.9th percentile
  gpu::SpanKind kind = gpu::SpanKind::compute;
  std::vector<float> recent;  // of the latest frames in which it occurs, oldest first
};

// As logs write times.
double whole_nanoseconds(double microseconds);

class StageStatistics {
 public:
  void add(std::span<const StageTime> times, const DeviceTime& device);  // of a timed frame
  void add(const gpu::TimelineFrame& frame) {
    if (frame.timed) add(stage_times(frame), device_time(frame));
  }

  static constexpr std::size_t recent_frames = 60;

  std::uint64_t frames() const { return computing_.count(); }
  std::vector<StageRow> rows() const;  // in the order of the latest frame; then paths that only older frames have
  // Per frame, as in DeviceTime.
  const Distribution& computing() const { return computing_; }
  const Distribution& transfers() const { return transfers_; }
  const Distribution& waiting() const { return waiting_; }
  double mean_on_device() const { return computing_.mean() + transfers_.mean() + waiting_.mean(); }
  StageRow total() const;  // of computing

 private:
  struct Stage {
    std::string path;
    int depth;
    bool leaf;
    std::uint64_t launches;
    Distribution times, lost;
    gpu::SpanKind kind;
    std::vector<float> recent;  // a ring, from `oldest` on once it is full
    std::size_t oldest;
  };
  Stage& stage(const StageTime& time, std::size_t place);
  static StageRow row(std::string name, const Distribution& times);
  static StageRow row(const Stage& stage);

  std::vector<Stage> stages_;
  std::vector<std::size_t> order_, next_order_;  // of the latest frame: indices of stages_
  Distribution computing_, transfers_, waiting_;
};

// What statistics take from a frame.
struct FrameTimes {
  std::uint64_t id = 0, dropped_before = 0;
  double interval_us = 0, work_us = 0;  // as in FrameRecord
  std::optional<bool> table_right;      // likewise
  bool first_launches = false;          // something ran for the first time: it is not timed
  bool timed = false;                   // if not, what follows is empty
  std::uint64_t dropped_spans = 0;
  DeviceTime device;
  std::span<const StageTime> stages;
  std::uint32_t points = 0;  // of the timeline
  double timing_us = 0;      // time of the host for them, rounded to nanoseconds
  int drawn_bytes = 0;       // as in FrameRecord

  double lost_us() const;  // of all stages
};

struct FrameFigures {
  void add(const FrameTimes& frame);
  void add(const FrameRecord& record);
  // New pictures per second; 0 for fewer than two.
  double fps() const { return interval_us.sum().per_second(); }
  // New pictures per second in the slowest intervals: of so many of them, their number rounded up.
  double low_fps(unsigned permille) const { return interval_us.largest(permille).per_second(); }

  // What the timing itself costs: for which share of the time the host records and reads points. The time is that of all
  // frames: of their intervals, of the main thread's work or of the device, whichever is longest. 0..1; 0 without timed frames.
  double timing_share() const;

  std::uint64_t frames = 0, first = 0, last = 0;  // first, last: their ids
  std::uint64_t dropped = 0;                      // captured between them, and never taken
  std::uint64_t untimed = 0, dropped_spans = 0;   // frames without times of their stages; spans without room
  std::uint64_t first_launches = 0;               // frames whose stages are in no figure: gpu::TimelineFrame::first_launches
  std::uint64_t checked = 0, wrong = 0;           // frames whose tables were checked; those of them with a wrong one
  Distribution interval_us, work_us;
  Distribution timing_us;         // time of the host for the points of a timed frame
  Distribution lost_us;           // of the timed frames with times far above usual (LostTime)
  std::uint64_t points = 0;       // of all timed frames
  std::uint64_t drawn_bytes = 0;  // likewise, as in FrameRecord
  StageStatistics stages;
};

// The same from a record whose times are there; `stages` holds its stages.
FrameTimes frame_times(const FrameRecord& record, std::vector<StageTime>& stages);

// How many bytes per second the rows of the statistics move, and how near the algorithm comes to its bound, where that is known.
struct KernelRates {
  std::optional<double> gb_per_s;  // the bytes of the algorithm, of luma or of the effect's launch over its mean time
  std::optional<double> of_bound;  // of the algorithm's own row: the time of the bound over its mean time, 0..1
};

// What every algorithm must move at least: the image once, the table once.
std::uint64_t least_bytes(gpu::Size size, gpu::SatType type);
// What its threads request or, where nobody counts that (on the host, in libraries), the least.
std::uint64_t bytes_of(const gpu::SatAlgorithm& algorithm, gpu::Size size, gpu::SatType type,
                       const gpu::Arguments& arguments);

// One for each of `rows`, the rows of figures.stages, of frames of `size` made with `selection`. `bound_us`: nullopt where
// it is not measured. On the simulated GPU nothing is known.
std::vector<KernelRates> kernel_rates(std::span<const StageRow> rows, const FrameFigures& figures,
                                      const Selection& selection, gpu::Size size, std::optional<double> bound_us);

}  // namespace app
