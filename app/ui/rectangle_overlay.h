// The rectangle over the picture: its box, the four entries of its sum, and the sum worked out beside it.
#pragma once

#include <span>
#include <vector>

#include "app/gl/view.h"
#include "app/pipeline/rectangle_sum.h"
#include "app/ui/ui.h"

namespace app::ui {

// Under the panels, like draw_annotations(). `handles`: the rectangle tool is on. Its notes are put beside what is `taken`.
// Returns where they are: the sum worked out, then the entries; of what is in view.
std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles, std::span<const Rect> taken = {});
// Where its edges and handles are drawn, which have no other place.
std::vector<Rect> rectangle_lines(const View& view, const PixelBox& rectangle, bool handles);

}  // namespace app::ui
