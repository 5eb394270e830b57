// The handles of an effect that has a place on the picture (gpu::Placement): the mouse moves and resizes it. No input of
// ImGui here, so that it is tested by itself; draw_handles() draws.
#pragma once

#include <optional>
#include <vector>

#include "app/gl/view.h"
#include "app/ui/ui.h"
#include "gpu/effect.h"

namespace app::ui {

// What is held: sides of the box (-1: left or top, 1: right or bottom), or all of it.
struct Handle {
  int across = 0, along = 0;
  bool inside = false;
  bool any() const { return inside || across || along; }
  friend bool operator==(const Handle&, const Handle&) = default;
};
// The handle under the mouse; `reach`: how near to a side it has to be, in screen pixels.
Handle handle_at(const View& view, const gpu::Placement& placement, Point cursor, double reach);
// Where `start` is after `handle` was dragged by (dx, dy) image pixels: inside the frame, at least a pixel per rectangle.
gpu::Placement dragged(const gpu::Placement& start, Handle handle, double dx, double dy, gpu::Size frame);
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
  bool active() const { return handle_.any(); }
  Handle handle() const { return handle_; }
  void begin(const gpu::Placement& placement, Handle handle, Point at) { start_ = placement, handle_ = handle, from_ = at; }
  gpu::Placement at(const View& view, Point cursor, gpu::Size frame) const;
  void end() { handle_ = {}; }

 private:
  gpu::Placement start_;
  Handle handle_;
  Point from_;  // on the screen
};

}  // namespace app::ui
