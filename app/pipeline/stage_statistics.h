// StageStatistics: the time of each stage of a frame (a path of the timeline), over any number of frames.
#pragma once

#include <cstdint>
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
};
std::vector<StageTime> stage_times(const gpu::TimelineFrame& frame);  // timed ones, in the order in which they begin
// From the beginning of the frame's first span to the end of its last.
double total_microseconds(const gpu::TimelineFrame& frame);

// The cost of one path over the frames in which it occurs, in microseconds per frame.
struct StageRow {
  std::string name;     // the path
  double launches = 0;  // per frame, mean
  double last = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  double share = 0;  // of the sum of the means of all rows of depth 0, 0..1
  int depth = 0;
  bool leaf = true;  // false: a group, whose parts are the rows after it with greater depth
};

class StageStatistics {
 public:
  void add(const gpu::TimelineFrame& frame);  // a timed one

  std::uint64_t frames() const { return total_.count(); }
  std::vector<StageRow> rows() const;  // in the order of the latest frame; then paths that only older frames have
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
  std::vector<std::size_t> order_;  // of the latest frame: indices of stages_
  Distribution total_;
};

}  // namespace app
