#include "app/display/window_input.h"

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

TEST(WindowInputQueueTest, ADragBeginsWhereTheButtonWasPressed) {
  EXPECT_EQ(frames({move(1), move(7), button(true), move(8), move(9), button(false), move(3)}), " x7 | + | x9 | - | x3");
}

TEST(WindowInputQueueTest, BothClicksOfADoubleClickAreSeen) {
  EXPECT_EQ(frames({button(true), button(false), button(true), button(false)}), " + | - | + | -");
}

TEST(WindowInputQueueTest, TheWheelTurnsWhereTheMouseWas) {
  EXPECT_EQ(frames({move(1), wheel(1), wheel(1), move(2), wheel(-1)}), " x1 | w w | x2 | w");
}

TEST(WindowInputQueueTest, AKeyIsDownForAFrameAndEachTapOfItIsSeen) {
  EXPECT_EQ(frames({key('A', true), key('A', false), key('A', true), key('A', false)}), " A | a | A | a");
}

TEST(WindowInputQueueTest, AModifierStaysDownUntilTheKeyThatItModifiesIsSeen) {
  EXPECT_EQ(frames({key(control, true), key('P', true), key('P', false), key(control, false), key('E', true), character('e'),
                    key('E', false)}),
            " ^ P | p v E 'e' | e");
}

TEST(WindowInputQueueTest, KeysThatAreTypedOverEachOtherStayInOrder) {
  EXPECT_EQ(frames({key('A', true), character('a'), key('B', true), character('b'), key('A', false), key('B', false)}),
            " A 'a' | B 'b' | a b");
}

TEST(WindowInputQueueTest, MouseAndKeysTakeTurns) {
  EXPECT_EQ(frames({key(control, true), button(true), key(control, false), move(1)}), " ^ | + | v | x1");
}

}  // namespace
}  // namespace app
