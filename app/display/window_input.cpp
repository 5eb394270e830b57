#include "app/display/window_input.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <cfloat>
#include <utility>

namespace app {

bool WindowInput::begin_frame(GLFWwindow* window) {
  auto& io = ImGui::GetIO();
  const auto events = queue_.next_frame();
  for (const auto& event : events) take(window, event);
  const bool over_window = io.MousePos.x != -FLT_MAX || !events.empty();
  if (over_window && known_) io.MousePos = mouse_;
  std::copy(down_.begin(), down_.end(), io.MouseDown);
  return !queue_.empty();
}

void WindowInput::take(GLFWwindow* window, const InputEvent& event) {
  auto& io = ImGui::GetIO();
  switch (event.kind) {
    case InputEvent::Kind::move:
      mouse_ = {static_cast<float>(event.x), static_cast<float>(event.y)};
      known_ = true;
      break;
    case InputEvent::Kind::wheel:
      io.MouseWheelH += static_cast<float>(event.x);
      io.MouseWheel += static_cast<float>(event.y);
      break;
    case InputEvent::Kind::button: press(event); break;
    case InputEvent::Kind::key:
      ImGui_ImplGlfw_KeyCallback(window, event.code, 0, event.down ? GLFW_PRESS : GLFW_RELEASE, 0);
      break;
    case InputEvent::Kind::character: io.AddInputCharacter(static_cast<unsigned>(event.code)); break;
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

}  // namespace app
