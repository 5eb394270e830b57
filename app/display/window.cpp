// The RenderTarget on a screen: a GLFW window with an OpenGL 3.3 core context.
#include "app/display/window_input.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/display/render_target.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/machine.h"

namespace app {
namespace {

// GLFW's latest error message, "65544: X11: Failed to open display" without the number.
std::string glfw_message() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason given";
}

// From 3.4 on GLFW prefers Wayland, which tells no program where its window is, and where some compositors draw no title bar.
// So X11 comes first where a server answers, as Xwayland does in most sessions.
class Glfw {
 public:
  Glfw() {
#ifdef GLFW_PLATFORM
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
    if (glfwInit()) return;
    const auto message = glfw_message();
#ifdef GLFW_PLATFORM
    if (!environment("WAYLAND_DISPLAY").empty()) {
      glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_WAYLAND);
      if (glfwInit()) return;
    }
#endif
    throw RenderTargetError(RenderTargetError::Kind::no_display,
                            "no display (" + message + "): start from a graphical session, or use --offscreen");
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;

  static bool on_wayland() {
#ifdef GLFW_PLATFORM
    return glfwGetPlatform() == GLFW_PLATFORM_WAYLAND;
#else
    return false;
#endif
  }
};

// The OpenGL version of the display without a request for 3.3, for the error message.
std::optional<std::string> any_version() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(16, 16, "satscope", nullptr, nullptr);
  if (!window) return std::nullopt;
  glfwMakeContextCurrent(window);
  using GetString = const unsigned char* (*)(unsigned);
  const auto get_string = reinterpret_cast<GetString>(glfwGetProcAddress("glGetString"));
  std::optional<std::string> found;
  if (get_string)
    found = std::string(reinterpret_cast<const char*>(get_string(GL_VERSION))) + " (" +
            reinterpret_cast<const char*>(get_string(GL_RENDERER)) + ")";
  glfwDestroyWindow(window);
  return found;
}

float limited(float scale) { return std::clamp(scale, 1.0f, 4.0f); }

float monitor_scale() {
  float x = 1, y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
  return limited(std::max(x, y));
}

// GLFW gives sizes of windows and places in them in units. A unit is a pixel of the framebuffer, except under Wayland, where it
// is as many as the scale says. This is the monitor's; a window knows its own when it is on a monitor.
double pixels_per_unit() { return Glfw::on_wayland() ? monitor_scale() : 1; }

// The area for windows, in units: the desktop without its bars, if the window manager reports it.
struct WorkArea {
  int width = 0, height = 0;
};
WorkArea work_area() {
  int x = 0, y = 0;
  WorkArea area;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorWorkarea(monitor, &x, &y, &area.width, &area.height);
  const auto units = [](int pixels) {
    return static_cast<int>(pixels / pixels_per_unit());
  };  // a monitor's mode is in pixels
  return {units(area.width), units(area.height)};
}

// A window has panels beside a picture. At scale 1.
constexpr int least_width = 800, least_height = 600;

// A side of `pixels` at scale 1, no longer than the monitor.
int scaled(int pixels, double scale, int room) {
  const auto wanted = static_cast<int>(pixels * scale + 0.5);
  return room > 0 ? std::min(wanted, room) : wanted;
}

// The monitor that shows most of the window, as a window manager would choose it; null where there is none.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  ScreenRect place;
  glfwGetWindowPos(window, &place.x, &place.y);
  glfwGetWindowSize(window, &place.width, &place.height);
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);  // the primary one first
  std::vector<ScreenRect> screens(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < screens.size(); ++i) {
    auto& screen = screens[i];
    glfwGetMonitorPos(monitors[i], &screen.x, &screen.y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    if (mode) screen.width = mode->width, screen.height = mode->height;
  }
  return screens.empty() ? nullptr : monitors[largest_overlap(place, screens)];
}

