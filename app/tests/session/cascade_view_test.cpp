// The window of a cascade that the settings choose, of the picture that is shown; chosen by hand and by a script.
#include "app/session/cascade_view.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/support/assets_path.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

Settings astronaut_settings() {
  auto settings = host_settings(asset("astronaut.png").string());
  settings.effect = "faces";
  settings.dock = Dock::cascade;
  settings.cascade_at = Pointer{225, 115};  // her nose
  return settings;
}

class CascadeViewTest : public testing::Test {
 protected:
  const CascadeWindow* window() { return session_.cascade_view().window().get(); }
  void set(const std::string& path, const std::string& text) { session_.change({path, text}); }

  Session session_{astronaut_settings(), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {}};
};

TEST_F(CascadeViewTest, TheWindowAroundAFaceIsFound) {
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  EXPECT_TRUE(window()->stages.found());
  EXPECT_EQ(window()->stages.stages.size(), window()->cascade->stages.size());
  EXPECT_EQ(window()->name, "frontalface_alt2");
  const auto& box = window()->stages.window;
  EXPECT_NEAR(box.x + box.width / 2, 225, 4);
  EXPECT_NEAR(box.y + box.height / 2, 115, 4);
  EXPECT_EQ(session_.cascade_view().problem(), "");
}

// No other frame may follow for long.
TEST_F(CascadeViewTest, AThreadEvaluatesTheWindowWhichIsThereWithoutAnotherUpdate) {
  ASSERT_TRUE(step_until(session_, [&] { return session_.pictures() > 0 && !session_.engine().busy(); }));
  CascadeView view;
  view.update(*session_.feed().last(), 1, session_.engine().selection(), session_.settings());
  EXPECT_TRUE(view.busy());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!view.window() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  ASSERT_TRUE(view.window());
  EXPECT_TRUE(view.window()->stages.found());
  EXPECT_FALSE(view.busy());
}

// The picture stays, and is not made again for it.
TEST_F(CascadeViewTest, AnotherPlaceOfAPictureThatStaysIsAnotherWindow) {
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  const auto pictures = session_.pictures();
  set("cascade_at", "60,400");
  ASSERT_TRUE(step_until(session_, [&] { return window() && !window()->stages.found(); }));
  EXPECT_EQ(session_.pictures(), pictures);
  set("cascade_at", "0,0");
  ASSERT_TRUE(step_until(session_, [&] { return !window(); }));
  EXPECT_NE(session_.cascade_view().problem().find("click further inside"), std::string::npos);
  set("cascade_at", "");
  ASSERT_TRUE(step_until(session_, [&] { return session_.cascade_view().problem().empty(); }));
  EXPECT_FALSE(window());
}

// From the stage that is shown, which the settings do not name at first: the last that the window reached.
TEST_F(CascadeViewTest, CommandsGoFromStageToStage) {
  EXPECT_THROW(session_.act(Action::next_stage), std::invalid_argument) << "no window is shown yet";
  set("cascade_at", "60,400");
  ASSERT_TRUE(step_until(session_, [&] { return window() && !window()->stages.stages.empty(); }));
  const int reached = window()->stages.passed + 1, all = static_cast<int>(window()->stages.stages.size());
  ASSERT_LT(reached, all);
  set("cascade_feature", "2");
  session_.act(Action::next_stage);
  EXPECT_EQ(session_.settings().cascade_stage, reached + 1);
  EXPECT_EQ(session_.settings().cascade_feature, 0) << "it was of the other stage";
  for (int i = 0; i < all; ++i) session_.act(Action::next_stage);
  EXPECT_EQ(session_.settings().cascade_stage, all);
  session_.act(Action::previous_stage);
  EXPECT_EQ(session_.settings().cascade_stage, all - 1);
  for (int i = 0; i < all; ++i) session_.act(Action::previous_stage);
  EXPECT_EQ(session_.settings().cascade_stage, 1);
}

TEST_F(CascadeViewTest, ItIsOfTheSizeWhoseDepthsAreShown) {
  set("faces.show", "depth");
  set("faces.level", "3");
  ASSERT_TRUE(step_until(session_, [&] { return window() && window()->stages.level == 2; }));
  set("cascade_at", "256,256");
  set("faces.level", "999");
  ASSERT_TRUE(step_until(session_, [&] { return window() && window()->stages.level == window()->levels - 1; }));
}

TEST_F(CascadeViewTest, NothingIsEvaluatedForATabThatIsNotShown) {
  set("dock", "kernels");
  ASSERT_TRUE(step_until(session_, [&] { return session_.pictures() > 0; }));
  session_.step({});
  EXPECT_FALSE(window());
  set("dock", "cascade");
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  set("effect", "box_blur");
  ASSERT_TRUE(step_until(session_, [&] { return !window(); }));
  EXPECT_EQ(session_.cascade_view().problem(), "") << "it has no cascade";
}

TEST(CascadeViewSizeTest, APictureSmallerThanTheWindowHasNoneAnywhere) {
  auto settings = astronaut_settings();
  settings.source = "matrix:6x6";
  settings.cascade_at = Pointer{3, 3};
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return !session.cascade_view().problem().empty(); }));
  EXPECT_EQ(session.cascade_view().problem(), "the picture, 6x6, is too small for this cascade's 20x20 window");
}

// Each picture of a video has its own.
TEST(CascadeViewVideoTest, EveryPictureHasItsOwnWindow) {
  auto settings = astronaut_settings();
  settings.source = "synthetic:160x120";
  settings.max_speed = true;
  settings.cascade_at = Pointer{80, 60};
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.cascade_view().window() != nullptr; }));
  const auto first = session.cascade_view().window();
  ASSERT_TRUE(step_until(session, [&] {
    const auto& now = session.cascade_view().window();
    return now && !now->stages.stages.empty() && !first->stages.stages.empty() &&
           now->stages.stages[0].nodes[0].value != first->stages.stages[0].nodes[0].value;
  }));
}

TEST(CascadeViewVideoTest, TheWindowIsOfThePictureOnTheScreen) {
  auto settings = astronaut_settings();
  settings.source = "synthetic:160x120";
  settings.max_speed = true;
  settings.cascade_at = Pointer{80, 60};
  bool fails = false;
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [&](auto&, auto&) {
    if (std::exchange(fails, true)) throw std::runtime_error("the screen keeps the picture before");
  });
  ASSERT_TRUE(step_until(session, [&] { return session.cascade_view().window() != nullptr; }));
  const auto shown = session.cascade_view().window();
  ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 4; }));
  EXPECT_EQ(session.cascade_view().window(), shown);
}

TEST(CascadeViewScriptTest, AScriptChoosesTheWindow) {
  const TemporaryFolder folder;
  const auto script = (folder.path() / "s.jsonl").string();
  std::ofstream(script) << R"({"set": {"effect": "faces", "dock": "cascade", "cascade_at": "225,115", "cascade_stage": 4}})"
                        << '\n'
                        << R"({"frames": 1})" << '\n'
                        << R"({"set": {"cascade_stage": 255}})";
  app::Run run;
  run.script = script;
  run.offscreen = true;
  Session session(host_settings(asset("astronaut.png").string()), {{}, "no driver"}, run, false, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.done(); }));
  session.finish();
  session.wait_for_tabs();
  const auto& window = session.cascade_view().window();
  ASSERT_TRUE(window);
  EXPECT_TRUE(window->stages.found());
  EXPECT_EQ(session.settings().cascade_stage, 4);
  EXPECT_TRUE(said(session, "s.jsonl:3: ")) << "there is no such stage";
}

}  // namespace
}  // namespace app
