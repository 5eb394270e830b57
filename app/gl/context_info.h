// What an OpenGL context is.
#pragma once

#include <string>

namespace app {

struct GlInfo {
  std::string vendor, renderer, version;
  bool software = false;  // llvmpipe, softpipe, swrast
};

namespace gl {

GlInfo describe_context();  // the current one

}  // namespace gl
}  // namespace app
