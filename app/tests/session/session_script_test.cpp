// A session that a script drives: a whole run on the host without a window, and what the lines wait for.
#include "app/session/session_script.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <opencv2/imgcodecs.hpp>

#include "app/session/session.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class SessionScriptRunTest : public ::testing::Test {
 protected:
  std::string script(const std::string& text) {
    const auto path = folder_.path() / "s.jsonl";
    std::ofstream(path) << text;
    return path.string();
  }
  // Notes every picture that is made.
  ExitCode play(const std::string& text, const std::string& source, bool max_speed = true) {
    app::Run run;
    run.offscreen = true;
    run.script = script(text);
    Settings settings;
    settings.source = source;
    settings.size = {64, 48};
    settings.max_speed = max_speed;
    settings.device = DeviceChoice::host;
    settings.effect = "none";
    Session* made_by = nullptr;
    Session session(settings, {{}, "no driver"}, run, false, [&](auto&, auto& picture) {
      first_pixels_.push_back(picture.pixels(0, 0).g);
      auto& pixels = pixels_.emplace_back();
      for (int y = 0; y < picture.size().height; ++y)
        for (int x = 0; x < picture.size().width; ++x) pixels.push_back(picture.pixels(x, y));
      effects_.emplace_back(made_by->engine().selection().effect->name);
      ++pictures_;
    });
    made_by = &session;
    while (!session.done()) {
      session.log().begin_turn();
      if (session.step(20ms)) session.log().drawn();
    }
    session.finish();
    messages_.clear();
    for (const auto& message : session.messages().age(0)) messages_.push_back(message.text);
    status_ = session.feed().status();
    return session.exit_code();
  }

  auto said(std::string_view part) const {
    return std::ranges::count_if(messages_, [&](const auto& text) { return text.find(part) != text.npos; });
  }

  TemporaryFolder folder_;
  int pictures_ = 0;
  std::vector<int> first_pixels_;
  std::vector<std::string> effects_;
  std::vector<std::vector<gpu::Rgba>> pixels_;
  std::vector<std::string> messages_;
  capture::Status status_;
};

TEST_F(SessionScriptRunTest, EndsWithItsScriptAndDropsNothing) {
  EXPECT_EQ(
      play("{\"frames\": 40}\n{\"set\": {\"effect\": \"box_blur\", \"window\": \"3x3\"}}\n{\"frames\": 20}\n", "synthetic"),
      ExitCode::ok);
  EXPECT_EQ(pictures_, 60);
  EXPECT_EQ(status_.dropped, 0u);
}

// However fast it is: a line holds from the next frame on, and no frame is made for none.
TEST_F(SessionScriptRunTest, IsExact) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  const std::string set = "{\"set\": {\"effect\": \"";
  for (const bool max_speed : {false, true}) {
    for (const auto& source : {std::string("synthetic"), video}) {
      effects_.clear();
      EXPECT_EQ(
          play("{\"frames\": 3}\n" + set + "sat_view\"}}\n" + set +
                   "adaptive_threshold\"}}\n{\"frames\": 2}\n{\"do\": \"fit\"}\n" + set + "none\"}}\n{\"frames\": 1}\n",
               source, max_speed),
          ExitCode::ok);
      EXPECT_EQ(effects_,
                (std::vector<std::string>{"none", "none", "none", "adaptive_threshold", "adaptive_threshold", "none"}));
    }
    first_pixels_.clear();
    EXPECT_EQ(play("{\"frames\": 3}\n{\"do\": \"pause\"}\n{\"frames\": 2}\n{\"do\": \"resume\"}\n{\"frames\": 2}\n", video,
                   max_speed),
              ExitCode::ok);
    auto numbers = first_pixels_;
    ASSERT_EQ(numbers.size(), 7u);
    EXPECT_EQ(numbers[2], numbers[3]);
    EXPECT_EQ(numbers[3], numbers[4]);
    numbers.erase(numbers.begin() + 3, numbers.begin() + 5);
    first_pixels_.clear();
    EXPECT_EQ(play("{\"frames\": 5}\n", video, max_speed), ExitCode::ok);
    EXPECT_EQ(numbers, first_pixels_) << "none is left out";
  }
}

