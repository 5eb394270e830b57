// What the frame-time graph and the rates say of a window that rests while nothing changes.
#include "app/session/meter.h"

#include <gtest/gtest.h>

#include <thread>

namespace app {
namespace {

using namespace std::chrono_literals;

void frame(Meter& meter, bool picture = true) {
  meter.begin();
  std::this_thread::sleep_for(5ms);
  meter.end(picture, 0);
}

TEST(Meter, ARestBelongsToNoFrame) {
  Meter meter;
  for (int i = 0; i < 5; ++i) frame(meter);
  EXPECT_GT(meter.fps(), 0);
  const auto before = meter.seconds();
  for (int i = 0; i < 3; ++i) {
    meter.begin();
    std::this_thread::sleep_for(400ms);
    meter.rest();
  }
  EXPECT_EQ(meter.fps(), 0) << "nothing was drawn in the last second";
  EXPECT_EQ(meter.picture_fps(), 0);
  frame(meter);
  frame(meter);
  ASSERT_EQ(meter.frames().size(), 7u);
  EXPECT_EQ(meter.frames()[5].interval, 0) << "no frame came just before it";
  EXPECT_GE(meter.frames()[6].interval, 5);
  for (const auto& time : meter.frames()) EXPECT_LT(time.interval, 300);
  for (const auto time : meter.picture_ms()) EXPECT_LT(time, 300);
  EXPECT_EQ(meter.picture_ms().size(), 5u);
  EXPECT_LT(meter.seconds(), before + 0.3);
}

TEST(Meter, PicturesThatNoLongerComeHaveNoRate) {
  Meter meter;
  for (int i = 0; i < 5; ++i) frame(meter);
  EXPECT_GT(meter.picture_fps(), 0);
  const auto end = Meter::Clock::now() + 1100ms;
  while (Meter::Clock::now() < end) frame(meter, false);
  EXPECT_EQ(meter.picture_fps(), 0);
  EXPECT_GT(meter.fps(), 0);
}

}  // namespace
}  // namespace app
