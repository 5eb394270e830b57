// ViewControl: where the picture is, and what the mouse does to it: zoom, pan, placing an effect, the rectangle.
#pragma once

#include <optional>

#include "app/gl/box_drag.h"
#include "app/session/session.h"
#include "app/ui/ui.h"

namespace app {

// The mouse moves the wipe of a comparison: at its line, and nowhere else, so that the picture can be moved
// everywhere else.
class WipeDrag {
 public:
  explicit WipeDrag(Session& session) : session_(session) {}

  // For each frame in which the mouse is over the picture, or pressed there. True while it is at the wipe, or moves it: then
  // it does nothing else to the picture.
  bool follow(const View& view, Point cursor);
  bool moving() const { return moving_; }
  // Where a press would take hold of the line.
  bool is_at(const View& view, Point cursor) const;

 private:
  void move_to(double wipe);

  Session& session_;
  bool moving_ = false;
  double grabbed_at_ = 0;  // screen pixels from the line to where the mouse was pressed
};

class ViewControl {
 public:
  explicit ViewControl(Session& session) : session_(session), wipe_(session) {}

  // Takes the zoom and the centre from the settings, and puts there what the mouse changed. `picture`: the size of what is
  // drawn; `area`: where in the window. Returns the pixel under the mouse, if any.
  std::optional<PixelPosition> navigate(gpu::Size picture, const ui::Rect& area);
  const View& view() const { return view_; }
  // Where the effect is, for one that has a place.
  std::optional<gpu::Placement> placement() const;
  Area area_of_effect() const;  // where it can be seen

 private:
  bool use_rectangle_tool(Point cursor, bool over_picture);
  bool takes_press(Grip grip, Point cursor) const;
  void place(gpu::Size picture, const ui::Rect& area);
  void keep();
  Grip grip_of_effect(const gpu::Placement& place, Point cursor) const;
  bool use_handles(Point cursor, gpu::Size picture);
  void choose_window(Point cursor);
  void put(const gpu::Placement& before, const gpu::Placement& after);

  Session& session_;
  View view_;
  WipeDrag wipe_;
  PlacementDrag drag_;
  BoxDrag rectangle_tool_;
};

}  // namespace app
