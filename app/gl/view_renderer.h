// ViewRenderer: draws a texture as described by a View. Reduced, it is averaged; below a scale of 2 it is interpolated;
// from 2 on pixels are squares, and from 8 with a grid.
#pragma once

#include "app/gl/gl_object.h"
#include "app/gl/view.h"

namespace app::gl {

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