GLFWwindow* create_window(int width, int height) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "satscope");
#ifdef GLFW_WAYLAND_APP_ID
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "satscope");  // that of the desktop entry, which names the icon
#endif
  for (const int robustness :
       {GLFW_LOSE_CONTEXT_ON_RESET, GLFW_NO_ROBUSTNESS}) {  // some drivers refuse what they do not have
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robustness);
    if (GLFWwindow* window = glfwCreateWindow(width, height, "satscope", nullptr, nullptr)) return window;
  }
  const auto message = glfw_message();
  if (const auto found = any_version()) throw too_old(*found);
  throw RenderTargetError(
      RenderTargetError::Kind::failed,
      "no OpenGL window (" + message + "): try LIBGL_ALWAYS_SOFTWARE=1 for software OpenGL, or --viewer highgui");
}

void* loaded_xlib() { return dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD); }

// XErrorEvent, as Xlib lays it out.
struct FailedRequest {
  int type;
  void* display;
  unsigned long resource, serial;
  unsigned char error, request, minor;
};

unsigned long x_window = 0;  // X's number of the window

// An error of a driver, an input method or GLFW costs its request: that is said once for each kind. No request is made here.
void say_ignored(void* display, const FailedRequest& failed) {
  static std::set<std::array<unsigned char, 3>> said;
  if (!said.insert({failed.error, failed.request, failed.minor}).second) return;
  char text[200] = "";
  using GetText = int (*)(void* display, int code, char* text, int length);
  if (const auto get_text = reinterpret_cast<GetText>(dlsym(loaded_xlib(), "XGetErrorText")))
    get_text(display, failed.error, text, sizeof text);
  const auto name = std::string_view(text);  // "BadMatch (invalid parameter attributes)"
  tell("an X11 request failed (" + std::string(name.substr(0, name.find(" ("))) + ", request " +
       std::to_string(failed.request) + "." + std::to_string(failed.minor) + "); the window continues");
}

// Xlib's own handler for a failed request ends the program. This one does where another program has destroyed the window: it
// closes the connection, so that the handler for a lost connection runs, which knows the window.
void keep_on_after_errors(void* xlib) {
  using Handler = int (*)(void* display, FailedRequest* failed);
  const auto set_handler = reinterpret_cast<Handler (*)(Handler)>(dlsym(xlib, "XSetErrorHandler"));
  if (!set_handler) return;
  set_handler([](void* display, FailedRequest* failed) {
    constexpr int bad_window = 3, bad_drawable = 9;
    const bool destroyed = failed->resource == x_window && (failed->error == bad_window || failed->error == bad_drawable);
    if (!destroyed) return say_ignored(display, *failed), 0;
    if (const auto number = reinterpret_cast<int (*)(void*)>(dlsym(loaded_xlib(), "XConnectionNumber")))
      ::shutdown(number(display), SHUT_RDWR);
    return 0;
  });
}

class Window final : public RenderTarget {
 public:
  Window(int width, int height, bool vsync, double ui_scale)
      : window_(create_scaled(width, height, ui_scale > 0 ? ui_scale : monitor_scale()), &glfwDestroyWindow) {
    glfwMakeContextCurrent(window_.get());
    gl_ = start_context(glfwGetProcAddress);
    if (glfwGetWindowAttrib(window_.get(), GLFW_CONTEXT_ROBUSTNESS) == GLFW_LOSE_CONTEXT_ON_RESET)
      for (const char* name : {"glGetGraphicsResetStatus", "glGetGraphicsResetStatusARB"})
        if (!reset_status_) reset_status_ = reinterpret_cast<GLenum (*)()>(glfwGetProcAddress(name));
    set_vsync(vsync);
    glfwSetWindowUserPointer(window_.get(), this);
    set_ui_scale(ui_scale > 0 ? static_cast<float>(ui_scale) : scale());
    glfwSetDropCallback(window_.get(), [](GLFWwindow* window, int count, const char** paths) {
      auto& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
      self.dropped_.insert(self.dropped_.end(), paths, paths + count);
      self.input_ = true;
    });
    imgui_.emplace();
    note_input();
    ImGui_ImplGlfw_InitForOpenGL(window_.get(), false);  // the events come from pointer_and_keys_
  }
  ~Window() override { ImGui_ImplGlfw_Shutdown(); }

  bool wait_for_input(std::chrono::milliseconds time) override {
    if (time.count() > 0 && !input_) glfwWaitEventsTimeout(std::chrono::duration<double>(time).count());
    return std::exchange(input_, false);
  }

  void take_events() override { glfwPollEvents(); }

