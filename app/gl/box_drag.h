// The mouse moves and resizes a box over the picture: BoxDrag the rectangle of pixels, PlacementDrag an effect that has a place
// (gpu::Placement). Plain arithmetic: what the mouse does comes as MouseInput.
#pragma once

#include <optional>

#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/gl/view.h"
#include "gpu/effect.h"

namespace app {

struct MouseInput {
  Point at;              // in the window
  bool pressed = false;  // went down since the previous frame
  bool down = false;     // is down
};

// Which part of a box: edges that move with the mouse. All four: the whole of it.
struct Grip {
  bool left = false, top = false, right = false, bottom = false;
  bool any() const { return left || top || right || bottom; }
  bool whole() const { return left && right; }
  friend bool operator==(const Grip&, const Grip&) = default;
};
// The part of the box on the screen that is at a point: the handles at corners and edges first, `reach` screen pixels around
// them, then its inside.
Grip grip_at(const View& view, const PixelBox& box, Point at, double reach);

class BoxDrag {
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

// All rectangles of an effect.
inline PixelBox box_of(const gpu::Placement& place) { return {place.x, place.y, place.full_width(), place.full_height()}; }
// Where `start` is after `grip`, of its box, was dragged by (dx, dy) image pixels: inside the frame, at least a pixel per
// rectangle.
gpu::Placement dragged(const gpu::Placement& start, Grip grip, double dx, double dy, gpu::Size frame);
// With its centre at a pixel, as far as the frame has room.
gpu::Placement centred_at(const gpu::Placement& placement, PixelPosition centre, gpu::Size frame);

// The part of the view's area in which the picture shows `effect`: of a wipe the columns of that side alone, whose line is at
// `wipe` now; nothing of a wipe between two others.
Area area_of(const gpu::Effect& effect, const Selection& in_use, double wipe, const View& view);

// A drag from its beginning to its end.
class PlacementDrag {
 public:
  bool active() const { return grip_.any(); }
  Grip grip() const { return grip_; }
  void begin(const gpu::Placement& placement, Grip grip, Point at) { start_ = placement, grip_ = grip, from_ = at; }
  gpu::Placement at(const View& view, Point cursor, gpu::Size frame) const;
  void end() { grip_ = {}; }

 private:
  gpu::Placement start_;
  Grip grip_;
  Point from_;  // on the screen
};

}  // namespace app
