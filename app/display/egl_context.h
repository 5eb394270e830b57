// EglContext: an OpenGL 3.3 core context without surface and display server, on an EGL device: NVIDIA's if there is one
// (CUDA's first GPU), otherwise Mesa's software device, otherwise any other, otherwise Mesa without a device.
#pragma once

#include <glad/egl.h>

#include <string>
#include <vector>

namespace app::gl {

class EglContext {
 public:
  // Makes itself current. Prints nothing. Throws RenderTargetError with the failures of all devices.
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
