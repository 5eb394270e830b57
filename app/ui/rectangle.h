// What is drawn over the picture where the mouse moves boxes (app/gl/box_drag.h): the rectangle with the four entries of its sum,
// the handles of an effect, and the line about the pixels under the mouse. All of it lies under the panels.
#pragma once

#include <span>
#include <vector>

#include "app/gl/box_drag.h"
#include "app/pipeline/pixel_probe.h"
#include "app/session/hover.h"
#include "app/ui/theme.h"
#include "app/ui/ui.h"

namespace app::ui {

// Its box, the four entries of its sum, and the sum worked out. `handles`: the rectangle tool is on. Its notes are put beside
// what is `taken`. `shows_sum`: it stands nowhere else. Returns where they are: the sum worked out, then the entries; of what is
// in view.
std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles, std::span<const Rect> taken = {},
                                 bool shows_sum = true);
// Entries that are added, and those that are subtracted; text where it is none.
ImU32 tint_of_entry(char letter, const Colours& theme = colours());
// A line of a panel, in the font in use.
void text_of_formula(std::span<const FormulaPart> parts);
// One line about the pixels under the mouse, at the lower left of the view, beside them and what is `taken`; what has no room is
// left out. `shows_box`: outlined. Returns where the line is.
Rect draw_hover(const View& view, const Hover::Box& hover, bool shows_box, std::span<const Rect> taken = {});
// The handles of an effect, in the area in which it can be seen. Returns where they are.
std::vector<Rect> draw_handles(const View& view, const gpu::Placement& placement, const Area& area, float scale);
// Where its edges and handles are drawn, which have no other place.
std::vector<Rect> rectangle_lines(const View& view, const PixelBox& rectangle, bool handles);

}  // namespace app::ui
