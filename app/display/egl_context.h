// EglContext: an OpenGL 3.3 core context with no surface and no display server, on an EGL device: NVIDIA's where there
// is one (the GPU that CUDA names first), else Mesa's software device, else any other, else Mesa with no device.
#pragma once

#include <glad/egl.h>

#include <string>
#include <vector>

namespace app::gl {

class EglContext {
 public:
  // Makes itself current. Prints nothing. Throws SurfaceError with what every device said.
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  using Function = void (*)();
  static Function get_proc_address(const char* name) { return eglGetProcAddress(name); }

 private:
  bool start(EGLDisplay display, const std::string& device);  // false with its reason in failures_
  bool refuse(const std::string& device, const char* step);
  void leave();

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  std::vector<std::string> failures_;
};

}  // namespace app::gl
