// InputQueue: the window's events in their order, handed out frame by frame such that a slow frame loses none of them: Dear
// ImGui 1.86 knows only where the mouse is and what is down when a frame begins. It would see a drag begin where it ended,
// and neither a click nor a key that was pressed and released meanwhile.
#pragma once

#include <deque>
#include <vector>

namespace app {

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
  // which changes once, up to the first press of a key that is no modifier, and the characters typed with it.
  std::vector<InputEvent> next_frame();

 private:
  std::deque<InputEvent> events_;
};

}  // namespace app
