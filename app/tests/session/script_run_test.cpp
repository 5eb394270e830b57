// Running a script: one line after another, answers, and what ends it.
#include "app/session/session_script.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "app/tests/support/exit_refusal.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

struct Notes {
  std::vector<std::string> did_, answers_;
  bool ready_ = true, written_ = true;
  std::size_t most_answers_ = 100;
};

class NotingRun final : public ScriptRun {
 public:
  NotingRun(Notes& notes, const std::string& path) : ScriptRun(path), notes_(notes) {}

 private:
  void set(const script::Set& step) override { notes_.did_.push_back(step.changes.at(0).path); }
  bool sets(const script::Do& step) override { return step.action == Action::set; }
  bool ready(const script::Do&) override { return notes_.ready_; }
  void act(const script::Do& step) override { notes_.did_.push_back(std::string(info(step.action).name)); }
  bool written() override { return notes_.written_; }
  std::string get(const script::Get& step) override { return step.paths.at(0); }
  void print(std::string line) override { notes_.answers_.push_back(std::move(line)); }
  bool has_room() const override { return notes_.answers_.size() < notes_.most_answers_; }

  Notes& notes_;
};

class ScriptRunTest : public ::testing::Test, protected Notes {
 protected:
  std::string script(const std::string& text) {
    const auto path = folder_.path() / "s.jsonl";
    std::ofstream(path) << text;
    return path.string();
  }

  std::string at_line(const std::string& says) const { return (folder_.path() / "s.jsonl").string() + says; }
  using Texts = std::vector<std::string>;

  TemporaryFolder folder_;
};

TEST_F(ScriptRunTest, FramesDelayTheNextLine) {
  NotingRun run(*this, script("{\"set\": {\"zoom\": 1}}\n\n{\"frames\": 2}\n{\"do\": \"fit\"}"));
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(did_, Texts{"zoom"});
  EXPECT_TRUE(run.waits_for_pictures());
  run.count_picture();
  EXPECT_FALSE(run.advance());
  EXPECT_EQ(did_.size(), 1u);
  run.count_picture();
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(did_, (Texts{"zoom", "fit"}));
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(run.exit_code(), ExitCode::ok);
}

TEST_F(ScriptRunTest, WhatWillBeSetIsKnownWhileTheLinesBeforeWait) {
  NotingRun run(*this,
                script("{\"set\": {\"zoom\": 1}}\n{\"frames\": 2}\n\n{\"set\": {\"faces.cascade\": \"a.xml\"}}\nwrong\n"
                       "{\"do\": \"fit\"}\n{\"set\": {\"effect\": \"faces\"}}"));
  EXPECT_TRUE(run.take_ahead().empty()) << "nothing was read";
  EXPECT_TRUE(run.advance());
  const auto sets = run.take_ahead();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].changes, (std::vector<Change>{{"faces.cascade", "a.xml"}}));
  EXPECT_TRUE(run.take_ahead().empty()) << "once";
  EXPECT_EQ(did_, Texts{"zoom"});
  EXPECT_EQ(run.exit_code(), ExitCode::ok) << "it is not the wrong line's turn";
  run.count_picture();
  run.count_picture();
  run.advance();
  EXPECT_TRUE(run.take_ahead().empty());
  ASSERT_TRUE(run.take_failure());
}

// While lines are taken, and others come.
TEST_F(ScriptRunTest, EachLineIsSeenAheadOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  script::Input input("/proc/self/fd/" + std::to_string(ends[0]));
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
  comes("9");
  EXPECT_EQ(input.next(), std::nullopt);
  comes("\n");  // its end comes alone
  EXPECT_EQ(input.next(), "9");
  ::close(ends[1]);
  EXPECT_EQ(input.next(), std::nullopt);
  EXPECT_TRUE(input.ended());
  ::close(ends[0]);
}

