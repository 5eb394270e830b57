// LostTime: finds the times of a GPU's kernels in which something else had the GPU.
//
// Where OpenGL draws the window on the GPU that computes, the GPU switches between the two from time to time. What is drawn then is
// within the time of whatever kernel runs, and no timing event records it: a kernel of 67 us seems to take 366. It is detected
// because the kernel usually takes much less. Such a time is marked (gpu::TimelineSpan::lost); statistics leave it out and count it.
//
// A kernel that takes longer for a reason of its own looks the same. Therefore times are marked only where something draws, only far
// above what is usual, and what stays so becomes usual after half as many frames as are remembered.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "gpu/execution/timeline.h"

namespace app {

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

}  // namespace app