// Whatever was set, sought and played before, in the same session.
TEST_F(SessionScriptRunTest, ItsPicturesAreThoseOfAFreshOne) {
  const auto video = capture::numbered_video(folder_.path(), 20);
  const std::string steps[] = {R"({"set": {"effect": "haar", "haar.width": 20, "haar.height": 12}})",
                               R"({"set": {"source": ")" + video + R"("}})",
                               R"({"set": {"effect": "none", "source": "matrix:40x30"}})",
                               R"({"set": {"source": ")" + video + R"(", "effect": "sat_view"}})",
                               R"({"set": {"source": "synthetic:64x48", "compare": "original,result"}})",
                               R"({"set": {"source": ")" + video + R"(", "compare": "off", "effect": "box_blur"}})"};
  const auto move = [](const std::string& to) { return "\n{\"do\": \"" + to + "\"}\n{\"frames\": 1}\n"; };
  std::string walk;
  std::vector<std::vector<gpu::Rgba>> fresh;
  std::string settings;  // set so far
  for (const auto& step : steps) {
    settings += step + '\n';
    const bool still = step.find("matrix") != step.npos;
    const auto frames = still ? "{\"frames\": 1}\n"
                              : "{\"frames\": 3}" + move("seek 0.4") + move("step 2") + move("step -1") +
                                    "{\"do\": \"resume\"}\n";
    walk += step + '\n' + frames;
    pixels_.clear();
    ASSERT_EQ(play(settings + frames, "synthetic:64x48"), ExitCode::ok) << settings;
    fresh.insert(fresh.end(), pixels_.begin(), pixels_.end());
  }
  pixels_.clear();
  ASSERT_EQ(play(walk, "synthetic:64x48"), ExitCode::ok);
  ASSERT_EQ(pixels_.size(), fresh.size());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    ASSERT_EQ(pixels_[i].size(), fresh[i].size()) << i;
    EXPECT_EQ(std::memcmp(pixels_[i].data(), fresh[i].data(), fresh[i].size() * sizeof(gpu::Rgba)), 0) << i;
  }
}

TEST_F(SessionScriptRunTest, MakesNoPictureOfASourceThatAnotherReplaces) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  EXPECT_EQ(play("{\"frames\": 2}\n{\"set\": {\"source\": \"" + video + "\", \"effect\": \"sat_view\"}}\n{\"frames\": 2}\n",
                 "synthetic"),
            ExitCode::ok);
  EXPECT_EQ(effects_, (std::vector<std::string>{"none", "none", "sat_view", "sat_view"}));
}

TEST_F(SessionScriptRunTest, MayAskForEveryPictureOfAFile) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  const auto path = (folder_.path() / "t.json").string();
  EXPECT_EQ(play("{\"frames\": 8}\n{\"do\": \"export\", \"to\": \"" + path + "\"}\n", video), ExitCode::ok);
  EXPECT_EQ(pictures_, 8);
  EXPECT_EQ(said("has ended"), 0);
  EXPECT_EQ(play("{\"frames\": 9}\n", video), ExitCode::source);
  EXPECT_EQ(play("{\"frames\": 8}\n{\"frames\": 1}\n", video), ExitCode::source);
}

// The file ends while no line waits for its pictures; then the run ends with the line.
TEST_F(SessionScriptRunTest, WhatIsWrongWithTheLastLineIsReported) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  EXPECT_EQ(play("{\"frames\": 7}\n{\"seconds\": 0.3}\n{\"frames\": 3}\n{\"do\": \"fit\"}\n", video), ExitCode::source);
  EXPECT_EQ(said("s.jsonl:3: the source has ended"), 1);
  EXPECT_EQ(said("(after 0 of 3 pictures)"), 1);
}

TEST_F(SessionScriptRunTest, APausedSourceShowsTheNewSettings) {
  EXPECT_EQ(play("{\"frames\": 2}\n{\"do\": \"pause\"}\n{\"set\": {\"effect\": \"sat_view\"}}\n{\"frames\": 1}\n",
                 "synthetic", false),
            ExitCode::ok);
  EXPECT_GE(pictures_, 3);
}

TEST_F(SessionScriptRunTest, ASeekPastTheEndIsAnError) {
  const auto video = capture::numbered_video(folder_.path(), 35, 30);
  EXPECT_EQ(play("{\"frames\": 1}\n{\"do\": \"seek\", \"to\": 1.16}\n{\"frames\": 1}\n", video), ExitCode::ok);
  EXPECT_EQ(play("{\"frames\": 1}\n{\"do\": \"seek\", \"to\": 99}\n{\"frames\": 1}\n", video), ExitCode::usage);
  EXPECT_EQ(said("s.jsonl:2: seek 99: '" + video + "' ends at 1.16 s"), 1) << ::testing::PrintToString(messages_);
}

// A file would have the picture, or the times, of the settings before.
TEST_F(SessionScriptRunTest, WhatIsSetAndCannotBeShownIsNotSaved) {
  const std::pair<std::string, std::string> actions[] = {
      {"save_picture", "p.png"}, {"export", "e.json"}, {"export_frames", "f.csv"}, {"record", "m.mp4"}};
  for (const auto& [action, name] : actions)
    for (const std::string set : {R"("haar", "haar.width": 400)", R"("faces", "faces.inside": "nosuch")"})
      for (const std::string wait : {"", "{\"seconds\": 0.01}\n"}) {  // what is wrong may be known before the line
        const auto path = folder_.path() / name;
        EXPECT_EQ(play("{\"frames\": 1}\n{\"set\": {\"effect\": " + set + "}}\n" + wait + "{\"do\": \"" + action +
                           "\", \"to\": \"" + path.string() + "\"}\n",
                       "synthetic"),
                  ExitCode::usage);
        EXPECT_FALSE(std::filesystem::exists(path)) << action << ' ' << set;
        EXPECT_EQ(said(wait.empty() ? "s.jsonl:3: " : "s.jsonl:4: "), 1) << action << ' ' << set;
      }
}

