// ColourTarget: a framebuffer object of RGBA pixels that keeps what was drawn.
#pragma once

#include "app/gl/gl_object.h"

namespace app::gl {

class ColourTarget {
 public:
  // Throws RenderTargetError where no framebuffer has that size.
  ColourTarget(int width, int height);
  void bind() const;
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_, height_;
  Framebuffer framebuffer_;
  Renderbuffer colour_;
};

}  // namespace app::gl
