// Windows that were found, put into classes on the device (gpu/vision/grouping.h says which): for crowds, for which that takes the
// host longer than the search takes the device.
#pragma once

#include <cstdint>

#include "gpu/context.h"
#include "gpu/vision/grouping.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {

// What turns a window of a level into pixels of the frame.
struct LevelScale {
  float factor;
  int step, width, height;
};

struct ClassList {
  std::uint32_t count;
  WindowClass classes[1];  // as many as the list has room for
};

// All in memory of the device, with room for found_capacity windows, or as many classes.
struct WindowGroups {
  const LevelPoint* found;
  const SearchCounters* counters;
  unsigned found_capacity;
  const LevelScale* scales;
  int min_neighbors;
  Window* windows;
  std::uint64_t* parents;  // of the trees that are classes; a root is its own parent
  WindowClass* sums;
  ClassList* classes;  // those of more than min_neighbors windows, in no order
};

// Queues four kernels, behind a search, whose number of windows need not be known yet; one if min_neighbors is 0, for which there
// are no classes.
void queue_groups(Context& context, const WindowGroups& groups);

// Queues the second half: the detections of the classes, or of the windows if min_neighbors is 0, as group_windows() has them and in
// its order. `unsorted`: room for most_sorted, which is also what the list can have at most; all are counted.
inline constexpr unsigned most_sorted = 4096;
void queue_detections(Context& context, const WindowGroups& groups, Size frame, Detection* unsorted,
                      const DetectionList& detections);

}  // namespace gpu::vision
