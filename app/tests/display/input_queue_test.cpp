#include "app/display/input_queue.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <string>

namespace app {
namespace {

using Kind = InputEvent::Kind;

InputEvent move(double x) { return {Kind::move, x, 0, 0, false, 0}; }
InputEvent button(bool down) { return {Kind::button, 0, 0, 0, down, 0}; }
InputEvent wheel(double notches) { return {Kind::wheel, 0, notches, 0, false, 0}; }
InputEvent key(int code, bool down) { return {Kind::key, 0, 0, code, down, 0}; }
InputEvent character(char c) { return {Kind::character, 0, 0, c, false, 0}; }

// The frames that see these events: "x7 | + | x9 | -" with moves, wheel w, buttons + and -, keys by their letters: K down, k
// up, ^ is Ctrl (down) and v (up), characters in quotes.
std::string frames(std::initializer_list<InputEvent> events) {
  InputQueue queue;
  for (const auto& event : events) queue.add(event);
  std::string text;
  for (auto seen = queue.next_frame(); !seen.empty(); seen = queue.next_frame()) {
    text += text.empty() ? "" : " |";
    for (const auto& event : seen) {
      const bool control = event.code == GLFW_KEY_LEFT_CONTROL;
      const auto letter = static_cast<char>(event.down ? event.code : event.code + 'a' - 'A');
      text += ' ';
      if (event.kind == Kind::move) text += "x" + std::to_string(static_cast<int>(event.x));
      if (event.kind == Kind::wheel) text += 'w';
      if (event.kind == Kind::button) text += event.down ? '+' : '-';
      if (event.kind == Kind::key) text += control ? (event.down ? '^' : 'v') : letter;
      if (event.kind == Kind::character) text += std::string("'") + static_cast<char>(event.code) + "'";
    }
  }
  EXPECT_TRUE(queue.empty());
  return text;
}

constexpr int control = GLFW_KEY_LEFT_CONTROL;

TEST(InputQueueTest, a_drag_begins_where_the_button_was_pressed) {
  EXPECT_EQ(frames({move(1), move(7), button(true), move(8), move(9), button(false), move(3)}), " x7 | + | x9 | - | x3");
}

TEST(InputQueueTest, both_clicks_of_a_double_click_are_seen) {
  EXPECT_EQ(frames({button(true), button(false), button(true), button(false)}), " + | - | + | -");
}

TEST(InputQueueTest, the_wheel_turns_where_the_mouse_was) {
  EXPECT_EQ(frames({move(1), wheel(1), wheel(1), move(2), wheel(-1)}), " x1 | w w | x2 | w");
}

TEST(InputQueueTest, a_key_is_down_for_a_frame_and_each_tap_of_it_is_seen) {
  EXPECT_EQ(frames({key('A', true), key('A', false), key('A', true), key('A', false)}), " A | a | A | a");
}

TEST(InputQueueTest, a_modifier_stays_down_until_the_key_that_it_modifies_is_seen) {
  EXPECT_EQ(frames({key(control, true), key('P', true), key('P', false), key(control, false), key('E', true), character('e'),
                    key('E', false)}),
            " ^ P | p v E 'e' | e");
}

TEST(InputQueueTest, keys_that_are_typed_over_each_other_stay_in_order) {
  EXPECT_EQ(frames({key('A', true), character('a'), key('B', true), character('b'), key('A', false), key('B', false)}),
            " A 'a' | B 'b' | a b");
}

TEST(InputQueueTest, mouse_and_keys_take_turns) {
  EXPECT_EQ(frames({key(control, true), button(true), key(control, false), move(1)}), " ^ | + | v | x1");
}

}  // namespace
}  // namespace app
