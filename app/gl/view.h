// View: which part of the picture appears where: zoom at the cursor, pan, fit. Pure arithmetic; ViewRenderer draws it.
// Screen points are in framebuffer pixels from its top left corner; image points are in image pixels from the corner
// of the picture, so that the centre of the first pixel is (0.5, 0.5).
#pragma once

#include <optional>

#include "app/gl/gl_object.h"
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

  // The user's choice, as in Settings.
  double zoom = 0;         // screen pixels per image pixel; 0: fit
  Point centre{0.5, 0.5};  // shown in the centre of the area, in fractions of the image, 0 to 1
  // Set for every frame.
  gpu::Size image;
  Area area;

  double scale() const;      // as drawn: zoom, or fit_scale()
  double fit_scale() const;  // the whole image in the area, but each side at least one screen pixel
  void fit() { *this = {0, {0.5, 0.5}, image, area}; }
  void zoom_at(Point cursor, double factor);  // the point under the cursor stays there
  void pan(double dx, double dy);             // moves the picture by screen pixels, unless all of it is in the area

  // The picture's corner lies on a whole screen pixel: at scale 1 every image pixel is exactly one screen pixel.
  Point image_to_screen(Point image_point) const;
  Point screen_to_image(Point screen_point) const;
  std::optional<PixelPosition> pixel_at(Point cursor) const;  // none outside the picture or the area
  // The intersection of picture and area; width or height is 0 if they do not intersect.
  Area visible() const;

 private:
  bool is_whole() const;       // all of the picture is in the area
  Point exact_origin() const;  // of the picture's corner, before rounding to a whole pixel
  Point origin() const;
};
double line_of_wipe(const View& view, double wipe);  // of a comparison: its place across the screen

}  // namespace app

namespace app::gl {

// Draws a texture as described by a View. Reduced, it is averaged; below a scale of 2 it is interpolated; from 2 on pixels are
// squares, and from 8 with a grid.
class ViewRenderer {
 public:
  ViewRenderer();  // throws ShaderError

  // Into the bound framebuffer of the given size. Nothing is drawn outside the view's area. Texture 0 and an
  // empty image draw nothing. `gain`: of the levels, of pictures that are not reduced.
  void draw(const View& view, unsigned texture, int framebuffer_width, int framebuffer_height, double gain = 1) const;

 private:
  const Program& program_for(double scale) const;

  Program pixels_, linear_, reduced_;
  VertexArray no_attributes_;  // core contexts draw nothing without one
};

}  // namespace app::gl