// What a run has read, also where it is not used any more, is no place for its results.
TEST_F(SessionScriptRunTest, ASourceThatWasReplacedIsNotOverwritten) {
  const auto first = folder_.path() / "first.png", second = folder_.path() / "second.png";
  for (const auto& path : {first, second}) cv::imwrite(path.string(), cv::Mat(6, 8, CV_8UC3, cv::Scalar(1, 2, 3)));
  const auto bytes = std::filesystem::file_size(first);
  const auto lines = [](const std::filesystem::path& source, const std::filesystem::path& result) {
    return "{\"frames\": 1}\n{\"set\": {\"source\": \"" + source.string() +
           "\"}}\n{\"frames\": 1}\n{\"set\": {\"source\": \"synthetic\"}}\n{\"do\": \"save_picture\", \"to\": \"" +
           result.string() + "\"}\n";
  };
  for (const auto& result : {first, second}) {
    EXPECT_EQ(play(lines(second, result), first.string()), ExitCode::usage);
    EXPECT_EQ(said("s.jsonl:5: "), 1) << result;
    EXPECT_EQ(std::filesystem::file_size(result), bytes);
  }
  EXPECT_EQ(play(lines(second, folder_.path() / "third.png"), first.string()), ExitCode::ok);
}

// A run of these lines on a picture of 8x8, on the CPU.
class SessionScriptTest : public ::testing::Test {
 protected:
  app::Run run(const std::string& lines, bool offscreen = true) const {
    app::Run run;
    run.script = (folder_.path() / "s.jsonl").string();
    std::ofstream(*run.script) << lines;
    run.offscreen = offscreen;
    return run;
  }
  static Settings settings() {
    auto settings = host_settings("synthetic:8x8");
    settings.effect = "none";
    return settings;
  }
  const TemporaryFolder folder_;
};

// That a source cannot be opened is seen while the next picture of the one before is begun, which may be there at once.
TEST_F(SessionScriptTest, WaitsForNoPictureOfTheSourceBefore) {
  const auto missing = run(R"({"frames": 1})"
                           "\n"
                           R"({"set": {"source": "missing.mp4"}})"
                           "\n"
                           R"({"frames": 1})");
  auto settings = SessionScriptTest::settings();
  settings.max_speed = true;
  for (int i = 0; i < 20; ++i) {
    std::optional<std::string> failure;
    Session session(settings, {{}, "no driver"}, missing, false, [](auto&, auto&) {});
    step_until(session, [&] { return session.done(); });
    session.finish();
    ASSERT_EQ(session.exit_code(), ExitCode::source);
    for (const auto& message : session.messages().age(0))
      if (message.text.find("s.jsonl:") != std::string::npos) failure = message.text;
    ASSERT_TRUE(failure) << i;
    ASSERT_NE(failure->find("s.jsonl:3: "), std::string::npos) << i << ": " << *failure;
  }
}

TEST_F(SessionScriptTest, ACascadeIsReadWhileTheLineBeforeWaits) {
  const auto cascade = (folder_.path() / "c.xml").string();
  std::ofstream(cascade) << gpu::vision::new_format_text(gpu::vision::small_cascade());
  const auto waits = run("{\"seconds\": 1000}\n{\"set\": {\"faces.cascade\": \"" + cascade + "\"}}\n");
  Session session(settings(), {{}, "no driver"}, waits, false, [](auto&, auto&) {});
  EXPECT_TRUE(step_until(session, [&] { return gpu::vision::find_shared_cascade(cascade).use_count() > 1; }));
  EXPECT_TRUE(session.settings().effect_values.empty());
}

// A window that is idle is drawn again only where something says so.
TEST_F(SessionScriptTest, ALineThatIsDoneIsKnownInThatStep) {
  const auto lines = run("{\"set\": {\"dock\": \"race\"}}\n{\"seconds\": 1000}", false);
  Session session(settings(), {{}, "no driver"}, lines, false, [](auto&, auto&) {});
  EXPECT_FALSE(session.script().advanced());
  step_until(session, [&] { return session.script().advanced(); });
  EXPECT_EQ(session.settings().dock, Dock::race);
  step_until(session, [&] { return session.script().waits(); });  // a slow machine does the next line in a step of its own
  session.step({});
  EXPECT_FALSE(session.script().advanced());
}

}  // namespace
}  // namespace app