TEST_F(ScriptRunTest, AWrongLineEndsTheScriptAndItsNumberIsReported) {
  NotingRun run(*this, script("{\"do\": \"fit\"}\n\n{\"do\": \"fitt\"}\n{\"do\": \"pause\"}\n"));
  run.advance();
  EXPECT_EQ(did_, Texts{"fit"});
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(run.exit_code(), ExitCode::usage);
  EXPECT_EQ(run.take_failure(), at_line(":3: no command 'fitt' (did you mean 'fit'?)"));
  EXPECT_TRUE(run.fail(ExitCode::source, "a picture that was under way"));
  run.give_up_pending();
  EXPECT_EQ(run.take_untold(), std::nullopt) << "one line is enough";
}

// Whatever comes: the window draws in between.
TEST_F(ScriptRunTest, AFewLinesAreDonePerFrame) {
  std::string lines;
  for (std::uint64_t i = 0; i < 3 * ScriptRun::most_lines; ++i) lines += i % 2 ? "\n" : "{\"do\": \"fit\"}\n";
  NotingRun run(*this, script(lines));
  for (std::uint64_t turn = 1; turn <= 3; ++turn) {
    EXPECT_TRUE(run.advance());
    EXPECT_EQ(did_.size(), turn * ScriptRun::most_lines / 2);
  }
  did_.clear();
  NotingRun slow(*this, script("{\"do\": \"fit\"}\n{\"do\": \"pause\"}\n"));
  EXPECT_TRUE(slow.advance(0ms));
  EXPECT_EQ(did_, Texts{"fit"}) << "one at least";
  EXPECT_TRUE(slow.advance(0ms));
  EXPECT_EQ(did_.size(), 2u);
}

TEST_F(ScriptRunTest, NoLineIsDoneWhileNobodyReadsTheAnswers) {
  most_answers_ = 1;
  NotingRun run(*this, script("{\"get\": [\"fps\"]}\n{\"do\": \"fit\"}\n{\"get\": [\"zoom\"]}\n{\"do\": \"pause\"}\n"));
  EXPECT_TRUE(run.advance());
  EXPECT_FALSE(run.advance());
  EXPECT_EQ(answers_, Texts{"fps\n"});
  EXPECT_TRUE(did_.empty());
  EXPECT_FALSE(run.ended());
  most_answers_ = 2;
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(answers_, (Texts{"fps\n", "zoom\n"}));
  EXPECT_EQ(did_, Texts{"fit"});
  most_answers_ = 3;
  run.advance();
  EXPECT_EQ(did_.size(), 2u);
  EXPECT_TRUE(run.ended());
}

// What it asks for is missing; who only waits for more lines misses nothing.
TEST_F(ScriptRunTest, OfAnInterruptedRunTheLineThatWaitsHasFailed) {
  for (const auto& [text, says] : {std::pair{"{\"do\": \"fit\"}\n{\"frames\": 2}\n", ":2: interrupted"},
                                   {"{\"do\": \"fit\"}\n{\"do\": \"quit\"}\n", ""}}) {
    NotingRun run(*this, script(text));
    run.advance();
    run.interrupt();
    EXPECT_EQ(run.exit_code(), *says ? ExitCode::failed : ExitCode::ok);
    EXPECT_EQ(run.take_failure().value_or(""), *says ? at_line(says) : "");
  }
  for (const auto& [rest, says] : {std::pair{"\n\n{\"frames\": 2}\n", ":4: interrupted"}, {"\n\n", ""}}) {
    NotingRun run(*this, script(std::string("{\"do\": \"fit\"}\n") + rest));
    written_ = true;
    for (int steps = 0; run.waits() || steps == 0; ++steps) run.advance(0ms);  // the first line alone
    run.interrupt();
    EXPECT_EQ(run.take_failure().value_or(""), *says ? at_line(says) : "") << rest;
  }
  NotingRun run(*this, script("{\"do\": \"fit\"}\n"));
  run.interrupt();
  EXPECT_EQ(run.take_failure(), at_line(": interrupted before its first line"));
}

TEST_F(ScriptRunTest, QuitIsTheLastLineAndFilesAreCompleteBeforeTheNext) {
  NotingRun quits(*this, script("{\"do\": \"quit\"}\n{\"do\": \"pause\"}\n"));
  quits.advance();
  EXPECT_TRUE(quits.ended());
  EXPECT_EQ(did_, Texts{"quit"});
  NotingRun run(*this, script("{\"do\": \"screenshot\"}\n{\"do\": \"fit\"}\n"));
  written_ = false;
  run.advance();
  EXPECT_EQ(did_.size(), 2u);
  written_ = true;
  run.advance();
  EXPECT_EQ(did_, (Texts{"quit", "screenshot", "fit"}));
}

