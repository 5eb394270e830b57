#include "app/gl/context_info.h"

#include <array>
#include <string_view>

#include "app/gl/gl_error.h"

namespace app::gl {
namespace {

std::string string_of(GLenum name) {
  const auto* text = reinterpret_cast<const char*>(glGetString(name));
  return text ? text : "unknown";
}

bool is_software(std::string_view renderer) {
  constexpr std::array<std::string_view, 4> names = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer"};
  for (const auto name : names)
    if (renderer.find(name) != renderer.npos) return true;
  return false;
}

}  // namespace

SurfaceError too_old(const std::string& found) {
  return {SurfaceError::Kind::opengl_too_old,
          "OpenGL 3.3 is needed, this display offers " + found +
              ": try LIBGL_ALWAYS_SOFTWARE=1 for software OpenGL, or --viewer highgui, which needs none"};
}

GlInfo describe_context() {
  GlInfo info{string_of(GL_VENDOR), string_of(GL_RENDERER), string_of(GL_VERSION), false};
  info.software = is_software(info.renderer);
  return info;
}

GlInfo start_context(GLADloadfunc get_proc_address) {
  const int version = gladLoadGL(get_proc_address);
  if (version == 0) throw SurfaceError(SurfaceError::Kind::failed, "OpenGL's functions could not be loaded");
  GlInfo info = describe_context();
  if (version < GLAD_MAKE_VERSION(3, 3)) throw too_old(info.version + " (" + info.renderer + ")");
  keep_error_messages();
  return info;
}

}  // namespace app::gl
