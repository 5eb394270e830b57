// The rectangle over the picture: its box, the four entries of its sum, and the sum worked out beside it.
#pragma once

#include "app/gl/view.h"
#include "app/pipeline/rectangle_sum.h"

namespace app::ui {

// Under the panels, like draw_annotations(). `handles`: the rectangle tool is on.
void draw_rectangle(const View& view, const RectangleSum& sum, bool handles);

}  // namespace app::ui