TEST_F(ScriptRunTest, AnActionWaitsForWhatItWorksOn) {
  NotingRun run(*this, script("{\"do\": \"save_picture\"}\n{\"do\": \"fit\"}\n"));
  ready_ = written_ = false;
  EXPECT_TRUE(run.advance());
  EXPECT_FALSE(run.advance());
  EXPECT_TRUE(did_.empty());
  EXPECT_TRUE(run.waits_for_any_picture());
  EXPECT_FALSE(run.waits_for_pictures());
  ready_ = true;
  EXPECT_FALSE(run.advance());
  EXPECT_EQ(did_, Texts{"save_picture"});
  EXPECT_TRUE(run.waits_for_files());
  written_ = true;
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(did_, (Texts{"save_picture", "fit"}));
  EXPECT_EQ(run.exit_code(), ExitCode::ok);
}

// Before the line, or while it waits.
TEST_F(ScriptRunTest, AnActionWhosePictureDoesNotComeIsAnError) {
  for (const bool before : {true, false}) {
    NotingRun run(*this, script("{\"seconds\": 0}\n{\"do\": \"save_picture\"}\n{\"do\": \"fit\"}\n"));
    ready_ = false;
    if (before) {
      EXPECT_FALSE(run.fail(ExitCode::source, "no such file"));
    }
    run.advance();
    if (!before) {
      EXPECT_TRUE(run.fail(ExitCode::source, "no such file"));
    }
    ready_ = true;
    run.advance();
    EXPECT_TRUE(did_.empty());
    EXPECT_TRUE(run.ended());
    EXPECT_EQ(run.exit_code(), ExitCode::source);
    EXPECT_EQ(run.take_failure(), at_line(":2: no such file"));
  }
}

// A failure on the way to a picture is told, and does not refuse the picture that came after it; a source's does.
TEST_F(ScriptRunTest, APictureAfterAFailedOneCanBeSaved) {
  for (const auto code : {ExitCode::failed, ExitCode::source}) {
    did_.clear();
    NotingRun run(*this, script("{\"seconds\": 0}\n{\"do\": \"save_picture\"}\n"));
    EXPECT_FALSE(run.fail(code, "a picture failed"));
    run.count_picture();
    const bool came = code == ExitCode::failed;
    EXPECT_EQ(run.pending(), !came);
    EXPECT_EQ(run.take_untold().value_or(""), came ? "a picture failed" : "");
    ready_ = came;  // as the session's: not while one is pending
    run.advance();
    EXPECT_EQ(did_.size(), came ? 1u : 0u);
    EXPECT_EQ(run.exit_code(), code);
  }
}

// A failure of a script that has ended is told, too; the line is the last that has set something, in whichever way.
TEST_F(ScriptRunTest, WhatFailedAndNoLineHasSaidIsToldOnceNoneWillSayIt) {
  for (const auto& [text, says] : {std::pair{"{\"seconds\": 0}\n", "no such file"},
                                   {"{\"set\": {\"zoom\": 1}}\n{\"seconds\": 0}\n", ":1: no such file"},
                                   {"\n{\"do\": \"set zoom 1\"}\n{\"seconds\": 0}\n", ":2: no such file"}}) {
    NotingRun run(*this, script(text));
    run.advance(0ms);
    while (!run.waits()) run.advance(0ms);
    EXPECT_EQ(run.has_set(), *says == ':');
    EXPECT_FALSE(run.fail(ExitCode::source, "no such file"));
    EXPECT_EQ(run.take_untold(), std::nullopt);
    while (!run.ended()) run.advance();
    EXPECT_EQ(run.take_untold(), (*says == ':' ? (folder_.path() / "s.jsonl").string() : "") + says);
    EXPECT_FALSE(run.pending());
    EXPECT_EQ(run.exit_code(), ExitCode::source);
  }
}

