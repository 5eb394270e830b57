// Annotations: what an effect reports about a frame in addition to pixels, in the frame's coordinates. The display draws
// them at its own resolution; reports write them as data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/image.h"

namespace gpu {

// A pixel (x, y) covers x..x+1 and y..y+1.
struct Annotation {
  enum class Kind : std::uint8_t {
    rectangle,  // from (x0, y0) to (x1, y1)
    line,       // likewise
    label,      // text, then the value, beside that rectangle: below it if there is room, otherwise above
  };
  enum class Value : std::uint8_t { none, number, signed_number };  // signed: with a plus sign unless it is negative

  Kind kind = Kind::rectangle;
  Value has = Value::none;
  char text[22] = {};                                 // UTF-8, ends with a 0
  Rgba stroke{255, 255, 255, 255}, fill{0, 0, 0, 0};  // alpha 0: none
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  double value = 0;
};

// Where an effect writes its annotations: memory of the context's device, uninitialised. The effect also writes the count. A
// count above the capacity is the number that there would have been.
struct AnnotationList {
  Annotation* items = nullptr;
  int* count = nullptr;
  int capacity = 0;
};

// The size of a list in one piece of memory, as it is read back: the count, then the items.
constexpr std::size_t annotation_bytes(int capacity) {
  return capacity > 0 ? sizeof(Annotation) * (static_cast<std::size_t>(capacity) + 1) : 0;
}
inline AnnotationList annotations_in(std::byte* memory, int capacity) {
  return {reinterpret_cast<Annotation*>(memory) + 1, reinterpret_cast<int*>(memory), capacity};
}

}  // namespace gpu
