// StageStatistics: the time of each stage of a frame (a path of the timeline), over any number of frames.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/pipeline/distribution.h"
#include "gpu/timeline.h"

namespace app {

// The time of one path in one frame, summed where the path occurs more than once. Rounded to nanoseconds, as logs write it,
// so that statistics computed from a log are the same.
struct StageTime {
  const std::string* path;  // owned by the frame
  int depth;                // 0: an outermost span
  bool leaf;                // there is no timed span within it
  int launches;             // spans of the path
  double microseconds;
  gpu::SpanKind kind = gpu::SpanKind::compute;
};
std::vector<StageTime> stage_times(const gpu::TimelineFrame& frame);  // timed ones, in the order in which they begin

// A frame's time on its device, by what its outermost spans are spent on, in microseconds rounded to nanoseconds. Waiting is
// also what is between them: on the CPU until the window takes the picture.
struct DeviceTime {
  double computing = 0, transferring = 0, waiting = 0;
};
DeviceTime device_time(const gpu::TimelineFrame& frame);

// The cost of one path over the frames in which it occurs, in microseconds per frame.
struct StageRow {
  std::string name;     // the path
  double launches = 0;  // per frame, mean
  double last = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  double share = 0;  // of the sum of the means of all rows of depth 0, 0..1
  int depth = 0;
  bool leaf = true;          // false: a group, whose parts are the rows after it with greater depth
  std::uint64_t frames = 0;  // in which it occurs: the figures are of these
  double p999 = 0;           // the 99.9th percentile
};

class StageStatistics {
 public:
  void add(std::span<const StageTime> times, const DeviceTime& device);  // of a timed frame
  void add(const gpu::TimelineFrame& frame) { add(stage_times(frame), device_time(frame)); }

  std::uint64_t frames() const { return computing_.count(); }
  std::vector<StageRow> rows() const;  // in the order of the latest frame; then paths that only older frames have
  // Of the whole frame: see DeviceTime.
  StageRow total() const { return row("frame", computing_); }  // computing
  StageRow transferring() const { return row("transferring", transferring_); }
  StageRow waiting() const { return row("waiting", waiting_); }
  const Distribution& computing_us() const { return computing_; }

 private:
  struct Stage {
    std::string path;
    int depth;
    bool leaf;
    std::uint64_t launches;
    Distribution times;
  };
  Stage& stage(const StageTime& time, std::size_t place);
  static StageRow row(std::string name, const Distribution& times);
  static StageRow row(const Stage& stage);

  std::vector<Stage> stages_;
  std::vector<std::size_t> order_, next_order_;  // of the latest frame: indices of stages_
  Distribution computing_, transferring_, waiting_;
};

}  // namespace app
