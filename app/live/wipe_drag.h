// WipeDrag: the mouse moves the wipe of a comparison: at its line, and nowhere else, so that the picture can be moved
// everywhere else.
#pragma once

#include "app/gl/view.h"
#include "app/session/session.h"

namespace app {

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
  double line_on_screen(const View& view) const;
  void move_to(double wipe);

  Session& session_;
  bool moving_ = false;
  double grabbed_at_ = 0;  // screen pixels from the line to where the mouse was pressed
};

}  // namespace app