  void begin_frame() override {
    glfwPollEvents();
    imgui_->begin_frame();
    ImGui_ImplGlfw_NewFrame();
    use_pixels();
    pointer_and_keys_.begin_frame(window_.get());
    ImGui::NewFrame();
    if (pointer_and_keys_.end_new_frame()) input_ = true;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    start_drawing();
  }

  void end_frame() override {
    draw_interface();
    kept_.clear();
    if (std::exchange(keep_, false)) kept_ = read_framebuffer();
    glfwSwapBuffers(window_.get());
    context_lost_ = context_lost_ || (reset_status_ && reset_status_() != GL_NO_ERROR);
  }
  bool context_lost() const override { return context_lost_; }

  void keep_frame() override { keep_ = true; }
  std::vector<std::uint8_t> read_pixels() const override {
    if (kept_.empty()) throw std::logic_error("keep_frame() was not called for the frame that is read");
    return kept_;
  }

  bool closing() const override { return glfwWindowShouldClose(window_.get()); }
  void keep_open() override { glfwSetWindowShouldClose(window_.get(), GLFW_FALSE); }
  // Without it Xlib ends the program at once. GLFW loads Xlib itself, and only where there is an X server.
  void when_lost(std::function<void()> then) override {
    lost_ = std::move(then);
    using Reporter = int (*)(void* display);
    using Handler = void (*)(void* display, void* window);
    void* const xlib = loaded_xlib();
    if (!xlib || Glfw::on_wayland()) return;
    const auto display = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "glfwGetX11Display"));
    const auto set_reporter = reinterpret_cast<Reporter (*)(Reporter)>(dlsym(xlib, "XSetIOErrorHandler"));
    const auto set_handler = reinterpret_cast<void (*)(void*, Handler, void*)>(dlsym(xlib, "XSetIOErrorExitHandler"));
    if (!display || !set_reporter || !set_handler || !display()) return;
    set_reporter([](void*) { return 0; });  // Xlib's own one ends the program before the handler
    set_handler(
        display(),
        [](void*, void* window) {
          if (auto& lost = static_cast<Window*>(window)->lost_) lost();
          std::fflush(nullptr);
          std::_Exit(static_cast<int>(ExitCode::failed));
        },
        this);
    if (const auto number = reinterpret_cast<unsigned long (*)(GLFWwindow*)>(dlsym(RTLD_DEFAULT, "glfwGetX11Window")))
      x_window = number(window_.get());
    keep_on_after_errors(xlib);
  }
  void set_vsync(bool on) override { glfwSwapInterval(on ? 1 : 0); }
  // The server is asked, too: else nothing would, and that another program has destroyed the window would not be noticed.
  bool iconified() const override { return iconified_ && glfwGetWindowAttrib(window_.get(), GLFW_ICONIFIED); }
  double refresh_rate() const override {
    const auto now =
        std::chrono::steady_clock::now();  // the window may be moved to another monitor: looked for now and then
    if (now - asked_rate_ < std::chrono::seconds(1)) return refresh_rate_;
    asked_rate_ = now;
    GLFWmonitor* const monitor = monitor_of(window_.get());
    const GLFWvidmode* const mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    return refresh_rate_ = mode ? mode->refreshRate : 0;
  }
  int width() const override { return framebuffer_size().first; }
  int height() const override { return framebuffer_size().second; }
  float scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_.get(), &x, &y);
    return limited(std::max(x, y));
  }
  void set_ui_scale(float scale) override {
    const auto room = work_area();
    const auto least = [&, units = scale / pixels_per_unit_here()](int side, int most) {
      return most > 0 ? std::min(scaled(side, units, 0), most) : side;
    };
    glfwSetWindowSizeLimits(window_.get(), least(least_width, room.width), least(least_height, room.height), GLFW_DONT_CARE,
                            GLFW_DONT_CARE);
  }
  void set_fullscreen(bool on) override {
    GLFWwindow* window = window_.get();
    if (on == (glfwGetWindowMonitor(window) != nullptr)) return;
    if (on) {
      GLFWmonitor* monitor = monitor_of(window);
      const GLFWvidmode* const mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
      if (!mode) return;
      glfwGetWindowPos(window, &windowed_.x, &windowed_.y);
      glfwGetWindowSize(window, &windowed_.width, &windowed_.height);
      glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else {
      glfwSetWindowMonitor(window, nullptr, windowed_.x, windowed_.y, windowed_.width, windowed_.height, GLFW_DONT_CARE);
    }
    input_ = true;
  }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_.get(), title.c_str()); }

  bool take_dropped(std::string& path) override {
    if (dropped_.empty()) return false;
    path = std::move(dropped_.front());
    dropped_.pop_front();
    return true;
  }

 private:
  static GLFWwindow* create_scaled(int width, int height, double scale) {
    const auto room = work_area();
    const auto units = scale / pixels_per_unit();
    return create_window(scaled(std::max(width, least_width), units, room.width),
                         scaled(std::max(height, least_height), units, room.height));
  }
  double pixels_per_unit_here() const {
    if (!Glfw::on_wayland()) return 1;  // without asking the X server
    int width = 0, height = 0;
    glfwGetWindowSize(window_.get(), &width, &height);
    return width > 0 ? static_cast<double>(framebuffer_size().first) / width : 1;
  }
  // Everything here is in pixels of the framebuffer, which differ from the backend's units under Wayland.
  void use_pixels() const {
    auto& io = ImGui::GetIO();
    if (io.DisplaySize.x <= 0 || io.DisplaySize.y <= 0) return;  // iconified
    io.DisplaySize = {static_cast<float>(width()), static_cast<float>(height())};
    io.DisplayFramebufferScale = {1, 1};
  }
  static Window& of(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }
  static void noted(GLFWwindow* window) { of(window).input_ = true; }
  static WindowInput& input_of(GLFWwindow* window) {
    noted(window);
    return of(window).pointer_and_keys_;
  }
  // Every event that requires drawing the window.
  void note_input() {
    GLFWwindow* window = window_.get();
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
      const auto pixels = of(w).pixels_per_unit_here();
      input_of(w).moved(w, x * pixels, y * pixels);
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) { input_of(w).scrolled(w, x, y); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int modifiers) {
      input_of(w).button(w, button, action, modifiers);
    });
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
      input_of(w).key(w, key, scancode, action, modifiers);
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned character) { input_of(w).character(w, character); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
      noted(w);
      ImGui_ImplGlfw_CursorEnterCallback(w, entered);
    });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
      noted(w);
      ImGui_ImplGlfw_WindowFocusCallback(w, focused);
    });
    iconified_ = glfwGetWindowAttrib(window, GLFW_ICONIFIED);
    glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int iconified) {
      noted(w);
      of(w).iconified_ = iconified;
    });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { noted(w); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { noted(w); });
    glfwSetWindowRefreshCallback(window, noted);
    glfwSetWindowCloseCallback(window, noted);
  }

  std::pair<int, int> framebuffer_size() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_.get(), &width, &height);
    return {std::max(width, 1), std::max(height, 1)};  // 0 while iconified on some window managers
  }

  Glfw glfw_;  // first: it outlives the window
  std::unique_ptr<GLFWwindow, void (*)(GLFWwindow*)> window_;
  std::optional<ImGuiSession> imgui_;
  std::deque<std::string> dropped_;
  std::function<void()> lost_;
  WindowInput pointer_and_keys_;
  struct {
    int x = 0, y = 0, width = 0, height = 0;
  } windowed_;                          // before it filled the monitor
  GLenum (*reset_status_)() = nullptr;  // null: contexts are never lost, or nobody says so
  bool keep_ = false, input_ = false, iconified_ = false, context_lost_ = false;
  mutable std::chrono::steady_clock::time_point asked_rate_;
  mutable double refresh_rate_ = 0;
  std::vector<std::uint8_t> kept_;
};

}  // namespace

std::string require_display() {
  const Glfw glfw;
  const auto wayland = environment("WAYLAND_DISPLAY");
  if (Glfw::on_wayland()) return wayland + " (Wayland)";
  return environment("DISPLAY") + (wayland.empty() ? " (X11)" : " (X11, in a Wayland session)");
}

std::unique_ptr<RenderTarget> open_window(int width, int height, bool vsync, double ui_scale) {
  return std::make_unique<Window>(width, height, vsync, ui_scale);
}

}  // namespace app
