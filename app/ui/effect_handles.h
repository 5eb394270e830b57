// The handles of an effect that has a place on the picture (gpu::Placement): the mouse moves and resizes it. No input of
// ImGui here, so that it is tested by itself; draw_handles() draws.
#pragma once

#include <vector>

#include "app/gl/view.h"
#include "app/ui/rectangle.h"
#include "app/ui/ui.h"
#include "gpu/effect.h"

namespace app::ui {

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

// Under the panels, in that area. Returns where they are.
std::vector<Rect> draw_handles(const View& view, const gpu::Placement& placement, const Area& area, float scale);

// A drag from its beginning to its end.
class HandleDrag {
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

}  // namespace app::ui
