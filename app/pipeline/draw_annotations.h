// Annotations drawn into a picture at its own resolution, for files and OpenCV's window; and what the program's own window
// draws alike over the picture, at the screen's resolution (ui/annotation_overlay.cpp).
#pragma once

#include <span>
#include <string>

#include "gpu/annotation.h"
#include "gpu/image.h"

namespace app {

// What a label says: its text, its value, or both.
std::string label_text(const gpu::Annotation& label);

// Where a label lies beside a rectangle, in any unit: below it where there is room, else above, else at the lower edge; inside
// of `width` x `height` wherever it fits there.
struct LabelPlace {
  double x, y;  // of its top left corner
};
struct LabelRoom {
  double left, top, bottom;  // of the rectangle
  double label_width, label_height;
  double width, height;  // of what it must lie in, from (0, 0)
};
LabelPlace place_label(const LabelRoom& room);

// In host memory.
void draw_annotations(gpu::ImageView<gpu::Rgba> picture, std::span<const gpu::Annotation> annotations);

}  // namespace app