// The standard input goes on behind a line that fails: nothing of that line is left for the next, and the run says what was wrong
// first.
TEST_F(ScriptRunTest, AnAnsweredLineThatFailsLeavesNothingBehind) {
  std::ofstream(folder_.path() / "lines") << R"({"do": "save_picture"}
{"get": ["fps"]}
{"do": "fit"}
{"do": "qqqq"}
{"get": ["zoom"]}
{"do": "pause"}
)";
  const int before = ::dup(STDIN_FILENO), file = ::open((folder_.path() / "lines").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  NotingRun run(*this, "-");
  ready_ = false;
  run.advance();
  EXPECT_TRUE(run.fail(ExitCode::failed, "its picture failed"));
  ready_ = true;
  while (!run.ended()) run.advance();
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
  EXPECT_EQ(did_, (Texts{"fit", "pause"}));
  EXPECT_EQ(answers_, (Texts{"{\"error\": \"line 1: its picture failed\"}\n", "fps\n", "{\"ok\": true}\n",
                             "{\"error\": \"line 4: no command 'qqqq'; satscope list commands prints them\"}\n", "zoom\n",
                             "{\"ok\": true}\n"}));
  EXPECT_EQ(run.exit_code(), ExitCode::failed) << "the first";
}

TEST_F(ScriptRunTest, OnlyTheActionThatWroteAFileMayWriteItAnewAndNoVideoIs) {
  const auto to = [&](Action action, const std::string& name) {
    Command command(action);
    command.to = folder_.path() / name;
    return command;
  };
  const std::pair<std::string, Action> written[] = {
      {"a.png", Action::save_picture}, {"b.mp4", Action::record}, {"c.png", Action::screenshot}};
  NamedResults named;
  for (const auto& [name, action] : written) named.note(to(action, name));
  for (const auto action : {Action::save_picture, Action::screenshot, Action::record, Action::toggle_record}) {
    for (const auto& [name, by] : written)
      if (action == by && by != Action::record)
        EXPECT_NO_THROW(named.check(to(action, name))) << name;
      else
        EXPECT_THROW(named.check(to(action, name)), ExitError) << name;
    EXPECT_NO_THROW(named.check(to(action, "d.png")));
  }
}

TEST_F(ScriptRunTest, SecondsDelayTheNextLine) {
  NotingRun run(*this, script("{\"seconds\": 0.05}\n{\"do\": \"fit\"}\n"));
  run.advance();
  EXPECT_FALSE(run.waits_for_pictures());
  EXPECT_TRUE(run.waits() && did_.empty());
  std::this_thread::sleep_for(60ms);
  run.advance();
  EXPECT_EQ(did_.size(), 1u);
}

TEST_F(ScriptRunTest, WaitingForPicturesThatWillNotComeIsAnError) {
  for (const bool set_again : {false, true}) {
    NotingRun run(*this, script(std::string("{\"seconds\": 0}\n") + (set_again ? "{\"set\": {\"source\": \"0\"}}\n" : "") +
                                "{\"frames\": 1}\n"));
    EXPECT_FALSE(run.fail(ExitCode::source, "no such file"));
    run.advance();
    EXPECT_EQ(run.exit_code(), ExitCode::source);
    EXPECT_EQ(run.waits_for_pictures(), set_again) << "the script goes on";
  }
}

// An empty pipe does not block the program.
TEST_F(ScriptRunTest, ReadingInputNeverBlocks) {
  const auto path = (folder_.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  script::Input input(path);
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
    script::Input input(script(std::string(3 * script::longest_line, 'a') + R"( {"do": "quit"})" + end));
    EXPECT_GE(input.next().value_or("").size(), script::longest_line);
    std::optional<std::string> last;
    for (int i = 0; i < 9 && !last && !input.ended(); ++i) last = input.next();
    EXPECT_EQ(last.value_or(""), end.empty() ? "" : "last");
    EXPECT_EQ(input.next(), std::nullopt);
    EXPECT_TRUE(input.ended());
  }
}

TEST_F(ScriptRunTest, AFileThatCannotBeReadIsRefused) {
  for (const auto& path : {folder_.path() / "missing", folder_.path()}) {
    const auto why = exit_refusal(ExitCode::usage, [&] { script::Input input(path.string()); });
    EXPECT_NE(why.find("--script: cannot read"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace app
