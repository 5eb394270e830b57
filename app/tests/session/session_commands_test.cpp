// What commands and changes leave behind in a session: names, steps of undo, sources, pictures.
#include "app/session/session.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "app/support/address.h"
#include "app/support/files.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

class SessionCommandsTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  PictureSink sink_ = [](auto&, auto&) {};
};

// A name is free again where nothing came of the command, whoever gave it.
TEST_F(SessionCommandsTest, WhatIsNotWrittenTakesNoName) {
  const auto file = folder_.path() / "m.csv", script = folder_.path() / "s.jsonl";
  for (const bool scripted : {false, true}) {
    app::Run run;
    if (scripted) {
      std::ofstream(script) << R"({"do": "save_matrix", "to": ")" << file.string() << "\"}\n";
      run.script = script.string();
    }
    Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, run, true, sink_);
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
    if (!scripted) session.perform({Action::save_matrix, file});
    ASSERT_TRUE(step_until(session, [&] { return session.messages().any(); }));
    EXPECT_FALSE(session.outputs().has_written(file));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST_F(SessionCommandsTest, AScreenshotIsMadeByTheWindow) {
  Session session(host_settings("matrix:4x4"), {{}, "no driver"}, app::Run{}, true, sink_);
  const auto file = folder_.path() / "s.png";
  EXPECT_THROW(session.act({Action::screenshot, file}), std::invalid_argument) << "there is none";
  session.set_screenshot([] { return [](const auto& path) { std::ofstream(path) << "a picture"; }; });
  session.perform({Action::screenshot, file});
  while (!session.outputs().finish(std::chrono::milliseconds(100))) continue;
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(SessionCommandsTest, ATurnThatFailsNowAndThenDoesNotEndTheWindow) {
  Session session(host_settings("matrix:4x4"), {{}, "no driver"}, app::Run{}, true, sink_);
  const auto fails = [] { throw std::runtime_error("no memory"); };
  for (int turn = 0; turn < 60; ++turn) {
    ASSERT_TRUE(session.turn(fails)) << turn;
    ASSERT_TRUE(session.turn([] {}));
  }
  EXPECT_EQ(session.exit_code(), ExitCode::ok);
  int turns = 1;
  while (session.turn(fails) && turns < 100) ++turns;
  EXPECT_EQ(turns, 50) << "one that always fails does";
  EXPECT_EQ(session.exit_code(), ExitCode::failed);
}

// Nothing else does in a window without an edge, with the panels hidden perhaps.
TEST_F(SessionCommandsTest, FullScreenSaysHowItIsLeft) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  session.perform("toggle fullscreen");
  EXPECT_TRUE(said(session, "Esc leaves full screen"));
  session.messages().age(60);
  session.perform(Action::close);
  EXPECT_FALSE(session.settings().fullscreen);
  EXPECT_FALSE(said(session, "full screen"));
}

TEST_F(SessionCommandsTest, WhatWasUndoneIsSaidInTheWordsOfTheWindow) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  session.set(std::array{Change{"box_blur.window", "9x9"}});
  session.set(std::array{Change{"record_size", "720p"}, Change{"theme", "light"}});
  session.perform(Action::undo);
  EXPECT_TRUE(said(session, "undone: Video size, Theme"));
  session.perform(Action::undo);
  EXPECT_TRUE(said(session, "undone: Window"));
  session.perform(Action::redo);
  EXPECT_TRUE(said(session, "redone: Window"));
}

TEST_F(SessionCommandsTest, ByHandAFeatureIsShownWithoutAComparisonByAScriptWithIt) {
  auto settings = host_settings("synthetic:64x48");
  settings.compare.on = true;
  for (const bool scripted : {false, true}) {
    Session session(settings, {{}, "no driver"}, app::Run{}, true, sink_);
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 0; }));
    scripted ? session.act(Action::show_feature) : session.perform(Action::show_feature);
    EXPECT_EQ(session.settings().effect, "haar");
    EXPECT_EQ(session.settings().compare.on, scripted);
    session.set(std::array{Change{"effect", "faces"}});
    EXPECT_EQ(session.settings().compare.on, scripted);
  }
}

TEST_F(SessionCommandsTest, ADragIsSetBackAsOneAndCommandsOneAfterTheOther) {
  Session session(host_settings("matrix:4x4"), {{}, "no driver"}, app::Run{}, true, sink_);
  const auto wipe = [&] { return session.settings().wipe; };
  const auto usual = wipe();
  for (const auto* value : {"0.1", "0.2", "0.3"}) session.change({"wipe", value});
  session.perform(Action::undo);
  EXPECT_EQ(wipe(), usual);
  for (const double value : {0.1, 0.2, 0.3}) {
    auto changed = session.settings();
    changed.wipe = value;
    session.accept(changed, true);
  }
  session.perform(Action::undo);
  EXPECT_EQ(wipe(), usual);
  for (const auto* value : {"0.1", "0.2", "0.3"}) session.perform(parse_command(std::string("set wipe ") + value));
  session.perform(Action::undo);
  EXPECT_EQ(wipe(), 0.2);
}

TEST_F(SessionCommandsTest, WhatPlaysAlreadyIsOpenedAnew) {
  Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, app::Run{}, true, sink_);
  for (std::uint64_t number = 1; number < 4; ++number) {
    ASSERT_TRUE(step_until(session, [&] { return session.maker().has_picture_of_source(); }));
    EXPECT_EQ(session.transport().source_number(), number);
    session.perform(parse_command("open synthetic:64x48"));
  }
}

// The window shows the address without it.
TEST_F(SessionCommandsTest, AnAddressThatFailedIsTriedAgainWithItsPassword) {
  ShownSession session("synthetic:64x48");
  const std::string address = "http://user:secret@127.0.0.1:9/x.mp4";
  session.change({"source", address});
  ASSERT_TRUE(step_until(session, [&] { return session.transport().failed_source() == address; }));
  EXPECT_EQ(session.settings().source, "synthetic:64x48");
  session.change({"source", shown_address(address)});
  EXPECT_EQ(session.settings().source, address);
}

}  // namespace
}  // namespace app
