#include "app/display/input_queue.h"

#include <GLFW/glfw3.h>

namespace app {
namespace {

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

}  // namespace app
