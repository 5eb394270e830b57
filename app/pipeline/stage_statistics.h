// StageStatistics: what each stage of a frame (a span of the timeline) costs, over any number of frames.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/pipeline/distribution.h"
#include "gpu/timeline.h"

namespace app {

// The time of one path in one frame; a path that occurs more than once counts together. In whole nanoseconds, so that a log
// holds what the statistics are of.
struct StageTime {
  const std::string* path;  // the frame's
  int depth;                // 0: nothing around it
  bool leaf;                // no timed span inside of it
  int launches;             // spans of the path
  double microseconds;
};
std::vector<StageTime> stage_times(const gpu::TimelineFrame& frame);  // timed ones, in the order in which they begin
// From the frame's first point to its last.
double total_microseconds(const gpu::TimelineFrame& frame);

// The cost of one path over the frames in which it occurs, in microseconds per frame.
struct StageRow {
  std::string name;     // the path
  double launches = 0;  // per frame, mean
  double last = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  double share = 0;  // of the sum of the means of all rows of depth 0, 0..1
  int depth = 0;
  bool leaf = true;  // else a group: the rows below it, of greater depth, are parts of it
};

class StageStatistics {
 public:
  void add(const gpu::TimelineFrame& frame);  // a timed one

  std::uint64_t frames() const { return total_.count(); }
  std::vector<StageRow> rows() const;  // in the order of the latest frame, then those that were in older ones
  StageRow total() const;              // of the whole frame

 private:
  struct Stage {
    std::string path;
    int depth;
    bool leaf;
    std::uint64_t launches;
    Distribution times;
  };
  Stage& stage(const StageTime& time);
  StageRow row(const Stage& stage) const;

  std::vector<Stage> stages_;
  std::vector<std::size_t> order_;  // of the latest frame
  Distribution total_;
};

}  // namespace app
