#include "app/display/colour_target.h"

#include <string>

#include "app/display/render_target.h"
#include "app/gl/gl_error.h"

namespace app::gl {

ColourTarget::ColourTarget(int width, int height) : width_(width), height_(height) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  const auto size = std::to_string(width) + "x" + std::to_string(height);
  if (width < 1 || height < 1 || width > most || height > most)
    throw RenderTargetError(RenderTargetError::Kind::failed, "cannot draw offscreen in " + size + " pixels: 1x1 to " +
                                                                 std::to_string(most) + "x" + std::to_string(most) +
                                                                 " are possible");
  framebuffer_ = Framebuffer::create();
  colour_ = Renderbuffer::create();
  glBindRenderbuffer(GL_RENDERBUFFER, colour_.id());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_.id());
  check();
}

void ColourTarget::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id()); }

}  // namespace app::gl
