// Detections as the effect faces shows them: their colours, which they keep from frame to frame, and their annotations. By one thread
// of the device or of the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/effects/window_sums.h"
#include "gpu/image.h"
#include "gpu/pictures/annotation.h"
#include "gpu/vision/grouping.h"

namespace gpu::effects {

// The most faces of a frame; further ones are neither shown nor hidden.
inline constexpr int most_faces = 512;

// Pixels x0 <= x < x1, y0 <= y < y1.
struct Box {
  int x0, y0, x1, y1;

  constexpr int width() const { return x1 - x0; }
  constexpr int height() const { return y1 - y0; }
  constexpr std::int64_t area() const { return std::int64_t{width()} * height(); }
  constexpr bool contains(int x, int y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
  constexpr bool contains(const Box& box) const { return box.x0 >= x0 && box.x1 <= x1 && box.y0 >= y0 && box.y1 <= y1; }
  constexpr std::int64_t area_shared_with(const Box& box) const {
    const int right = std::min(x1, box.x1), bottom = std::min(y1, box.y1), left = std::max(x0, box.x0),
              top = std::max(y0, box.y0);
    return right > left && bottom > top ? std::int64_t{right - left} * (bottom - top) : 0;
  }

  // To blur what is inside: a window around a pixel, inside the frame, a third as wide as the box.
  constexpr Box around(int x, int y, Size frame) const {
    const int reach = std::min(std::max(width() / 6, 1), RoundedMean::max_side / 2);
    return {std::max(x - reach, 0), std::max(y - reach, 0), std::min(x + reach + 1, frame.width),
            std::min(y + reach + 1, frame.height)};
  }
  // To pixelate it: the square that the pixel is in, of eight across the box; those at its edge may be smaller.
  constexpr Box square_of(int x, int y) const {
    const int side = std::min(std::max((width() + 7) / 8, 1), int{RoundedMean::max_side});
    const int left = x0 + (x - x0) / side * side, top = y0 + (y - y0) / side * side;
    return {left, top, std::min(left + side, x1), std::min(top + side, y1)};
  }
};

// The colours are told apart on any picture; none is that of another mark. A function: see colour_map.h.
inline constexpr int face_colours = 8;
constexpr Rgba face_colour(int number) {
  switch (number) {
    case 0: return {80, 220, 100, 255};
    case 1: return {255, 210, 60, 255};
    case 2: return {90, 180, 255, 255};
    case 3: return {255, 120, 120, 255};
    case 4: return {220, 140, 255, 255};
    case 5: return {100, 235, 225, 255};
    case 6: return {255, 160, 70, 255};
    default: return {245, 245, 245, 255};
  }
}

struct FaceList {
  int count;
  Box boxes[most_faces];
  int colours[most_faces];
  Box bounds;  // of all; not set where there are none

  // The first one that contains the pixel, or null.
  constexpr const Box* at(int x, int y) const {
    if (count == 0 || !bounds.contains(x, y)) return nullptr;
    for (int i = 0; i < count; ++i)
      if (boxes[i].contains(x, y)) return &boxes[i];
    return nullptr;
  }
};

// The list that a detector writes.
struct DetectionRoom {
  vision::Detection items[most_faces];
  int count;

  // A copy of the limit: a GPU has no address of the host's constant, which std::min() would take a reference to.
  constexpr int listed() const { return std::min(count, int{most_faces}); }
};

// The detections of a frame, by the first and the second cascade; its list and that of the frame before. All 0 before the first.
struct FaceMemory {
  DetectionRoom faces, inside;
  FaceList lists[2];
  int current;

  constexpr const FaceList& now() const { return lists[current]; }
};

// Makes the list of a frame and its annotations: a rectangle and a label for each face, then for what was found inside one, in the
// face's colour. For_each_pixel() of a single pixel runs it.
struct ListFaces {
  FaceMemory* memory;
  AnnotationList annotations;

  constexpr void operator()(int, int) const {
    const auto& before = memory->lists[memory->current];
    auto& now = memory->lists[1 - memory->current];
    memory->current = 1 - memory->current;
    const auto &faces = memory->faces, &inside = memory->inside;
    now.count = faces.listed();
    for (int i = 0; i < now.count; ++i) now.boxes[i] = box_of(faces.items[i]);
    find_bounds(now);
    choose_colours(before, now);

    int written = 0;
    for (int i = 0; i < now.count; ++i) annotate(now.boxes[i], faces.items[i].neighbors, now.colours[i], written);
    for (int i = 0; i < inside.listed(); ++i) {
      const auto box = box_of(inside.items[i]);
      for (int k = 0; k < now.count; ++k)
        if (now.boxes[k].contains(box)) {
          annotate(box, inside.items[i].neighbors, now.colours[k], written);
          break;
        }
    }
    *annotations.count = written;
  }

 private:
  static constexpr Box box_of(const vision::Detection& found) {
    return {found.x, found.y, found.x + found.width, found.y + found.height};
  }
  static constexpr void find_bounds(FaceList& list) {
    if (list.count == 0) return;
    auto& all = list.bounds = list.boxes[0];
    for (int i = 1; i < list.count; ++i) {
      const auto& box = list.boxes[i];
      all = {std::min(all.x0, box.x0), std::min(all.y0, box.y0), std::max(all.x1, box.x1), std::max(all.y1, box.y1)};
    }
  }

  // Each box, in its turn, takes over the colour of the earlier one that it overlaps most, if the two share a quarter of what both
  // cover and no other has taken it over. The rest get the colours that are used least.
  static constexpr void choose_colours(const FaceList& before, FaceList& now) {
    bool taken[most_faces] = {};
    int uses[face_colours] = {};
    for (int i = 0; i < now.count; ++i) {
      const int same = most_overlapped(before, taken, now.boxes[i]);
      now.colours[i] = same < 0 ? -1 : before.colours[same];
      if (same < 0) continue;
      taken[same] = true;
      ++uses[now.colours[i]];
    }
    for (int i = 0; i < now.count; ++i) {
      if (now.colours[i] >= 0) continue;
      int least = 0;
      for (int k = 1; k < face_colours; ++k)
        if (uses[k] < uses[least]) least = k;
      now.colours[i] = least;
      ++uses[least];
    }
  }
  static constexpr int most_overlapped(const FaceList& before, const bool* taken, const Box& box) {
    int best = -1;
    float most = 0.25f;
    for (int k = 0; k < before.count; ++k) {
      if (taken[k]) continue;
      const auto shared = before.boxes[k].area_shared_with(box);
      const float part = static_cast<float>(shared) / static_cast<float>(before.boxes[k].area() + box.area() - shared);
      if (part < most || (part == most && best >= 0)) continue;
      best = k;
      most = part;
    }
    return best;
  }

  constexpr void annotate(const Box& box, int neighbors, int colour, int& written) const {
    Annotation drawn;
    drawn.x0 = static_cast<float>(box.x0);
    drawn.y0 = static_cast<float>(box.y0);
    drawn.x1 = static_cast<float>(box.x1);
    drawn.y1 = static_cast<float>(box.y1);
    drawn.stroke = face_colour(colour);
    add(drawn, written);
    drawn.kind = Annotation::Kind::label;
    drawn.has = Annotation::Value::number;
    drawn.value = neighbors;
    add(drawn, written);
  }
  constexpr void add(const Annotation& drawn, int& written) const {
    if (written < annotations.capacity) annotations.items[written] = drawn;
    ++written;
  }
};

}  // namespace gpu::effects
