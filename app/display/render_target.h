// Surface: something to draw on, with a current OpenGL 3.3 core context: a GLFW window or an offscreen framebuffer.
// Both start Dear ImGui (context, OpenGL3 backend; the window also the GLFW backend) and end it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/gl/context_info.h"

namespace app {

class Surface {
 public:
  virtual ~Surface() = default;
  virtual void begin_frame() = 0;  // polls events, starts the ImGui frame, binds and clears the framebuffer
  // Waits so long at most for input, or for anything else that the window has to be drawn for, where none came since the
  // last call. True where some did. Without a screen none comes, and nothing is waited for.
  virtual bool wait_for_input(std::chrono::milliseconds time) { (void)time; return false; }
  virtual void end_frame() = 0;    // draws ImGui, shows the result (swap) or leaves it in the framebuffer
  virtual bool closing() const = 0;
  virtual void set_vsync(bool on) = 0;
  virtual int width() const = 0;   // framebuffer pixels
  virtual int height() const = 0;
  virtual float scale() const { return 1; }  // of the monitor: 2 where text should be twice as large
  virtual void set_title(const std::string& title) = 0;
  virtual bool take_dropped(std::string& path) { (void)path; return false; }  // a file dragged onto the window
  const GlInfo& gl() const { return gl_; }
  // RGBA rows of the frame that end_frame() ended, top row first. Waits for the GPU. A window has its frames no more
  // once they are shown: keep_frame() comes before the end_frame() of one that will be read, else std::logic_error.
  virtual void keep_frame() {}
  virtual std::vector<std::uint8_t> read_pixels() const { return read_framebuffer(); }

 protected:
  static void clear();  // the bound framebuffer, to the colour around the picture
  std::vector<std::uint8_t> read_framebuffer() const;
  GlInfo gl_;
};

// Both throw SurfaceError: no display, OpenGL too old, no EGL device. what() is one line with the next step.
std::unique_ptr<Surface> open_window(int width, int height, bool vsync);
// NVIDIA's EGL device where there is one, else Mesa's software device.
std::unique_ptr<Surface> open_offscreen(int width, int height);

// Throws SurfaceError(no_display) where a window could not be opened. Not while one is open.
void require_display();

class SurfaceError : public std::exception {
 public:
  enum class Kind { no_display, opengl_too_old, failed };
  SurfaceError(Kind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  Kind kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Kind kind_;
  std::string message_;
};

}  // namespace app
