#include "app/display/key_taps.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(KeyTapsTest, a_tap_within_a_frame_is_down_for_one_frame) {
  KeyTaps taps;
  taps.press(65);
  EXPECT_TRUE(taps.release(65));
  EXPECT_EQ(taps.next_frame(), std::set{65});
  EXPECT_TRUE(taps.next_frame().empty());
}

TEST(KeyTapsTest, a_key_held_over_a_frame_is_released_at_once) {
  KeyTaps taps;
  taps.press(65);
  EXPECT_TRUE(taps.next_frame().empty());
  EXPECT_FALSE(taps.release(65));
}

TEST(KeyTapsTest, a_second_press_cancels_the_release_of_the_first) {
  KeyTaps taps;
  taps.press(65);
  EXPECT_TRUE(taps.release(65));
  taps.press(65);
  EXPECT_TRUE(taps.next_frame().empty()) << "it is held";
  EXPECT_FALSE(taps.release(65));
}

TEST(KeyTapsTest, a_modifier_stays_down_until_the_key_that_it_modifies_is_seen) {
  constexpr int control = 341, p = 80;
  KeyTaps taps;
  taps.press(control);
  EXPECT_TRUE(taps.next_frame().empty());
  taps.press(p);
  EXPECT_TRUE(taps.release(p));
  EXPECT_TRUE(taps.release(control)) << "no frame has seen Ctrl+P";
  EXPECT_EQ(taps.next_frame(), (std::set{p, control}));
}

TEST(KeyTapsTest, a_release_without_a_press_is_immediate) {
  KeyTaps taps;
  EXPECT_FALSE(taps.release(65));
  EXPECT_TRUE(taps.next_frame().empty());
}

}  // namespace
}  // namespace app
