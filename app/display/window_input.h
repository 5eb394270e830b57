// What a window needs of plain parts: which screen it is on, and WindowInput: mouse and keys of a GLFW window for Dear ImGui.
// Up to 1.86 by an InputQueue, frame by frame; from 1.87 on ImGui has a queue of its own, and its backend asks GLFW for
// modifiers: there events are passed on when they come. Two that ImGui would see together come in two frames: a move and the
// press or release of a button, because a drag begins and ends where the mouse was then; and a key and the release of its
// modifier.
#pragma once

#include <imgui_internal.h>

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

struct GLFWwindow;

namespace app {

// ScreenRect: a rectangle of the desktop, which may have several monitors.
struct ScreenRect {
  int x = 0, y = 0, width = 0, height = 0;
};

// The index of the screen that covers most of `window`; 0 where none does.
std::size_t largest_overlap(const ScreenRect& window, std::span<const ScreenRect> screens);

// InputQueue: the window's events in their order, handed out frame by frame such that a slow frame loses none of them: Dear
// ImGui 1.86 knows only where the mouse is and what is down when a frame begins. It would see a drag begin where it ended,
// and neither a click nor a key that was pressed and released meanwhile.
struct InputEvent {
  enum class Kind { move, wheel, button, key, character };
  Kind kind = Kind::move;
  double x = 0, y = 0;  // move: the mouse's place; wheel: notches
  int code = 0;         // GLFW's number of the button or key; the character
  bool down = false;    // button, key
  double seconds = 0;   // button: when
};

class InputQueue {
 public:
  void add(const InputEvent& event);
  bool empty() const { return events_.empty(); }
  // What one frame may see, oldest first: moves of the mouse alone, the wheel alone, one change of one button; or keys, each of
  // which changes once, up to the first press of a key that is not a modifier, and the characters typed with it.
  std::vector<InputEvent> next_frame();

 private:
  std::deque<InputEvent> events_;
};

class WindowInput {
 public:
  // GLFW's callbacks.
  void moved(GLFWwindow* window, double x, double y);
  void scrolled(GLFWwindow* window, double x, double y);
  void button(GLFWwindow* window, int button, int action, int modifiers);
  void key(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  void character(GLFWwindow* window, unsigned character);
  // Between the backend's new frame and ImGui's: what this frame sees, in place of what the backend has polled, which may be
  // newer.
  void begin_frame(GLFWwindow* window);
  // After ImGui's new frame: whether the next one sees more.
  bool end_new_frame();

 private:
#if IMGUI_VERSION_NUM < 18700
  void take(GLFWwindow* window, const InputEvent& event);
  void press(const InputEvent& event);

  InputQueue queue_;
  bool known_ = false;  // where the mouse is
  ImVec2 mouse_{};
  std::array<bool, 5> down_{};  // ImGui's number of buttons
  std::array<double, 5> pressed_ = {-1, -1, -1, -1, -1};
#else
  std::vector<ImGuiInputEvent> later_;  // kept back from ImGui's new frame
#endif
};

}  // namespace app
