// Running a script: one line after another, answers, and what ends it; and the session that it drives.
#include "app/session/session_script.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "app/session/session.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class ScriptRunTest : public ::testing::Test {
 protected:
  std::string script(const std::string& text) {
    const auto path = folder_.path() / "s.jsonl";
    std::ofstream(path) << text;
    return path.string();
  }
  ScriptRun::Doer noting() {
    return {[this](const script::Set& step) { did_.push_back(step.changes.at(0).path); },
            [](const script::Do& step) { return step.action == Action::set; },
            [this](const script::Do&) { return ready_; },
            [this](const script::Do& step) { did_.push_back(std::string(info(step.action).name)); },
            [this] { return written_; },
            [](const script::Get& step) { return step.paths.at(0); }};
  }

  TemporaryFolder folder_;
  std::vector<std::string> did_;
  bool ready_ = true, written_ = true;
};

TEST_F(ScriptRunTest, FramesDelayTheNextLine) {
  ScriptRun run(script("{\"set\": {\"zoom\": 1}}\n\n{\"frames\": 2}\n{\"do\": \"fit\"}"));
  EXPECT_TRUE(run.advance(noting()));
  EXPECT_EQ(did_, std::vector<std::string>{"zoom"});
  EXPECT_TRUE(run.waits_for_pictures());
  run.count_picture();
  EXPECT_FALSE(run.advance(noting()));
  EXPECT_EQ(did_.size(), 1u);
  run.count_picture();
  EXPECT_TRUE(run.advance(noting()));
  EXPECT_EQ(did_, (std::vector<std::string>{"zoom", "fit"}));
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(run.exit_code(), ExitCode::ok);
}

TEST_F(ScriptRunTest, WhatWillBeSetIsKnownWhileTheLinesBeforeWait) {
  ScriptRun run(
      script("{\"set\": {\"zoom\": 1}}\n{\"frames\": 2}\n\n{\"set\": {\"faces.cascade\": \"a.xml\"}}\nwrong\n"
             "{\"do\": \"fit\"}\n{\"set\": {\"effect\": \"faces\"}}"));
  EXPECT_TRUE(run.take_ahead().empty()) << "nothing was read";
  EXPECT_TRUE(run.advance(noting()));
  const auto sets = run.take_ahead();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].changes, (std::vector<Change>{{"faces.cascade", "a.xml"}}));
  EXPECT_TRUE(run.take_ahead().empty()) << "once";
  EXPECT_EQ(did_, std::vector<std::string>{"zoom"});
  EXPECT_EQ(run.exit_code(), ExitCode::ok) << "it is not the wrong line's turn";
  run.count_picture();
  run.count_picture();
  run.advance(noting());
  EXPECT_TRUE(run.take_ahead().empty());
  ASSERT_TRUE(run.take_failure());
}

