// What is drawn into a picture at its own resolution, for files and OpenCV's window: annotations, the names of a comparison's
// sides, and the numbers of a matrix. The program's own window draws annotations over the picture at the screen's resolution
// (ui/annotation_overlay.cpp), with the text and the place of labels from here.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/capture/capture.h"
#include "app/control/settings.h"
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

// A matrix as a picture for a file: its pixels as squares with their numbers, large enough to be read, in levels that are told
// apart, where a picture of its own size would be a dark dot.

// What levels up to `highest`, 0 to 255, are multiplied by, so that they are told apart.
double level_gain(int highest);
// The highest level of a colour.
int highest_level(gpu::Rgba colour);

// The sides of a matrix that is drawn so: no larger ones than a matrix source has.
bool fits_squares(gpu::Size picture);
int side_of_square(gpu::Size picture);         // in pixels of the file
gpu::Size size_in_squares(gpu::Size picture);  // likewise
// The size that it has in a file; `squares`: of pictures that fit, else as it is.
gpu::Size size_in_file(gpu::Size picture, bool squares);
int height_of_number(int square);  // in the middle of a square of that side
// `picture`: in host memory, the numbers in its squares are its gray levels; squares of other colours have none. The
// annotations lie over them.
gpu::Image<gpu::Rgba> in_squares(gpu::ImageView<const gpu::Rgba> picture, std::span<const gpu::Annotation> annotations);

// The picture as a file has it: in squares where that is wanted and they fit, else with the annotations drawn. Without pixels
// where it stays as it is.
gpu::Image<gpu::Rgba> drawn_for_file(gpu::ImageView<const gpu::Rgba> picture, std::span<const gpu::Annotation> annotations,
                                     bool squares);

// Whether the source is a matrix: all of its pixels are wanted. A number that was changed opens it anew: meanwhile its kind is
// not known.
bool has_matrix(const Settings& settings, capture::SourceKind kind);
// Whether its numbers and their table cover the picture.
bool shows_matrix(const Settings& settings, capture::SourceKind kind);
// A matrix and its table, side by side under their names, as the window shows them: squares with their numbers, and cells as
// wide as the largest sum needs; with a rectangle, the four entries of its sum and, below, the sum worked out.
gpu::Image<gpu::Rgba> matrix_and_table(gpu::ImageView<const gpu::Bgr> frame, const std::optional<PixelBox>& rectangle = {});

// The part of a rectangle in `frame`, in host memory, with the sum of its gray levels; nothing where it lies outside.
PictureAnnotations::List rectangle_annotations(const PixelBox& rectangle, gpu::ImageView<const gpu::Bgr> frame);

}  // namespace app
