// RectangleTool: draws, moves and resizes the rectangle by the mouse. Plain arithmetic; ImGui's input comes as MouseInput.
#pragma once

#include <optional>

#include "app/control/settings.h"
#include "app/gl/view.h"

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
// Of the rectangle on the screen: the handles at corners and edges first, `reach` screen pixels around them, then its inside.
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

}  // namespace app::ui