// While lines are taken, and others come.
TEST_F(ScriptRunTest, EachLineIsSeenAheadOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ScriptInput input("/proc/self/fd/" + std::to_string(ends[0]));
  const auto comes = [&](std::string_view text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  using Lines = std::vector<std::string>;
  comes("first\nsecond\nthird\nfour");
  EXPECT_EQ(input.next(), "first");
  EXPECT_EQ(input.take_ahead(), (Lines{"second", "third"}));
  EXPECT_EQ(input.next(), "second");
  EXPECT_EQ(input.next(), "third");
  EXPECT_EQ(input.take_ahead(), Lines());
  comes("th\nfifth, which is long\n6\n");
  EXPECT_EQ(input.next(), "fourth");
  EXPECT_EQ(input.take_ahead(), (Lines{"fifth, which is long", "6"}));
  EXPECT_EQ(input.next(), "fifth, which is long");
  EXPECT_EQ(input.next(), "6");
  comes("7\n8\n");
  EXPECT_EQ(input.next(), "7");
  EXPECT_EQ(input.take_ahead(), Lines{"8"});
  EXPECT_EQ(input.next(), "8");
  ::close(ends[1]);
  EXPECT_EQ(input.next(), std::nullopt);
  EXPECT_TRUE(input.ended());
  ::close(ends[0]);
}

TEST_F(ScriptRunTest, AWrongLineEndsTheScriptAndItsNumberIsReported) {
  ScriptRun run(script("{\"do\": \"fit\"}\n\n{\"do\": \"fitt\"}\n{\"do\": \"pause\"}\n"));
  run.advance(noting());
  EXPECT_EQ(did_, std::vector<std::string>{"fit"});
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(run.exit_code(), ExitCode::usage);
  EXPECT_EQ(run.take_failure(), (folder_.path() / "s.jsonl").string() + ":3: no command 'fitt' (did you mean 'fit'?)");
  EXPECT_TRUE(run.fail(ExitCode::source, "a picture that was under way"));
  run.give_up_pending();
  EXPECT_EQ(run.take_untold(), std::nullopt) << "one line is enough";
}

// Whatever comes: the window draws in between.
TEST_F(ScriptRunTest, AFewLinesAreDonePerFrame) {
  std::string lines;
  for (std::uint64_t i = 0; i < 3 * ScriptRun::most_lines; ++i) lines += i % 2 ? "\n" : "{\"do\": \"fit\"}\n";
  ScriptRun run(script(lines));
  for (std::uint64_t turn = 1; turn <= 3; ++turn) {
    EXPECT_TRUE(run.advance(noting()));
    EXPECT_EQ(did_.size(), turn * ScriptRun::most_lines / 2);
  }
  did_.clear();
  ScriptRun slow(script("{\"do\": \"fit\"}\n{\"do\": \"pause\"}\n"));
  EXPECT_TRUE(slow.advance(noting(), 0ms));
  EXPECT_EQ(did_, std::vector<std::string>{"fit"}) << "one at least";
  EXPECT_TRUE(slow.advance(noting(), 0ms));
  EXPECT_EQ(did_.size(), 2u);
}

TEST_F(ScriptRunTest, NoLineIsDoneWhileNobodyReadsTheAnswers) {
  bool has_room = true;
  std::vector<std::string> answers;
  ScriptRun run(script("{\"get\": [\"fps\"]}\n{\"do\": \"fit\"}\n{\"get\": [\"zoom\"]}\n{\"do\": \"pause\"}\n"),
                {[&](auto line) { answers.push_back(line), has_room = false; }, [&] { return has_room; }});
  EXPECT_TRUE(run.advance(noting()));
  EXPECT_FALSE(run.advance(noting()));
  EXPECT_EQ(answers, std::vector<std::string>{"fps\n"});
  EXPECT_TRUE(did_.empty());
  EXPECT_FALSE(run.ended());
  has_room = true;
  EXPECT_TRUE(run.advance(noting()));
  EXPECT_EQ(answers, (std::vector<std::string>{"fps\n", "zoom\n"}));
  EXPECT_EQ(did_, std::vector<std::string>{"fit"});
  has_room = true;
  run.advance(noting());
  EXPECT_EQ(did_.size(), 2u);
  EXPECT_TRUE(run.ended());
}

// What it asks for is missing; who only waits for more lines misses nothing.
TEST_F(ScriptRunTest, OfAnInterruptedRunTheLineThatWaitsHasFailed) {
  for (const auto& [text, says] : {std::pair{"{\"do\": \"fit\"}\n{\"frames\": 2}\n", ":2: interrupted"},
                                   {"{\"do\": \"fit\"}\n{\"do\": \"quit\"}\n", ""}}) {
    ScriptRun run(script(text));
    run.advance(noting());
    run.interrupt();
    EXPECT_EQ(run.exit_code(), *says ? ExitCode::failed : ExitCode::ok);
    EXPECT_EQ(run.take_failure().value_or(""), *says ? (folder_.path() / "s.jsonl").string() + says : "");
  }
  for (const auto& [rest, says] : {std::pair{"\n\n{\"frames\": 2}\n", ":4: interrupted"}, {"\n\n", ""}}) {
    ScriptRun run(script(std::string("{\"do\": \"fit\"}\n") + rest));
    written_ = true;
    for (int steps = 0; run.waits() || steps == 0; ++steps) run.advance(noting(), 0ms);  // the first line alone
    run.interrupt();
    EXPECT_EQ(run.take_failure().value_or(""), *says ? (folder_.path() / "s.jsonl").string() + says : "") << rest;
  }
  ScriptRun run(script("{\"do\": \"fit\"}\n"));
  run.interrupt();
  EXPECT_EQ(run.take_failure(), (folder_.path() / "s.jsonl").string() + ": interrupted before its first line");
}

TEST_F(ScriptRunTest, QuitIsTheLastLine) {
  ScriptRun run(script("{\"do\": \"quit\"}\n{\"do\": \"pause\"}\n"));
  run.advance(noting());
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(did_, std::vector<std::string>{"quit"});
}

TEST_F(ScriptRunTest, FilesAreCompleteBeforeTheNextLine) {
  ScriptRun run(script("{\"do\": \"screenshot\"}\n{\"do\": \"fit\"}\n"));
  written_ = false;
  run.advance(noting());
  EXPECT_EQ(did_, std::vector<std::string>{"screenshot"});
  written_ = true;
  run.advance(noting());
  EXPECT_EQ(did_.size(), 2u);
}

TEST_F(ScriptRunTest, AnActionWaitsForWhatItWorksOn) {
  ScriptRun run(script("{\"do\": \"save_picture\"}\n{\"do\": \"fit\"}\n"));
  ready_ = written_ = false;
  EXPECT_TRUE(run.advance(noting()));
  EXPECT_FALSE(run.advance(noting()));
  EXPECT_TRUE(did_.empty());
  EXPECT_TRUE(run.waits_for_any_picture());
  EXPECT_FALSE(run.waits_for_pictures());
  ready_ = true;
  EXPECT_FALSE(run.advance(noting()));
  EXPECT_EQ(did_, std::vector<std::string>{"save_picture"});
  EXPECT_TRUE(run.waits_for_files());
  written_ = true;
  EXPECT_TRUE(run.advance(noting()));
  EXPECT_EQ(did_, (std::vector<std::string>{"save_picture", "fit"}));
  EXPECT_EQ(run.exit_code(), ExitCode::ok);
}

// Before the line, or while it waits.
TEST_F(ScriptRunTest, AnActionWhosePictureDoesNotComeIsAnError) {
  for (const bool before : {true, false}) {
    ScriptRun run(script("{\"seconds\": 0}\n{\"do\": \"save_picture\"}\n{\"do\": \"fit\"}\n"));
    ready_ = false;
    if (before) {
      EXPECT_FALSE(run.fail(ExitCode::source, "no such file"));
    }
    run.advance(noting());
    if (!before) {
      EXPECT_TRUE(run.fail(ExitCode::source, "no such file"));
    }
    ready_ = true;
    run.advance(noting());
    EXPECT_TRUE(did_.empty());
    EXPECT_TRUE(run.ended());
    EXPECT_EQ(run.exit_code(), ExitCode::source);
    EXPECT_EQ(run.take_failure(), (folder_.path() / "s.jsonl").string() + ":2: no such file");
  }
}

// A failure on the way to a picture is told, and does not refuse the picture that came after it; a source's does.
TEST_F(ScriptRunTest, APictureAfterAFailedOneCanBeSaved) {
  for (const auto code : {ExitCode::failed, ExitCode::source}) {
    did_.clear();
    ScriptRun run(script("{\"seconds\": 0}\n{\"do\": \"save_picture\"}\n"));
    EXPECT_FALSE(run.fail(code, "a picture failed"));
    run.count_picture();
    const bool came = code == ExitCode::failed;
    EXPECT_EQ(run.pending(), !came);
    EXPECT_EQ(run.take_untold().value_or(""), came ? "a picture failed" : "");
    ready_ = came;  // as the session's: not while one is pending
    run.advance(noting());
    EXPECT_EQ(did_.size(), came ? 1u : 0u);
    EXPECT_EQ(run.exit_code(), code);
  }
}

TEST_F(ScriptRunTest, SecondsDelayTheNextLine) {
  ScriptRun run(script("{\"seconds\": 0.05}\n{\"do\": \"fit\"}\n"));
  run.advance(noting());
  EXPECT_FALSE(run.waits_for_pictures());
  EXPECT_TRUE(run.waits() && did_.empty());
  std::this_thread::sleep_for(60ms);
  run.advance(noting());
  EXPECT_EQ(did_.size(), 1u);
}

TEST_F(ScriptRunTest, WaitingForPicturesThatWillNotComeIsAnError) {
  for (const bool set_again : {false, true}) {
    ScriptRun run(script(std::string("{\"seconds\": 0}\n") + (set_again ? "{\"set\": {\"source\": \"0\"}}\n" : "") +
                         "{\"frames\": 1}\n"));
    EXPECT_FALSE(run.fail(ExitCode::source, "no such file"));
    run.advance(noting());
    EXPECT_EQ(run.exit_code(), ExitCode::source);
    EXPECT_EQ(run.waits_for_pictures(), set_again) << "the script goes on";
  }
}

// An empty pipe does not block the program.
TEST_F(ScriptRunTest, ReadingInputNeverBlocks) {
  const auto path = (folder_.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  ScriptInput input(path);
  EXPECT_EQ(input.next(), std::nullopt);
  const int writer = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::write(writer, "one\ntw", 6), 6);
  EXPECT_EQ(input.next(), "one");
  EXPECT_EQ(input.next(), std::nullopt);
  EXPECT_FALSE(input.ended());
  ASSERT_EQ(::write(writer, "o\nlast", 6), 6);
  ::close(writer);
  EXPECT_EQ(input.next(), "two");
  std::optional<std::string> last;
  for (int i = 0; i < 3 && !last; ++i) last = input.next();  // the end is seen after the lines before it
  EXPECT_EQ(last, "last");
  EXPECT_EQ(input.next(), std::nullopt);
  EXPECT_TRUE(input.ended());
}

TEST_F(ScriptRunTest, TheRestOfALineThatIsTooLongIsNoOtherLine) {
  for (const std::string end : {"\nlast", ""}) {
    ScriptInput input(script(std::string(3 * script::longest_line, 'a') + R"( {"do": "quit"})" + end));
    EXPECT_GE(input.next().value_or("").size(), script::longest_line);
    std::optional<std::string> last;
    for (int i = 0; i < 9 && !last && !input.ended(); ++i) last = input.next();
    EXPECT_EQ(last.value_or(""), end.empty() ? "" : "last");
    EXPECT_EQ(input.next(), std::nullopt);
    EXPECT_TRUE(input.ended());
  }
}

TEST_F(ScriptRunTest, AFileThatCannotBeReadIsRefused) {
  for (const auto& path : {folder_.path() / "missing", folder_.path()}) try {
      ScriptInput input(path.string());
      FAIL() << path;
    } catch (const ExitError& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("--script: cannot read"), std::string::npos) << error.what();
    }
}

