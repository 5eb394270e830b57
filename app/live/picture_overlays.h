// PictureOverlays: what is drawn over the picture from values of its pixels: the cells' values and the rectangle; and what a
// comparison shows, whose names the rectangle's notes must not hide; and the line about the box under the mouse. It asks for
// the pixels of all of them.
#pragma once

#include <optional>
#include <vector>

#include "app/gl/view.h"
#include "app/pipeline/pixel_probe.h"
#include "app/session/hover.h"
#include "app/session/session.h"
#include "app/ui/cell_values.h"
#include "app/ui/ui.h"

namespace app {

class PictureOverlays {
 public:
  explicit PictureOverlays(Session& session) : session_(session) {}

  // Once per frame that is drawn. `mouse`: the pixel under it. `matrix`: the source is one; all of its pixels are wanted.
  void ask(const View& view, std::optional<PixelPosition> mouse, bool matrix);
  // What the levels of the picture are multiplied by to be seen: 1 but for a matrix of small numbers.
  double gain() const;
  // Where the numbers in the cells are: labels are put beside them.
  std::vector<ui::Rect> numbers(const View& view) const {
    return ui::rows_of_cell_values(view, cells(view), probe_.pixels());
  }
  // What it draws and the names of a comparison, beside what is `taken`. `covered`: something in colour lies over the pixels.
  // Returns State::notes.
  std::vector<ui::Rect> draw(const View& view, std::vector<ui::Rect> taken, bool covered);
  const std::vector<ui::Rect>& side_names() const { return side_names_; }  // of a comparison, where draw() put them
  void wait() { probe_.wait(); }                                           // until all that was asked for is there
  const ProbedPixels& pixels() const { return probe_.pixels(); }
  const Hover& hover() const { return hover_; }

 private:
  CellColumns cells(const View& view) const;

  Session& session_;
  PixelProbe probe_;
  std::vector<ui::Rect> side_names_;
  Hover hover_;
  bool matrix_ = false;
};

}  // namespace app
