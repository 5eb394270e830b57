// Draws annotations into a picture at its own resolution, for files and OpenCV's window. The program's own window draws them
// over the picture at the screen's resolution (ui/annotation_overlay.cpp), with the text and the place of labels from here.
#pragma once

#include <span>
#include <string>

#include "gpu/annotation.h"
#include "gpu/image.h"

namespace app {

// What a label says: its text, its value, or both. `grouped`: with thin spaces between thousands, which OpenCV's font lacks.
std::string label_text(const gpu::Annotation& label, bool grouped = false);

// Where a label lies beside a rectangle, in any unit of length: below it where there is room, else above, else at the lower
// edge; within width x height if it is not larger.
struct LabelPlace {
  double x, y;  // of its top left corner
};
struct LabelRoom {
  double left, top, bottom;  // of the rectangle
  double label_width, label_height;
  double width, height;  // of the area from (0, 0) within which it must lie
};
LabelPlace place_label(const LabelRoom& room);

// The box of a label that draw_annotations() draws, in pixels of a picture of that height.
gpu::Size label_size(const std::string& text, int picture_height);

// `picture`: in host memory.
void draw_annotations(gpu::ImageView<gpu::Rgba> picture, std::span<const gpu::Annotation> annotations);

}  // namespace app
