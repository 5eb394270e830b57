// RenderTarget: what a frame is drawn on: a GLFW window or an offscreen framebuffer. While it exists, its OpenGL 3.3 core
// context is current, and Dear ImGui is set up for it (context and OpenGL3 backend; for the window also the GLFW backend).
//
// Per frame: begin_frame(); OpenGL and ImGui calls; end_frame().
#pragma once

#include <glad/gl.h>
#include <imgui.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gl/gl_object.h"
#include "app/gl/view.h"

namespace app {

class RenderTarget {
 public:
  virtual ~RenderTarget() = default;
  virtual void begin_frame() = 0;  // polls events, starts the ImGui frame, binds and clears the framebuffer
  // Waits up to `time` for input or another reason to draw the window; true where there was one since the last call. An
  // offscreen target returns false at once.
  virtual bool wait_for_input(std::chrono::milliseconds time) {
    (void)time;
    return false;
  }
  virtual void take_events() {}  // as begin_frame() does, where nothing is drawn
  virtual void end_frame() = 0;  // draws ImGui; a window then shows the frame, offscreen it stays in the framebuffer
  // Instead of end_frame(), of a frame that cannot be finished, and wherever it was left; without one it does nothing.
  void give_up_frame();
  virtual bool closing() const = 0;
  virtual void keep_open() {}  // closing() is taken back
  // What is done when the connection to the display is lost, as at the end of a desktop's session: nothing can be drawn any more,
  // and the program ends after it. Called within any function of the target.
  virtual void when_lost(std::function<void()> then) { (void)then; }
  // OpenGL's context is lost, since its GPU was reset, as of end_frame(): nothing can be drawn any more.
  virtual bool context_lost() const { return false; }
  virtual void set_vsync(bool on) = 0;
  virtual bool iconified() const { return false; }   // nothing of it is seen
  virtual double refresh_rate() const { return 0; }  // pictures per second of its monitor; 0: it is not known
  virtual int width() const = 0;                     // framebuffer pixels
  virtual int height() const = 0;
  virtual float scale() const { return 1; }  // of the monitor: 2 where text has to be twice as large
  // How large text is drawn: a window becomes no smaller than the panels need beside a picture.
  virtual void set_ui_scale(float scale) { (void)scale; }
  virtual void set_title(const std::string& title) = 0;
  virtual void set_fullscreen(bool on) { (void)on; }
  // The colour that begin_frame() clears the framebuffer with, each channel 0..1.
  void set_background(const std::array<float, 3>& colour) { background_ = colour; }
  // Clears a part of the framebuffer, in pixels from the top left corner: after begin_frame(), once, before what lies on it.
  void fill(const Area& area, const std::array<float, 3>& colour);
  // After ImGui's fonts changed, between two frames.
  void renew_fonts();
  // True where a file was dragged onto the window since the last call: then `path` is that file.
  virtual bool take_dropped(std::string& path) {
    (void)path;
    return false;
  }
  const gl::GlInfo& gl() const { return gl_; }
  // read_pixels() returns the pixels of the last frame as RGBA, top row first, and waits for the GPU to draw it. A window
  // does not keep frames that it has shown: there keep_frame() has to be called before the end_frame() of the frame to be
  // read; otherwise read_pixels() throws std::logic_error.
  virtual void keep_frame() {}
  virtual std::vector<std::uint8_t> read_pixels() const { return read_framebuffer(); }

 protected:
  void start_drawing();   // into the bound framebuffer
  void draw_interface();  // ends ImGui's frame and draws it into the bound framebuffer
  std::vector<std::uint8_t> read_framebuffer() const;
  gl::GlInfo gl_;

 private:
  std::array<float, 3> background_ = {0.06f, 0.065f, 0.075f};
};

// Both throw RenderTargetError: no display, OpenGL too old, no EGL device. what() is one line: the cause, and what to do.
// `width` and `height` of a window are for a display of scale 1: where text is larger, by the display's scale or by
// `ui_scale` (0: the display's), the window is larger too, as far as the monitor has room. It is no smaller than 800 x 600
// there: it has panels beside a picture.
std::unique_ptr<RenderTarget> open_window(int width, int height, bool vsync, double ui_scale = 0);
// On NVIDIA's EGL device if there is one, otherwise on Mesa's software device.
std::unique_ptr<RenderTarget> open_offscreen(int width, int height);

// The display on which a window would open, ":0 (X11)". Throws RenderTargetError(no_display) where none can. Not while one is
// open.
std::string require_display();

class RenderTargetError : public std::exception {
 public:
  enum class Kind { no_display, opengl_too_old, failed };
  RenderTargetError(Kind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  Kind kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Kind kind_;
  std::string message_;
};

// For render targets, after they have made a new context current: loads OpenGL's functions, checks the version, and sets
// the state on which the rest of the program relies.

// Throws RenderTargetError(opengl_too_old) below 3.3, which names the version and the next step.
gl::GlInfo start_context(GLADloadfunc get_proc_address);

// The error for an OpenGL older than 3.3.
RenderTargetError too_old(const std::string& found);

// ImGuiSession: Dear ImGui's context with its OpenGL backend, for the lifetime of a surface. Its settings file is off: the
// user's choices are in ours. The interface sets fonts and colours before the first frame.
class ImGuiSession {
 public:
  ImGuiSession();  // with the OpenGL context current; throws RenderTargetError
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;

  void begin_frame();  // of the OpenGL backend, before ImGui::NewFrame()
};

}  // namespace app
