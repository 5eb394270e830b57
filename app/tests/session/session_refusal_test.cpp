// What a session makes, says and remembers where the effect that its settings choose is refused.
#include <gtest/gtest.h>

#include <array>

#include "app/tests/session/session_steps.h"

namespace app {
namespace {

const PictureSink no_sink = [](auto&, auto&) {};

TEST(SessionRefusalTest, ASourceThatTheEffectDoesNotFitIsShownWithoutIt) {
  auto settings = host_settings("synthetic:200x160");
  settings.effect = "haar";
  settings.effect_values["haar"] = {{"width", "64"}};
  ShownSession session(settings);
  session.change({"source", "matrix:8x8"});
  ASSERT_TRUE(step_until(session, [&] { return session.engine().pipeline().size() == gpu::Size(8, 8); }));
  EXPECT_TRUE(session.maker().has_picture_of_source());
  EXPECT_EQ(session.engine().selection().effect->name, "none");
  EXPECT_TRUE(said(session, "do not fit the frame's 8x8: make width or height smaller; meanwhile the source is shown"));
  EXPECT_FALSE(session.engine().refusal().empty());
  session.change({"haar.width", "2"});
  session.change({"haar.height", "2"});
  ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == "haar"; }));
  EXPECT_EQ(session.engine().pipeline().size(), (gpu::Size{8, 8}));
  EXPECT_TRUE(session.engine().refusal().empty());
}

TEST(SessionRefusalTest, AWindowThatBeginsWithAnEffectThatDoesNotFitShowsItsSource) {
  auto settings = host_settings("matrix:8x8");
  settings.effect = "haar";
  settings.effect_values["haar"] = {{"width", "64"}};
  ShownSession session(settings);
  EXPECT_EQ(session.engine().pipeline().size(), (gpu::Size{8, 8}));
  EXPECT_TRUE(said(session, "meanwhile the source is shown without an effect"));
}

// While the other source opens, the last picture of the one before is made with what was set at the same time.
TEST(SessionRefusalTest, AnEffectSetWithASourceThatItFitsIsNotRefused) {
  ShownSession session("matrix:8x8");
  session.change(std::array{Change{"source", "synthetic:200x160"}, Change{"effect", "haar"}, Change{"haar.width", "64"}});
  ASSERT_TRUE(step_until(session, [&] { return session.engine().pipeline().size() == gpu::Size(200, 160); }));
  EXPECT_EQ(session.engine().selection().effect->name, "haar");
  for (int i = 0; i < 10; ++i) session.step(std::chrono::milliseconds(5));
  EXPECT_FALSE(said(session, "do not fit"));
}

TEST(SessionRefusalTest, AnEffectSetWithASourceThatItDoesNotFitIsRefused) {
  ShownSession session("matrix:9x9");
  session.change(std::array{Change{"source", "matrix:8x8"}, Change{"effect", "haar"}, Change{"haar.width", "64"}});
  ASSERT_TRUE(step_until(session, [&] { return said(session, "do not fit the frame's 8x8"); }));
  EXPECT_FALSE(said(session, "do not fit the frame's 9x9"));
}

}  // namespace
}  // namespace app
