// The rectangle over the picture: its box, the four entries of its sum, and the sum worked out beside it.
#pragma once

#include <vector>

#include "app/gl/view.h"
#include "app/pipeline/rectangle_sum.h"
#include "app/ui/ui.h"

namespace app::ui {

// Under the panels, like draw_annotations(). `handles`: the rectangle tool is on. Returns where its notes are: the sum worked
// out, then the entries.
std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles);

}  // namespace app::ui
