// The RenderTarget without a screen: a framebuffer object in a surfaceless EGL context. ImGui's time is fixed at 1/60 s per
// frame, so that two runs draw the same.
#include <glad/egl.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/display/render_target.h"
#include "app/gl/gl_object.h"

namespace app {
namespace {

struct Device {
  EGLDeviceEXT handle;
  std::string name;
  int rank;  // the lowest is tried first
};

bool has(const char* extensions, std::string_view name) {
  return extensions && (" " + std::string(extensions) + " ").find(" " + std::string(name) + " ") != std::string::npos;
}

bool client_has(std::string_view name) { return has(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), name); }

Device describe(EGLDeviceEXT handle) {
  const char* extensions = eglQueryDeviceStringEXT(handle, EGL_EXTENSIONS);
  EGLAttrib cuda_device = 0;
  if (has(extensions, "EGL_NV_device_cuda")) {
    // A GPU hidden from CUDA (CUDA_VISIBLE_DEVICES) comes after the visible ones.
    if (eglQueryDeviceAttribEXT(handle, EGL_CUDA_DEVICE_NV, &cuda_device))
      return {handle, "the NVIDIA GPU " + std::to_string(cuda_device), static_cast<int>(cuda_device)};
    return {handle, "an NVIDIA GPU that CUDA does not see", 1000};
  }
  if (has(extensions, "EGL_MESA_device_software")) return {handle, "Mesa's software device", 2000};
  return {handle, "another GPU", 3000};
}

std::vector<Device> devices() {
  std::vector<Device> found;
  if (!client_has("EGL_EXT_platform_device") || !eglQueryDevicesEXT || !eglGetPlatformDisplayEXT) return found;
  EGLint count = 0;
  if (!eglQueryDevicesEXT(0, nullptr, &count) || count <= 0) return found;
  std::vector<EGLDeviceEXT> handles(static_cast<std::size_t>(count));
  if (!eglQueryDevicesEXT(count, handles.data(), &count)) return found;
  for (int i = 0; i < count; ++i) found.push_back(describe(handles[static_cast<std::size_t>(i)]));
  std::stable_sort(found.begin(), found.end(), [](const Device& a, const Device& b) { return a.rank < b.rank; });
  return found;
}

// Any config works for a context without a surface; if the display allows a context without a config, none is chosen.
bool choose_config(EGLDisplay display, EGLConfig& config) {
  config = nullptr;  // EGL_NO_CONFIG_KHR
  if (has(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_no_config_context")) return true;
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLint count = 0;
  return eglChooseConfig(display, wanted, &config, 1, &count) && count > 0;
}

// EglContext: an OpenGL 3.3 core context without surface and display server, on an EGL device: NVIDIA's if there is one
// (CUDA's first GPU), otherwise Mesa's software device, otherwise any other, otherwise Mesa without a device.
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

EglContext::EglContext() {
  setenv("EGL_LOG_LEVEL", "fatal", 0);  // Mesa prints warnings about drivers that it does not need
  if (!gladLoaderLoadEGL(EGL_NO_DISPLAY))
    throw RenderTargetError(RenderTargetError::Kind::failed,
                            "offscreen drawing needs EGL: install the packages libegl1 and libegl-mesa0");
  for (const auto& device : devices())
    if (start(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device.handle, nullptr), device.name)) return;
  if (client_has("EGL_MESA_platform_surfaceless") && eglGetPlatformDisplayEXT) {
    const EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (start(display, "Mesa without a device")) return;
  }
  std::string message = "no EGL device provides OpenGL 3.3";
  for (const auto& failure : failures_) message += "; " + failure;
  throw RenderTargetError(RenderTargetError::Kind::failed,
                          message + ": install libegl-mesa0 and libgl1-mesa-dri for software OpenGL");
}

EglContext::~EglContext() { leave(); }

bool EglContext::start(EGLDisplay display, const std::string& device) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return refuse(device, "start");
  display_ = display;
  gladLoaderLoadEGL(display);  // only an initialised display reports its version, and thus its functions
  EGLConfig config = nullptr;
  const EGLint attributes[] = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  if (!eglBindAPI(EGL_OPENGL_API) || !choose_config(display, config)) return refuse(device, "OpenGL");
  context_ = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
  if (context_ == EGL_NO_CONTEXT) return refuse(device, "OpenGL 3.3");
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) return refuse(device, "no surface");
  return true;
}

bool EglContext::refuse(const std::string& device, const char* step) {
  char code[16];
  std::snprintf(code, sizeof code, "0x%x", static_cast<unsigned>(eglGetError()));
  failures_.push_back(device + " fails (" + step + ", EGL error " + code + ")");
  leave();
  return false;
}

void EglContext::leave() {
  if (display_ == EGL_NO_DISPLAY) return;
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
  eglTerminate(display_);
  display_ = EGL_NO_DISPLAY;
  context_ = EGL_NO_CONTEXT;
}

// No swap paces the loop here. Like a swap chain of three, begin_frame() waits for the second last frame.
class FramePacer {
 public:
  ~FramePacer() {
    for (GLsync fence : fences_)
      if (fence) glDeleteSync(fence);
  }
  void wait() {
    GLsync& fence = fences_[next_];
    if (!fence) return;
    constexpr GLuint64 one_second = 1'000'000'000;
    glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, one_second);
    glDeleteSync(fence);
    fence = nullptr;
  }
  void mark() {
    fences_[next_] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    next_ = (next_ + 1) % fences_.size();
  }

 private:
  std::array<GLsync, 2> fences_{};
  std::size_t next_ = 0;
};

class Offscreen final : public RenderTarget {
 public:
  Offscreen(int width, int height) : width_(width), height_(height) {
    gl_ = start_context(EglContext::get_proc_address);
    create_framebuffer();
    imgui_.emplace();
    ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    ImGui::GetIO().DeltaTime = 1.0f / 60.0f;
  }

  void begin_frame() override {
    pacer_.wait();
    imgui_->begin_frame();
    ImGui::NewFrame();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    start_drawing();
  }

  void end_frame() override {
    draw_interface();
    pacer_.mark();
    glFlush();
  }

  bool closing() const override { return false; }
  void set_vsync(bool) override {}
  int width() const override { return width_; }
  int height() const override { return height_; }
  void set_title(const std::string&) override {}

 private:
  void create_framebuffer() {
    GLint most = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    const auto size = std::to_string(width_) + "x" + std::to_string(height_);
    if (width_ < 1 || height_ < 1 || width_ > most || height_ > most)
      throw RenderTargetError(RenderTargetError::Kind::failed, "cannot draw offscreen in " + size + " pixels: 1x1 to " +
                                                                   std::to_string(most) + "x" + std::to_string(most) +
                                                                   " are possible");
    framebuffer_ = gl::Framebuffer::create();
    colour_ = gl::Renderbuffer::create();
    glBindRenderbuffer(GL_RENDERBUFFER, colour_.id());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width_, height_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_.id());
    gl::check();
  }

  int width_, height_;
  EglContext context_;  // before all other OpenGL objects: it outlives them
  gl::Framebuffer framebuffer_;
  gl::Renderbuffer colour_;
  FramePacer pacer_;
  std::optional<ImGuiSession> imgui_;
};

}  // namespace

std::unique_ptr<RenderTarget> open_offscreen(int width, int height) { return std::make_unique<Offscreen>(width, height); }

}  // namespace app
