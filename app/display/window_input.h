// WindowInput: mouse and keys of a GLFW window for Dear ImGui, by an InputQueue.
#pragma once

#include <imgui.h>

#include <array>

#include "app/display/input_queue.h"

struct GLFWwindow;

namespace app {

class WindowInput {
 public:
  void add(const InputEvent& event) { queue_.add(event); }
  // Between the backend's new frame and ImGui's: what this frame sees, in place of what the backend has polled, which may be
  // newer. True where the next frame sees more.
  bool begin_frame(GLFWwindow* window);

 private:
  void take(GLFWwindow* window, const InputEvent& event);
  void press(const InputEvent& event);

  InputQueue queue_;
  bool known_ = false;  // where the mouse is
  ImVec2 mouse_{};
  std::array<bool, 5> down_{};  // ImGui's number of buttons
  std::array<double, 5> pressed_ = {-1, -1, -1, -1, -1};
};

}  // namespace app
