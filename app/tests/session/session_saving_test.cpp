// What a session remembers of its settings.
#include <gtest/gtest.h>

#include <chrono>

#include "app/session/session.h"

namespace app {
namespace {

using namespace std::chrono_literals;

TEST(SessionSaving, parameters_that_were_refused_are_not_saved) {
  Settings settings;
  settings.device = DeviceChoice::host;
  settings.source = "synthetic:200x160";
  settings.effect = "haar";
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  const auto step_until = [&](auto holds) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!holds() && std::chrono::steady_clock::now() < end) session.step(5ms);
    return holds();
  };
  session.change({"haar.height", "20"});
  ASSERT_TRUE(step_until([&] {
    return session.engine().selection().effect_arguments.has("height") &&
           session.engine().selection().effect_arguments.text("height") == "20";
  }));
  const auto worked = session.settings();
  EXPECT_EQ(session.settings_to_save(), worked);
  session.change({"haar.width", "2048"});
  ASSERT_TRUE(step_until([&] { return !session.engine().refusal().empty(); }));
  EXPECT_NE(session.settings(), worked);
  EXPECT_EQ(session.settings_to_save(), worked);
}

}  // namespace
}  // namespace app