// A whole run on the host without a window.
class ScriptRunScriptedSessionTest : public ScriptRunTest {
 protected:
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

  int pictures_ = 0;
  std::vector<int> first_pixels_;
  std::vector<std::string> effects_;
  std::vector<std::vector<gpu::Rgba>> pixels_;
  std::vector<std::string> messages_;
  capture::Status status_;
};

TEST_F(ScriptRunScriptedSessionTest, EndsWithItsScriptAndDropsNothing) {
  EXPECT_EQ(
      play("{\"frames\": 40}\n{\"set\": {\"effect\": \"box_blur\", \"window\": \"3x3\"}}\n{\"frames\": 20}\n", "synthetic"),
      ExitCode::ok);
  EXPECT_EQ(pictures_, 60);
  EXPECT_EQ(status_.dropped, 0u);
}

// However fast it is: a line holds from the next frame on, and no frame is made for none.
TEST_F(ScriptRunScriptedSessionTest, IsExact) {
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
TEST_F(ScriptRunScriptedSessionTest, ItsPicturesAreThoseOfAFreshOne) {
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

TEST_F(ScriptRunScriptedSessionTest, MakesNoPictureOfASourceThatAnotherReplaces) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  EXPECT_EQ(play("{\"frames\": 2}\n{\"set\": {\"source\": \"" + video + "\", \"effect\": \"sat_view\"}}\n{\"frames\": 2}\n",
                 "synthetic"),
            ExitCode::ok);
  EXPECT_EQ(effects_, (std::vector<std::string>{"none", "none", "sat_view", "sat_view"}));
}

TEST_F(ScriptRunScriptedSessionTest, MayAskForEveryPictureOfAFile) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  const auto path = (folder_.path() / "t.json").string();
  EXPECT_EQ(play("{\"frames\": 8}\n{\"do\": \"export\", \"to\": \"" + path + "\"}\n", video), ExitCode::ok);
  EXPECT_EQ(pictures_, 8);
  EXPECT_EQ(said("has ended"), 0);
  EXPECT_EQ(play("{\"frames\": 9}\n", video), ExitCode::source);
  EXPECT_EQ(play("{\"frames\": 8}\n{\"frames\": 1}\n", video), ExitCode::source);
}

