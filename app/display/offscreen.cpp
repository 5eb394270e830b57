// The RenderTarget without a screen: a framebuffer object in a surfaceless EGL context. ImGui's time is fixed at 1/60 s per
// frame, so that two runs draw the same.
#include <glad/gl.h>
#include <imgui.h>

#include <array>
#include <optional>

#include "app/display/egl_context.h"
#include "app/display/imgui_session.h"
#include "app/display/render_target.h"
#include "app/display/start_context.h"
#include "app/gl/gl_error.h"
#include "app/gl/gl_object.h"

namespace app {
namespace {

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
    gl_ = gl::start_context(gl::EglContext::get_proc_address);
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
  bool keeps_pixels() const override { return true; }
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
  gl::EglContext context_;  // before all other OpenGL objects: it outlives them
  gl::Framebuffer framebuffer_;
  gl::Renderbuffer colour_;
  FramePacer pacer_;
  std::optional<gl::ImGuiSession> imgui_;
};

}  // namespace

std::unique_ptr<RenderTarget> open_offscreen(int width, int height) { return std::make_unique<Offscreen>(width, height); }

}  // namespace app
