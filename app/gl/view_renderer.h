// ViewRenderer: draws a texture as a View says. Enlarged less than twice it is smooth, reduced it is averaged; from
// twice on pixels are squares, from 8 times with a grid, and from 40 times with their values written in them.
#pragma once

#include "app/gl/gl_object.h"
#include "app/gl/gl_program.h"
#include "app/gl/view.h"

namespace app::gl {

class ViewRenderer {
 public:
  ViewRenderer();  // throws ShaderError

  // Into the bound framebuffer, whose size it is given. Nothing is drawn outside the view's area. Texture 0 and an
  // empty image draw nothing.
  void draw(const View& view, unsigned texture, int framebuffer_width, int framebuffer_height) const;

 private:
  Program smooth_, pixels_;
  VertexArray no_attributes_;  // core contexts draw nothing without one
};

}  // namespace app::gl
