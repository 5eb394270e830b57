// PictureOverlays: what is drawn over the picture from values of its pixels: the cells' values and the rectangle; and what a
// comparison shows, whose names the rectangle's notes must not hide. It asks for those pixels, and for the one under the mouse.
#pragma once

#include <optional>
#include <vector>

#include "app/gl/view.h"
#include "app/pipeline/pixel_probe.h"
#include "app/session/session.h"
#include "app/ui/cell_values.h"
#include "app/ui/ui.h"

namespace app {

class PictureOverlays {
 public:
  explicit PictureOverlays(Session& session) : session_(session) {}

  // Once per frame that is drawn. `mouse`: the pixel under it. `all_pixels`: a panel shows every pixel of a small picture.
  void ask(const View& view, std::optional<PixelPosition> mouse, bool all_pixels);
  ui::Pixel inspect(PixelPosition at) const;  // its values, as far as they have arrived
  // What it draws and the names of a comparison, beside what is `taken`. Returns State::notes.
  std::vector<ui::Rect> draw(const View& view, std::vector<ui::Rect> taken) const;
  void wait() { probe_.wait(); }  // until all that was asked for is there
  const ProbedPixels& pixels() const { return probe_.pixels(); }

 private:
  ui::CellColumns cells(const View& view) const;

  Session& session_;
  PixelProbe probe_;
};

}  // namespace app
