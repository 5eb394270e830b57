// RenderTarget: something to draw on, with a current OpenGL 3.3 core context: a GLFW window or an offscreen framebuffer.
// Both start Dear ImGui (context, OpenGL3 backend; the window also the GLFW backend) and end it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/gl/context_info.h"

namespace app {

class RenderTarget {
 public:
  virtual ~RenderTarget() = default;
  virtual void begin_frame() = 0;  // polls events, starts the ImGui frame, binds and clears the framebuffer
  // Waits at most `time` for input, or another reason to draw the window, unless there was one since the last call. True
  // if there was one. Without a screen it returns false at once.
  virtual bool wait_for_input(std::chrono::milliseconds time) {
    (void)time;
    return false;
  }
  virtual void end_frame() = 0;  // draws ImGui, shows the result (swap) or leaves it in the framebuffer
  virtual bool closing() const = 0;
  virtual void set_vsync(bool on) = 0;
  virtual int width() const = 0;  // framebuffer pixels
  virtual int height() const = 0;
  virtual float scale() const { return 1; }  // of the monitor: 2 if text should be twice as large
  virtual void set_title(const std::string& title) = 0;
  virtual bool take_dropped(std::string& path) {
    (void)path;
    return false;
  }  // a file dragged onto the window
  const GlInfo& gl() const { return gl_; }
  // RGBA rows of the frame that end_frame() ended, top row first. Waits for the GPU. A window loses its frames when they
  // are shown: call keep_frame() before the end_frame() of a frame to be read, otherwise this throws std::logic_error.
  virtual void keep_frame() {}
  virtual std::vector<std::uint8_t> read_pixels() const { return read_framebuffer(); }

 protected:
  static void clear();  // the bound framebuffer, to the colour around the picture
  std::vector<std::uint8_t> read_framebuffer() const;
  GlInfo gl_;
};

// Both throw RenderTargetError: no display, OpenGL too old, no EGL device. what() is one line with the next step.
std::unique_ptr<RenderTarget> open_window(int width, int height, bool vsync);
// NVIDIA's EGL device if there is one, otherwise Mesa's software device.
std::unique_ptr<RenderTarget> open_offscreen(int width, int height);

// Throws RenderTargetError(no_display) if no window could be opened. Do not call while one is open.
void require_display();

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

}  // namespace app