// The file ends while no line waits for its pictures; then the run ends with the line.
TEST_F(ScriptRunScriptedSessionTest, WhatIsWrongWithTheLastLineIsReported) {
  const auto video = capture::numbered_video(folder_.path(), 8);
  EXPECT_EQ(play("{\"frames\": 7}\n{\"seconds\": 0.3}\n{\"frames\": 3}\n{\"do\": \"fit\"}\n", video), ExitCode::source);
  EXPECT_EQ(said("s.jsonl:3: the source has ended"), 1);
  EXPECT_EQ(said("(after 0 of 3 pictures)"), 1);
}

TEST_F(ScriptRunScriptedSessionTest, APausedSourceShowsTheNewSettings) {
  EXPECT_EQ(play("{\"frames\": 2}\n{\"do\": \"pause\"}\n{\"set\": {\"effect\": \"sat_view\"}}\n{\"frames\": 1}\n",
                 "synthetic", false),
            ExitCode::ok);
  EXPECT_GE(pictures_, 3);
}

TEST_F(ScriptRunScriptedSessionTest, ASeekPastTheEndIsAnError) {
  const auto video = capture::numbered_video(folder_.path(), 31, 30);
  EXPECT_EQ(play("{\"frames\": 1}\n{\"do\": \"seek\", \"to\": 0.2}\n{\"frames\": 1}\n", video), ExitCode::ok);
  EXPECT_EQ(play("{\"frames\": 1}\n{\"do\": \"seek\", \"to\": 99}\n{\"frames\": 1}\n", video), ExitCode::usage);
  EXPECT_EQ(said("s.jsonl:2: seek 99: '" + video + "' ends at 1.03 s"), 1) << ::testing::PrintToString(messages_);
}

// A file would have the picture, or the times, of the settings before.
TEST_F(ScriptRunScriptedSessionTest, WhatIsSetAndCannotBeShownIsNotSaved) {
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

// A session that a script drives.
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
