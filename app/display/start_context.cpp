#include "app/display/start_context.h"

#include "app/gl/gl_error.h"

namespace app::gl {

RenderTargetError too_old(const std::string& found) {
  return {RenderTargetError::Kind::opengl_too_old,
          "OpenGL 3.3 is needed, this display offers " + found +
              ": try LIBGL_ALWAYS_SOFTWARE=1 for software OpenGL, or --viewer highgui, which needs none"};
}

GlInfo start_context(GLADloadfunc get_proc_address) {
  const int version = gladLoadGL(get_proc_address);
  if (version == 0) throw RenderTargetError(RenderTargetError::Kind::failed, "OpenGL's functions could not be loaded");
  GlInfo info = describe_context();
  if (version < GLAD_MAKE_VERSION(3, 3)) throw too_old(info.version + " (" + info.renderer + ")");
  keep_error_messages();
  return info;
}

}  // namespace app::gl
