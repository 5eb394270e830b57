// Side labels: what a comparison shows, as annotations, for files and OpenCV's window: the line of the wipe and the name of
// each side beside it; or both names above a difference. The program's own window draws them at the screen's resolution
// (ui/compare_overlay.cpp).
#pragma once

#include "app/pipeline/picture.h"

namespace app {

// `squares`: the picture is drawn by in_squares(), whose numbers the names do not hide. What does not fit is left out.
// `at_bottom`: names beside a wipe are at the lower edge, where no lines of OpenCV's window lie over them.
PictureAnnotations::List side_labels(const Compared& compared, gpu::Size picture, bool squares = false,
                                     bool at_bottom = false);
// The picture's own annotations, and the labels where it is a comparison.
PictureAnnotations with_side_labels(const Picture& picture, bool squares = false, bool at_bottom = false);
// "|A - B| x 8"
std::string difference_name(double amplification);

}  // namespace app
