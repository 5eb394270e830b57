#include "app/gl/context_info.h"

#include <glad/gl.h>

#include <array>
#include <string_view>

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

GlInfo describe_context() {
  GlInfo info{string_of(GL_VENDOR), string_of(GL_RENDERER), string_of(GL_VERSION), false};
  info.software = is_software(info.renderer);
  return info;
}

}  // namespace app::gl
