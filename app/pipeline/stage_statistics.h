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
  // Of the time spent computing, 0..1: its mean, a group's the means of its parts, over those of all rows of kind compute
  // that are leaves. 0 for transfers and waiting.
  double share = 0;
  int depth = 0;
  bool leaf = true;          // false: a group, whose parts are the rows after it with greater depth
  std::uint64_t frames = 0;  // in which it occurs: the figures are of these
  double p999 = 0;           // the 99.9th percentile
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
    Distribution times;
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

}  // namespace app
