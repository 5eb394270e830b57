// Overlapping windows put together into detections, exactly as cv::groupRectangles() does for cv::CascadeClassifier (OpenCV 4,
// eps 0.2), on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/image.h"
#include "gpu/vision/levels.h"

namespace gpu::vision {

// A window in pixels of the frame. It may reach a pixel or two over the frame's right and lower edges, because position and size are
// rounded each on its own.
struct Window {
  int x, y, width, height;
  friend constexpr auto operator<=>(const Window&, const Window&) = default;
  friend constexpr bool operator==(const Window&, const Window&) = default;  // which nvcc does not derive from <=>
};

constexpr Window window_in_frame(const Level& level, int column, int row) {
  return {place_in_frame(column, level.step, level.factor), place_in_frame(row, level.step, level.factor),
          level.window.width, level.window.height};
}

struct Detection {
  int x, y, width, height;  // inside the frame
  int neighbors;            // how many windows it stands for
  friend constexpr auto operator<=>(const Detection&, const Detection&) = default;
  friend constexpr bool operator==(const Detection&, const Detection&) = default;
};

// Detections in memory of a device. `count`: how many there are, also where the list has no room for all.
struct DetectionList {
  Detection* items = nullptr;
  int* count = nullptr;
  int capacity = 0;
};

// Two windows are similar if all four edges differ by at most a tenth of (the lesser width + the lesser height). Windows connected by
// similar ones are a class; its detection is their mean. Dropped are classes of at most `min_neighbors` windows, and those that lie
// inside a larger class's detection, grown by a fifth on each side. With min_neighbors = 0 every window is a detection of its own.
// Detections are then clipped to the frame, and those outside of it dropped.
//
// `windows`: in any order, width and height above 0, not clipped: clipped ones would be grouped differently. The result does not
// depend on their order; as a set it is OpenCV's. It is sorted by y, x, width, height, then neighbors.
std::vector<Detection> group_windows(std::span<const Window> windows, int min_neighbors, Size frame);

// The second half of grouping, for callers that found the classes elsewhere. Sums over a class's windows. OpenCV adds 32
// bits: in the longest frames, places exceed them.
struct WindowClass {
  std::uint64_t x, y;  // of numbers that may be below 0, modulo 2^64
  std::uint32_t width, height;
  int count;
};
std::vector<Detection> detections_of(std::span<const WindowClass> classes, int min_neighbors, Size frame);

// What the host and kernels have in common. Exactly |distance| <= 0.2 * (sum of the smaller sides) * 0.5 in double: the product is
// rounded upwards, to at most the next tenth above.
constexpr bool similar(const Window& a, const Window& b) {
  const int reach = std::min(a.width, b.width) + std::min(a.height, b.height);
  const auto near = [reach](int distance) { return 10 * (distance < 0 ? -distance : distance) <= reach; };
  return near(a.x - b.x) && near(a.y - b.y) && near(a.x + a.width - b.x - b.width) && near(a.y + a.height - b.y - b.height);
}
constexpr Window mean_of(const WindowClass& sum) {
  const float part = 1.f / static_cast<float>(sum.count);
  const auto mean = [part](std::uint64_t total) {
    return static_cast<int>(std::lrint(static_cast<float>(static_cast<std::int64_t>(total)) * part));
  };
  return {mean(sum.x), mean(sum.y), mean(sum.width), mean(sum.height)};
}
// Whether the mean `a` of `count` windows gives way to `b`, the mean of `count_b`: it lies in `b` grown by a fifth on each side,
// rounded. Halves do not occur.
constexpr bool gives_way(const Window& a, int count, const Window& b, int count_b) {
  if (!(count_b > std::max(3, count) || count < 3)) return false;
  const int dx = (2 * b.width + 5) / 10, dy = (2 * b.height + 5) / 10;
  return a.x >= b.x - dx && a.y >= b.y - dy && a.x + a.width <= b.x + b.width + dx && a.y + a.height <= b.y + b.height + dy;
}
// Its width or height is not positive where it is outside.
constexpr Window inside_frame(const Window& window, Size frame) {
  const int left = std::max(window.x, 0), top = std::max(window.y, 0);
  const int right = std::min(window.x + window.width, frame.width),
            bottom = std::min(window.y + window.height, frame.height);
  return {left, top, right - left, bottom - top};
}

}  // namespace gpu::vision
