// A session that a script drives.
#include <gtest/gtest.h>

#include <fstream>

#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

// That a source cannot be opened is seen while the next picture of the one before is begun, which may be there at once.
TEST(SessionScriptTest, WaitsForNoPictureOfTheSourceBefore) {
  const TemporaryFolder folder;
  const auto script = (folder.path() / "s.jsonl").string();
  std::ofstream(script) << R"({"frames": 1})" << '\n'
                        << R"({"set": {"source": "missing.mp4"}})" << '\n'
                        << R"({"frames": 1})";
  app::Run run;
  run.script = script;
  run.offscreen = true;
  auto settings = host_settings("synthetic:8x8");
  settings.effect = "none";
  settings.max_speed = true;
  for (int i = 0; i < 20; ++i) {
    std::optional<std::string> failure;
    Session session(settings, {{}, "no driver"}, run, false, [](auto&, auto&) {});
    step_until(session, [&] { return session.done(); });
    session.finish();
    ASSERT_EQ(session.exit_code(), ExitCode::source);
    for (const auto& message : session.messages().age(0))
      if (message.text.find("s.jsonl:") != std::string::npos) failure = message.text;
    ASSERT_TRUE(failure) << i;
    ASSERT_NE(failure->find("s.jsonl:3: "), std::string::npos) << i << ": " << *failure;
  }
}

TEST(SessionScriptTest, ACascadeIsReadWhileTheLineBeforeWaits) {
  const TemporaryFolder folder;
  const auto script = (folder.path() / "s.jsonl").string(), cascade = (folder.path() / "c.xml").string();
  std::ofstream(cascade) << gpu::vision::new_format_text(gpu::vision::small_cascade());
  std::ofstream(script) << R"({"seconds": 1000})" << '\n' << R"({"set": {"faces.cascade": ")" << cascade << "\"}}\n";
  app::Run run;
  run.script = script;
  run.offscreen = true;
  auto settings = host_settings("synthetic:8x8");
  settings.effect = "none";
  Session session(settings, {{}, "no driver"}, run, false, [](auto&, auto&) {});
  EXPECT_TRUE(step_until(session, [&] { return gpu::vision::find_shared_cascade(cascade).use_count() > 1; }));
  EXPECT_TRUE(session.settings().effect_values.empty());
}

// A window that is idle is drawn again only where something says so.
TEST(SessionScriptTest, ALineThatIsDoneIsKnownInThatStep) {
  const TemporaryFolder folder;
  const auto script = (folder.path() / "s.jsonl").string();
  std::ofstream(script) << R"({"set": {"dock": "race"}})" << '\n' << R"({"seconds": 1000})";
  app::Run run;
  run.script = script;
  Session session(host_settings("synthetic:8x8"), {{}, "no driver"}, run, false, [](auto&, auto&) {});
  EXPECT_FALSE(session.script().advanced());
  step_until(session, [&] { return session.script().advanced(); });
  EXPECT_EQ(session.settings().dock, Dock::race);
  session.step({});
  EXPECT_FALSE(session.script().advanced());
}

}  // namespace
}  // namespace app
