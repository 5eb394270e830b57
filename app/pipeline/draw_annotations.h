// Draws annotations into a picture at its own resolution, for files and OpenCV's window. The program's own window draws them
// over the picture at the screen's resolution (ui/annotation_overlay.cpp), with the text and the place of labels from here.
#pragma once

#include <span>
#include <string>

#include "app/pipeline/picture.h"
#include "gpu/image.h"
#include "gpu/pictures/annotation.h"

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

// Side labels: what a comparison shows, as annotations, for files and OpenCV's window: the line of the wipe and the name of
// each side beside it; or both names above a difference. The program's own window draws them at the screen's resolution
// (ui/compare.cpp).

// `squares`: the picture is drawn by in_squares(), whose numbers the names do not hide. What does not fit is left out.
// `at_bottom`: names beside a wipe are at the lower edge, where no lines of OpenCV's window lie over them.
PictureAnnotations::List side_labels(const Compared& compared, gpu::Size picture, bool squares = false,
                                     bool at_bottom = false);
// The picture's own annotations, and the labels where it is a comparison.
PictureAnnotations with_side_labels(const Picture& picture, bool squares = false, bool at_bottom = false);
// "|A - B| x 8"
std::string difference_name(double amplification);

}  // namespace app
