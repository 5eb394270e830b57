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
// From the beginning of the frame's first span to the end of its last.
double total_microseconds(const gpu::TimelineFrame& frame);

// Microseconds of a frame by what they were spent on: sums of the spans that have no timed span within them.
struct KindTimes {
  double compute = 0, transfer = 0, wait = 0;
  double& operator[](gpu::SpanKind kind);
};
KindTimes kind_times(std::span<const StageTime> times);

// The cost of one path over the frames in which it occurs, in microseconds per frame.
struct StageRow {
  std::string name;     // the path
  double launches = 0;  // per frame, mean
  double last = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  // Of the time spent computing, 0..1: its mean, a group's the means of its parts, over those of all rows of kind compute
  // that are leaves. 0 for transfers and waiting.
  double share = 0;
  int depth = 0;
  bool leaf = true;  // false: a group, whose parts are the rows after it with greater depth
  gpu::SpanKind kind = gpu::SpanKind::compute;
  std::vector<float> recent;  // of the latest frames in which it occurs, oldest first
};

class StageStatistics {
 public:
  void add(const gpu::TimelineFrame& frame);  // a timed one

  static constexpr std::size_t recent_frames = 60;

  std::uint64_t frames() const { return total_.count(); }
  std::vector<StageRow> rows() const;  // in the order of the latest frame; then paths that only older frames have
  StageRow total() const;              // of the whole frame
  double mean_total() const { return total_.mean(); }
  const Distribution& computing() const { return kinds_[0]; }  // per frame, as in KindTimes
  const Distribution& transfers() const { return kinds_[1]; }
  const Distribution& waiting() const { return kinds_[2]; }

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
  Stage& stage(const StageTime& time);
  StageRow row(const Stage& stage) const;

  std::vector<Stage> stages_;
  std::vector<std::size_t> order_;  // of the latest frame: indices of stages_
  Distribution total_;
  Distribution kinds_[3];  // by SpanKind
};

}  // namespace app
