// View: which part of the picture is seen where: zoom at the cursor, pan, fit. Pure arithmetic; gl/view_renderer.h
// draws it. Screen points are framebuffer pixels from its top left corner; image points are pixels from the picture's,
// so that the middle of the first pixel is (0.5, 0.5).
#pragma once

#include <optional>

#include "gpu/image.h"

namespace app {

struct Point {
  double x = 0, y = 0;
  friend bool operator==(Point, Point) = default;
};
struct Area {
  double x = 0, y = 0, width = 0, height = 0;
};
struct PixelPosition {
  int x = 0, y = 0;
  friend bool operator==(PixelPosition, PixelPosition) = default;
};

struct View {
  static constexpr double largest_scale = 128;

  // What the user chose: as in Settings.
  double zoom = 0;         // screen pixels an image pixel; 0: fit
  Point centre{0.5, 0.5};  // of the area, in fractions of the image; always inside it, so that it cannot get lost
  // What there is, set anew for every frame.
  gpu::Size image;
  Area area;

  double scale() const;      // as drawn: zoom, or what fits
  double fit_scale() const;  // the whole image in the area, but no side of it below one screen pixel
  void fit() { *this = {0, {0.5, 0.5}, image, area}; }
  void zoom_at(Point cursor, double factor);  // what is under the cursor stays there
  void pan(double dx, double dy);             // moves the picture by screen pixels

  // The picture's corner lies on a whole screen pixel: at scale 1 every image pixel is one screen pixel, unblended.
  Point image_to_screen(Point image_point) const;
  Point screen_to_image(Point screen_point) const;
  std::optional<PixelPosition> pixel_at(Point cursor) const;  // none outside the picture, or of the area
  // Where the picture meets the area; a width or height of 0 where it does not.
  Area visible() const;

 private:
  Point exact_origin() const;  // of the picture's corner, before it is moved to a whole pixel
  Point origin() const;
};

}  // namespace app
