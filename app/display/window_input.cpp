#include "app/display/window_input.h"

#include <imgui_impl_glfw.h>

#include <GLFW/glfw3.h>
#include <algorithm>
#include <cfloat>
#include <utility>

namespace app {
namespace {

// The length that two intervals share, in pixels.
long shared(int a, int a_length, int b, int b_length) {
  const long from = std::max(a, b), to = std::min(static_cast<long>(a) + a_length, static_cast<long>(b) + b_length);
  return std::max(0L, to - from);
}

using Kind = InputEvent::Kind;

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }
bool of_keyboard(const InputEvent& event) { return event.kind == Kind::key || event.kind == Kind::character; }

// Whether a frame that has seen `seen` may see `next`, too.
bool go_together(const std::vector<InputEvent>& seen, const InputEvent& next) {
  if (seen.empty()) return true;
  if (!of_keyboard(next)) return next.kind == seen.back().kind && next.kind != Kind::button;
  if (!of_keyboard(seen.back())) return false;
  if (next.kind == Kind::character) return true;
  for (const auto& event : seen) {
    if (event.kind == Kind::character || event.code == next.code) return false;
    if (event.down && !is_modifier(event.code)) return false;
  }
  return true;
}

}  // namespace

std::size_t largest_overlap(const ScreenRect& window, std::span<const ScreenRect> screens) {
  std::size_t best = 0;
  long most = 0;
  for (std::size_t i = 0; i < screens.size(); ++i) {
    const auto& screen = screens[i];
    const auto pixels = shared(window.x, window.width, screen.x, screen.width) *
                        shared(window.y, window.height, screen.y, screen.height);
    if (pixels > most) most = pixels, best = i;
  }
  return best;
}

void InputQueue::add(const InputEvent& event) {
  if (event.kind == Kind::move && !events_.empty() && events_.back().kind == Kind::move)
    events_.back() = event;  // where it was in between is seen by nobody
  else
    events_.push_back(event);
}

std::vector<InputEvent> InputQueue::next_frame() {
  std::vector<InputEvent> seen;
  while (!events_.empty() && go_together(seen, events_.front())) {
    seen.push_back(events_.front());
    events_.pop_front();
  }
  return seen;
}

#if IMGUI_VERSION_NUM < 18700

using Kind = InputEvent::Kind;

void WindowInput::moved(GLFWwindow*, double x, double y) { queue_.add({.kind = Kind::move, .x = x, .y = y}); }
void WindowInput::scrolled(GLFWwindow*, double x, double y) { queue_.add({.kind = Kind::wheel, .x = x, .y = y}); }
void WindowInput::button(GLFWwindow*, int button, int action, int) {
  queue_.add({.kind = Kind::button, .code = button, .down = action == GLFW_PRESS, .seconds = glfwGetTime()});
}
void WindowInput::key(GLFWwindow*, int key, int, int action, int) {
  if (action != GLFW_REPEAT) queue_.add({.kind = Kind::key, .code = key, .down = action == GLFW_PRESS});
}
void WindowInput::character(GLFWwindow*, unsigned character) {
  queue_.add({.kind = Kind::character, .code = static_cast<int>(character)});
}

void WindowInput::begin_frame(GLFWwindow* window) {
  auto& io = ImGui::GetIO();
  const auto events = queue_.next_frame();
  for (const auto& event : events) take(window, event);
  const bool over_window = io.MousePos.x != -FLT_MAX || !events.empty();
  if (over_window && known_) io.MousePos = mouse_;
  std::copy(down_.begin(), down_.end(), io.MouseDown);
}

bool WindowInput::end_new_frame() { return !queue_.empty(); }

void WindowInput::take(GLFWwindow* window, const InputEvent& event) {
  auto& io = ImGui::GetIO();
  switch (event.kind) {
    case Kind::move:
      mouse_ = {static_cast<float>(event.x), static_cast<float>(event.y)};
      known_ = true;
      break;
    case Kind::wheel:
      io.MouseWheelH += static_cast<float>(event.x);
      io.MouseWheel += static_cast<float>(event.y);
      break;
    case Kind::button: press(event); break;
    case Kind::key:  // modifiers are what is down: 0 here
      ImGui_ImplGlfw_KeyCallback(window, event.code, 0, event.down ? GLFW_PRESS : GLFW_RELEASE, 0);
      break;
    case Kind::character: io.AddInputCharacter(static_cast<unsigned>(event.code)); break;
  }
}

// ImGui would measure the time between two clicks in frames; here it is when they were made.
void WindowInput::press(const InputEvent& event) {
  constexpr double double_click = 0.3;  // seconds
  const auto button = static_cast<std::size_t>(event.code);
  if (button >= down_.size()) return;
  down_[button] = event.down;
  if (!event.down) return;
  const bool twice = event.seconds - std::exchange(pressed_[button], event.seconds) < double_click;
  ImGui::GetIO().MouseDoubleClickTime = twice ? 1e6f : 0.f;
}

#else

namespace {

bool is_modifier(ImGuiKey key) { return (key & ImGuiMod_Mask_) || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper); }

}  // namespace

void WindowInput::moved(GLFWwindow* window, double x, double y) { ImGui_ImplGlfw_CursorPosCallback(window, x, y); }
void WindowInput::scrolled(GLFWwindow* window, double x, double y) { ImGui_ImplGlfw_ScrollCallback(window, x, y); }
void WindowInput::button(GLFWwindow* window, int button, int action, int modifiers) {
  ImGui_ImplGlfw_MouseButtonCallback(window, button, action, modifiers);
}
void WindowInput::key(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
  ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, modifiers);
}
void WindowInput::character(GLFWwindow* window, unsigned character) { ImGui_ImplGlfw_CharCallback(window, character); }
// When the mouse has left a window that has the focus, the backend asks GLFW where it is. Wayland does not tell: what GLFW knows
// is the last place inside, and in units instead of pixels.
void WindowInput::begin_frame([[maybe_unused]] GLFWwindow* window) {
#ifdef GLFW_PLATFORM_WAYLAND
  if (glfwGetPlatform() == GLFW_PLATFORM_WAYLAND && !glfwGetWindowAttrib(window, GLFW_HOVERED))
    ImGui::GetIO().AddMousePosEvent(-FLT_MAX, -FLT_MAX);
#endif
  auto& events = ImGui::GetCurrentContext()->InputEventsQueue;
  bool moved = false, pressed = false;
  const auto* const first_later = std::find_if(events.begin(), events.end(), [&](const ImGuiInputEvent& event) {
    if (event.Type == ImGuiInputEventType_MousePos) moved = true;
    if (event.Type == ImGuiInputEventType_MouseButton) return moved;
    return event.Type == ImGuiInputEventType_Key &&
           std::exchange(pressed, pressed || (event.Key.Down && !is_modifier(event.Key.Key)));
  });
  later_.assign(first_later, static_cast<const ImGuiInputEvent*>(events.end()));
  events.resize(events.size() - static_cast<int>(later_.size()));
}

bool WindowInput::end_new_frame() {
  auto& events = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const auto& event : later_) events.push_back(event);
  return !events.empty();
}

#endif

}  // namespace app
