// RectangleTool: draws, moves and resizes the rectangle by the mouse. Plain arithmetic; ImGui's input comes as MouseInput.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/control/settings.h"
#include "app/gl/view.h"
#include "app/pipeline/pixel_probe.h"
#include "app/ui/ui.h"

struct ImDrawList;

namespace app::ui {

struct MouseInput {
  Point at;              // in the window
  bool pressed = false;  // went down since the previous frame
  bool down = false;     // is down
};

// Which part of a rectangle: edges that move with the mouse. All four: the whole of it.
struct Grip {
  bool left = false, top = false, right = false, bottom = false;
  bool any() const { return left || top || right || bottom; }
  bool whole() const { return left && right; }
  friend bool operator==(const Grip&, const Grip&) = default;
};
// The part of the rectangle on the screen that is at a point: the handles at corners and edges first, `reach` screen pixels
// around them, then its inside.
Grip grip_at(const View& view, const PixelBox& box, Point at, double reach);

class RectangleTool {
 public:
  // The rectangle after this input: `current` unless the mouse changes it. A press in the picture takes the mouse until it is
  // released: on the rectangle it moves or resizes it, elsewhere it draws another one, which has its first pixel where the
  // mouse went down. A click alone changes nothing.
  std::optional<PixelBox> update(const View& view, std::optional<PixelBox> current, const MouseInput& mouse, double reach);
  bool has_mouse() const { return drag_.has_value(); }
  void let_go() { drag_.reset(); }

 private:
  struct Drag {
    Point from;  // in the picture
    Point from_screen;
    PixelBox box;  // before
    Grip grip;     // none: a new rectangle
    bool moved = false;
  };
  std::optional<Drag> drag_;
};

// The rectangle over the picture: its box, the four entries of its sum, and the sum worked out beside it.

// Under the panels, like draw_annotations(). `handles`: the rectangle tool is on. Its notes are put beside what is `taken`.
// Returns where they are: the sum worked out, then the entries; of what is in view.
std::vector<Rect> draw_rectangle(const View& view, const RectangleSum& sum, bool handles, std::span<const Rect> taken = {});
// One line about the pixels under the mouse, at the lower left of the view, beside them and what is `taken`: the box, its four
// entries, sum and mean, and what is known of `pixel`, the one under the mouse. `shows_box`: outlined. Returns where the
// line is.
Rect draw_hover(const View& view, const RectangleSum& sum, const Pixel& pixel, bool shows_box,
                std::span<const Rect> taken = {});
// Where the window has it, in whole pixels.
Rect on_screen(const View& view, const PixelBox& box);
// Handles at the corners of a box on the screen and in the middles of its edges: squares, from their middle `half` pixels to
// each side. Returns where they are.
std::vector<Rect> draw_handles(ImDrawList& draw, const Rect& box, float half);
// Where its edges and handles are drawn, which have no other place.
std::vector<Rect> rectangle_lines(const View& view, const PixelBox& rectangle, bool handles);

}  // namespace app::ui
