// Where things are put: the panels (layout(), ui.h), and a note that speaks of a box.
#pragma once

#include <span>

#include "app/ui/ui.h"

namespace app::ui {

struct NotePlace {
  float x = 0, y = 0;
  float covers = 0;  // pixels that it covers, weighted as below
};

// A place for something of this size, inside `area`: where it covers least of the box with a margin of `gap` around it, and of
// what has been put beside the box already, which counts twice. Among such places the nearest to the box.
NotePlace place_beside(const Rect& area, float width, float height, const Rect& box, std::span<const Rect> taken, float gap);

// That of the picture in a presentation: the left half, or the upper one of a narrow window.
Rect place_in_presentation(float width, float height, float scale);

inline Rect as_rect(const Area& area) {
  return {static_cast<float>(area.x), static_cast<float>(area.y), static_cast<float>(area.width),
          static_cast<float>(area.height)};
}
// On all sides; `by` below 0: shrunk.
inline Rect grown(const Rect& rect, float by) {
  return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by};
}
bool overlaps(const Rect& rect, std::span<const Rect> others);
// The wanted place moved inside `area`, or where something lies there, the nearest beside what is taken; where nothing is free,
// the one that covers least of it.
Rect free_place(const Rect& area, const Rect& wanted, std::span<const Rect> taken);

}  // namespace app::ui
