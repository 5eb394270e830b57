// Users' files with kernels: compiled when they are saved, tried, taken or refused. Here nothing is compiled: what a file contains says
// what becomes of it.
#include "app/session/kernel_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "app/control/kernel_names.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto run = "// Sums nothing.\nvoid run(Image image, Table table) {}\n";

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

// As many editors save.
void replace(const fs::path& file, const std::string& text) {
  write(file.string() + "~", text);
  fs::rename(file.string() + "~", file);
}

class KernelFilesTest : public ::testing::Test {
 protected:
  KernelFiles::Steps steps() {
    KernelFiles::Steps all;
    all.find_tools = [this] {
      gpu::KernelTools tools;
      if (!has_compiler_) tools.problem = "there is no compiler: install g++";
      return tools;
    };
    all.compile = [this](const gpu::KernelSource& source, int number, const gpu::KernelTools&, const fs::path& folder,
                         const std::atomic<bool>& stop) {
      ++compiled_;
      gpu::CompiledKernel result;
      result.source = source;
      result.number = number;
      std::string text;
      for (const auto& file : source.files) text += text_of_file(file);
      while (text.find("endless template") != text.npos && !stop) std::this_thread::sleep_for(1ms);
      if (const auto meanwhile = std::exchange(while_compiling_, {})) meanwhile();
      if (no_process_) {
        result.messages.push_back({gpu::SourceMessage::Severity::error, source.file, 0, 0, "g++ cannot be started"});
      } else if (text.find("error") != text.npos) {
        result.messages.push_back({gpu::SourceMessage::Severity::error, source.file, 3, 1, "expected ';'"});
      } else if (!stop) {
        result.plain = folder / "plain.so";
        result.observed = folder / "observed.so";
        write(result.plain, text);
      }
      return result;
    };
    all.judge = [this](const gpu::CompiledKernel& compiled, std::span<const gpu::Size> sizes, const gpu::KernelTools&,
                       const std::atomic<bool>& stop) {
      const auto text = text_of_file(compiled.plain);
      gpu::Verdict verdict;
      const bool is_large = std::ranges::any_of(sizes, [](gpu::Size size) { return size.width > 100; });
      const bool is_narrow = std::ranges::any_of(sizes, [](gpu::Size size) { return size.width < 10; });
      const bool hangs = text.find("endless loop") != text.npos && (is_large || text.find("if large") == text.npos);
      while (hangs && !stop) std::this_thread::sleep_for(1ms);
      if (stop) verdict.outcome = gpu::Verdict::Outcome::interrupted;
      if (no_memory_) throw std::bad_alloc();
      if (no_trial_) {
        verdict.outcome = gpu::Verdict::Outcome::interrupted;
        verdict.sentence = "the judge cannot be started";
        return verdict;
      }
      if (text.find("fault") != text.npos || (is_large && text.find("small") != text.npos)) {
        verdict.outcome = gpu::Verdict::Outcome::wrong;
        verdict.sentence = "wrong: a fault";
        verdict.fault = "out of bounds";
      } else if (text.find("sums wrongly") != text.npos || (is_narrow && text.find("wrong if narrow") != text.npos)) {
        verdict.outcome = gpu::Verdict::Outcome::wrong;
        verdict.sentence = "wrong: 3 entries";
        verdict.harmless = true;
      }
      return verdict;
    };
    all.load = [this](const gpu::CompiledKernel& compiled) -> const gpu::KernelVersion& {
      while (loads_long_) std::this_thread::sleep_for(1ms);
      if (fails_to_load_) throw std::runtime_error("mine.cu: the disk is full");
      auto& version = versions_.emplace_back();
      version.file = compiled.source.file;
      version.number = compiled.number;
      version.name = compiled.source.name;
      return version;
    };
    all.take = [](const gpu::KernelVersion&) {};
    all.prepare = [this](const gpu::KernelTools&, const std::atomic<bool>& stop) {
      ++prepared_;
      while (!stop) std::this_thread::sleep_for(1ms);
    };
    return all;
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  fs::path saved(const std::string& name, const std::string& text) const {
    write(path(name), text);
    return path(name);
  }

  template <class Holds>
  bool until(const Holds& holds, gpu::Size frame = {}) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!holds() && std::chrono::steady_clock::now() < end) {
      for (auto& news : files_.follow(frame)) news_.push_back(std::move(news));
      files_.wait(2ms);
    }
    return holds();
  }
  bool until_idle(gpu::Size frame = {}) {
    files_.follow(frame);
    return until([&] { return !files_.busy(); }, frame);
  }
  const KernelFile& file(const std::string& name = "mine") { return *files_.find(name); }

  TemporaryFolder folder_;
  std::atomic<bool> has_compiler_ = true, no_process_ = false, no_memory_ = false, no_trial_ = false;
  std::atomic<int> compiled_ = 0, prepared_ = 0;
  std::atomic<bool> loads_long_ = false, fails_to_load_ = false;
  std::function<void()> while_compiling_;  // once, on the other thread, when the text was read
  std::deque<gpu::KernelVersion> versions_;
  std::vector<KernelFiles::News> news_;
  KernelFiles files_{steps()};
};

TEST_F(KernelFilesTest, AFileIsTakenAndSoIsEachVersionThatIsSaved) {
  EXPECT_FALSE(files_.busy());
  EXPECT_EQ(files_.open(saved("mine.cu", run)), "mine");
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(file().version, 1);
  EXPECT_EQ(file().lines.front(), "// Sums nothing.");
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_TRUE(news_[0].taken && news_[0].first);
  replace(path("mine.cu"), "// Two.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file().version == 2; }));
  EXPECT_EQ(file().lines.front(), "// Two.");
  write(path("mine.cu"), "// Three.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file().version == 3; }));
  EXPECT_FALSE(news_.back().first);
}

TEST_F(KernelFilesTest, LaterVersionsArePreparedOnceAFileIsSavedAgain) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(prepared_, 0);
  for (int version = 2; version < 4; ++version) {
    write(path("mine.cu"), "// " + std::to_string(version) + '\n' + run);
    ASSERT_TRUE(until([&] { return file().version == version; }));  // while that goes on
  }
  ASSERT_TRUE(until([&] { return prepared_ > 0; }));
  EXPECT_EQ(prepared_, 1);
}

TEST_F(KernelFilesTest, WhatDoesNotCompileLeavesTheVersionBefore) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  replace(path("mine.cu"), std::string(run) + "error");
  ASSERT_TRUE(until([&] { return !file().refusal.empty(); }));
  EXPECT_EQ(file().refusal, "it does not compile, line 3: expected ';'");
  EXPECT_EQ(file().messages.size(), 1u);
  EXPECT_EQ(file().version, 1);
  EXPECT_EQ(file().lines.size() + 1, file().refused_lines.size());
  EXPECT_NE(text_of_refusal(file()).find("mine.cu:3:1: error: expected ';'"), std::string::npos);
  replace(path("mine.cu"), run);  // what is in use once more
  ASSERT_TRUE(until([&] { return file().refusal.empty(); }));
}

TEST_F(KernelFilesTest, AFaultIsRefusedAndAWrongTableIsNot) {
  files_.open(saved("mine.cu", "// sums wrongly\n" + std::string(run)));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(file().version, 1);
  EXPECT_EQ(file().verdict.sentence, "wrong: 3 entries");
  replace(path("mine.cu"), "// fault\n" + std::string(run));
  ASSERT_TRUE(until([&] { return !file().refusal.empty(); }));
  EXPECT_NE(file().refusal.find("out of bounds"), std::string::npos);
  EXPECT_EQ(file().version, 1);
}

TEST_F(KernelFilesTest, ASaveEndsWhatIsDoneForTheTextBefore) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  for (const std::string hangs : {"endless template", "endless loop"}) {
    const auto before = file().version;
    const int begun = compiled_;
    replace(path("mine.cu"), "// " + hangs + '\n' + run);
    ASSERT_TRUE(until([&] { return compiled_ > begun; }));
    replace(path("mine.cu"), "// No " + hangs.substr(8) + '\n' + run);
    ASSERT_TRUE(until([&] { return file().version > before; }));
    ASSERT_TRUE(until_idle());
    EXPECT_EQ(file().lines.front(), "// No " + hangs.substr(8));
  }
}

TEST_F(KernelFilesTest, AfterManySavesTheLastTextIsTheOneInUse) {
  constexpr int saves = 200;
  files_.open(saved("mine.cu", run));
  for (int i = 0; i < saves; ++i) {
    const auto text = "// " + std::to_string(i) + "\n" + run;
    i % 2 ? replace(path("mine.cu"), text) : write(path("mine.cu"), text);
    files_.follow({});
    files_.wait(1ms);
  }
  const auto last = "// " + std::to_string(saves - 1);
  ASSERT_TRUE(until([&] { return !file().lines.empty() && file().lines.front() == last; }));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(file().lines.front(), last);
  EXPECT_TRUE(file().refusal.empty());
}

TEST_F(KernelFilesTest, AFileThatVanishesOrIsHalfWrittenLeavesTheVersionBefore) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  fs::remove(path("mine.cu"));
  ASSERT_TRUE(until([&] { return !file().refusal.empty(); }));
  EXPECT_EQ(file().version, 1);
  write(path("mine.cu"), "// Half of");  // nothing to run in it
  ASSERT_TRUE(until([&] { return !file().refused_lines.empty(); }));
  EXPECT_EQ(file().version, 1);
  write(path("mine.cu"), "// Whole.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file().version > 1; }));
  EXPECT_TRUE(file().refusal.empty());
}

TEST_F(KernelFilesTest, WhatAFileIncludesIsWatchedToo) {
  fs::create_directory(path("parts"));
  saved("parts/part.cuh", "// Part.\n");
  files_.open(saved("mine.cu", "#include \"parts/part.cuh\"\n" + std::string(run)));
  ASSERT_TRUE(until_idle());
  replace(path("parts/part.cuh"), "// Another part.\n");
  ASSERT_TRUE(until([&] { return file().version == 2; }));
}

TEST_F(KernelFilesTest, AnIncludedFileThatIsSavedBeforeItsFirstCompileEndsIsNotForgotten) {
  saved("part.cuh", "// Part.\n");
  const auto includes_part = "#include \"part.cuh\"\n" + std::string(run);
  while_compiling_ = [&] { replace(path("part.cuh"), "// Saved while the first version was compiled.\n"); };
  files_.open(saved("mine.cu", includes_part));
  ASSERT_TRUE(until([&] { return compiled_ > 1; }));
  ASSERT_TRUE(until_idle());
  EXPECT_GT(file().version, 0);
  // One that was not known before this version.
  saved("later.cuh", "// Later.\n");
  const int begun = compiled_;
  while_compiling_ = [&] { replace(path("later.cuh"), "// Saved while it was compiled.\n"); };
  replace(path("mine.cu"), "#include \"later.cuh\"\n" + includes_part);
  ASSERT_TRUE(until([&] { return compiled_ > begun + 1; }));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(compiled_, begun + 2);
}

TEST_F(KernelFilesTest, AnIncludedFileThatIsMissingIsCompiledOnceItIsThere) {
  fs::create_directory(path("parts"));
  const std::string includes_parts = "#include \"part.cuh\"\n#include \"parts/error.cuh\"\n";
  files_.open(saved("mine.cu", includes_parts + run + "error"));
  ASSERT_TRUE(until_idle());
  EXPECT_FALSE(file().refusal.empty());
  for (const std::string part : {"part.cuh", "parts/error.cuh"}) {
    const int begun = compiled_;
    replace(path(part), "// " + part + '\n');
    ASSERT_TRUE(until([&] { return compiled_ > begun; })) << part;
    ASSERT_TRUE(until_idle());
  }
  // Those of the next one are others.
  saved("mine.cu", "#include \"new/part.cuh\"\n" + std::string(run));  // its folder is missing, too
  ASSERT_TRUE(until([&] { return file().version > 0; }));
  ASSERT_TRUE(until_idle());
  const auto version = file().version;
  fs::create_directory(path("new"));
  saved("new/part.cuh", "// It is there.\n");
  ASSERT_TRUE(until([&] { return file().version > version; }));
}

TEST_F(KernelFilesTest, AFolderThatIsReplacedWithItsFilesIsFollowed) {
  fs::create_directory(path("work"));
  files_.open(saved("work/mine.cu", run));
  ASSERT_TRUE(until_idle());
  for (const std::string next : {"first", "second"}) {
    fs::create_directory(path(next));
    saved(next + "/mine.cu", "// Of the " + next + ".\n" + run);
    fs::rename(path("work"), path("before " + next));
    fs::rename(path(next), path("work"));
    ASSERT_TRUE(until([&] { return !file().lines.empty() && file().lines.front() == "// Of the " + next + '.'; }));
    ASSERT_TRUE(until_idle());
    write(path("work/mine.cu"), "// Saved in the " + next + ".\n" + run);
    ASSERT_TRUE(until([&] { return file().lines.front() == "// Saved in the " + next + '.'; }));
  }
}

TEST_F(KernelFilesTest, AFileThatIsClosedIsLeftAloneAndMayBeOpenedAgain) {
  files_.open(saved("mine.cu", run));
  files_.open(saved("yours.cu", run));
  ASSERT_TRUE(until_idle({96, 54}));
  int last = file("mine").version;
  for (const std::string hangs : {"", "endless template", "endless loop"}) {
    if (!hangs.empty()) {  // while it is compiled, or tried
      const int begun = compiled_;
      replace(path("mine.cu"), "// " + hangs + '\n' + run);
      ASSERT_TRUE(until([&] { return compiled_ > begun; }));
    }
    files_.close("mine");
    files_.close("mine");
    EXPECT_EQ(files_.find("mine"), nullptr);
    EXPECT_EQ(files_.files().size(), 1u);
    EXPECT_FALSE(files_.busy("mine"));
    const int begun = compiled_;
    replace(path("mine.cu"), "// Not watched after " + std::to_string(last) + '\n' + run);
    replace(path("yours.cu"), "// After " + std::to_string(last) + '\n' + run);
    const auto before = file("yours").version;
    ASSERT_TRUE(until([&] { return file("yours").version > before; })) << "others are followed";
    ASSERT_TRUE(until_idle());
    EXPECT_EQ(compiled_, begun + 1);
    files_.open(path("mine.cu"));
    EXPECT_TRUE(files_.busy("mine"));
    ASSERT_TRUE(until([&] { return file("mine").version > 0; }));
    EXPECT_GT(file("mine").version, last) << "no two versions have one label";
    last = file("mine").version;
  }
  EXPECT_EQ(files_.trial(versions_.front(), {96, 54}).state, KernelFiles::Trial::State::failed);
}

TEST_F(KernelFilesTest, AnEffectIsKnownAsSuchBeforeItIsCompiled) {
  const std::string effect = "Pixel effect(Boxes boxes, int x, int y) { return 0; }\n";
  files_.open(saved("mine.cu", run));
  files_.open(saved("yours.cu", effect));
  EXPECT_FALSE(file("mine").is_effect);
  EXPECT_TRUE(file("yours").is_effect);
  ASSERT_TRUE(until_idle());
  EXPECT_FALSE(file("mine").is_effect);
  // What is refused changes nothing of the version in use.
  replace(path("mine.cu"), effect + "error");
  ASSERT_TRUE(until([&] { return !file("mine").refusal.empty(); }));
  EXPECT_FALSE(file("mine").is_effect);
}

TEST_F(KernelFilesTest, TheSameTextIsNotCompiledAgain) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  replace(path("mine.cu"), run);
  ASSERT_TRUE(until([&] { return files_.busy(); }));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(compiled_, 1);
  EXPECT_EQ(file().version, 1);
}

TEST_F(KernelFilesTest, SeveralFilesAreWatchedAndEachNameIsThatOfOne) {
  fs::create_directory(path("other"));
  files_.open(saved("mine.cu", run));
  files_.open(saved("yours.cu", run));
  EXPECT_EQ(files_.open(path("mine.cu")), "mine");
  EXPECT_EQ(files_.files().size(), 2u);
  EXPECT_THROW(files_.open(saved("other/mine.cu", run)), std::invalid_argument);
  EXPECT_THROW(files_.open(saved("2r1w.cu", run)), std::invalid_argument);
  EXPECT_THROW(files_.open(saved("box_blur.cu", run)), std::invalid_argument);
  EXPECT_THROW(files_.open(saved("my own.cu", run)), std::invalid_argument);
  EXPECT_THROW(files_.open(path("missing.cu")), std::invalid_argument);
  EXPECT_THROW(files_.open(saved("mine.cpp", run)), std::invalid_argument);
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(file("mine").version, 1);
  EXPECT_EQ(file("yours").version, 1);
}

TEST_F(KernelFilesTest, AnotherSizeIsTriedBeforeItIsUsed) {
  using State = KernelFiles::Trial::State;
  files_.open(saved("mine.cu", "// small\n" + std::string(run)));
  ASSERT_TRUE(until_idle({96, 54}));
  const auto& version = versions_.back();
  EXPECT_EQ(files_.trial(version, {96, 54}).state, State::passed);
  EXPECT_EQ(files_.trial(version, {64, 48}).state, State::under_way);
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(files_.trial(version, {64, 48}).state, State::passed);
  while (files_.trial(version, {128, 72}, 10ms).state == State::under_way) continue;
  const auto failed = files_.trial(version, {128, 72});
  EXPECT_EQ(failed.state, State::failed);
  EXPECT_NE(failed.why.find("out of bounds"), std::string::npos) << failed.why;
  EXPECT_EQ(files_.trial(version, {64, 48}).state, State::passed);
  // The version that is replaced is not tried any more, but goes on where it was.
  replace(path("mine.cu"), "// Two.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file().version == 2; }));
  EXPECT_EQ(files_.trial(version, {64, 48}).state, State::passed);
  EXPECT_EQ(files_.trial(version, {32, 32}).state, State::failed);
}

TEST_F(KernelFilesTest, WhoFollowsDoesNotWaitUntilAVersionIsLoaded) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  for (int number = 2; number <= 3; ++number) {
    loads_long_ = true;
    replace(path("mine.cu"), "// " + std::to_string(number) + '\n' + run);
    ASSERT_TRUE(until([&] { return file().phase == KernelFile::Phase::trying; }));
    for (int i = 0; i < 20; ++i) files_.follow({}), files_.wait(1ms);
    EXPECT_EQ(file().version, number - 1);
    EXPECT_TRUE(files_.busy());
    loads_long_ = false;
    ASSERT_TRUE(until([&] { return file().version == number; }));
  }
}

TEST_F(KernelFilesTest, WhatCannotBeLoadedLeavesTheVersionBefore) {
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  fails_to_load_ = true;
  replace(path("mine.cu"), "// Two.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return !file().refusal.empty(); }));
  EXPECT_EQ(file().refusal, "mine.cu: the disk is full");
  EXPECT_EQ(file().version, 1);
  fails_to_load_ = false;
  replace(path("mine.cu"), "// Two.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file().version > 1; }));
}

TEST_F(KernelFilesTest, SizesThatAreWantedAtOnceAreTriedEachByItself) {
  using State = KernelFiles::Trial::State;
  files_.open(saved("mine.cu", "// small\n" + std::string(run)));
  ASSERT_TRUE(until_idle({96, 54}));
  const auto& version = versions_.back();
  const gpu::Size fit[] = {{64, 48}, {32, 24}, {100, 7}}, large[] = {{128, 72}, {256, 1}};
  for (int i = 0; i < 2; ++i) {  // then all is known
    for (const auto size : {fit[0], large[0], fit[1], large[1], fit[2]}) files_.trial(version, size);
    ASSERT_TRUE(until_idle());
    for (const auto size : fit) EXPECT_EQ(files_.trial(version, size).state, State::passed) << size.width;
    for (const auto size : large) EXPECT_EQ(files_.trial(version, size).state, State::failed) << size.width;
  }
  EXPECT_FALSE(files_.busy());
}

TEST_F(KernelFilesTest, AWrongTableOfOneSizeStaysKnownWhereOthersAreRight) {
  files_.open(saved("mine.cu", "// wrong if narrow\n" + std::string(run)));
  ASSERT_TRUE(until_idle({96, 54}));
  EXPECT_EQ(file().verdict.outcome, gpu::Verdict::Outcome::right);
  for (const gpu::Size size : {gpu::Size{5, 54}, gpu::Size{64, 48}, gpu::Size{7, 48}}) {
    files_.trial(versions_.back(), size);
    ASSERT_TRUE(until_idle());
    EXPECT_EQ(files_.trial(versions_.back(), size).state, KernelFiles::Trial::State::passed) << size.width;
    EXPECT_EQ(file().verdict.sentence, "wrong: 3 entries") << size.width;
  }
}

TEST_F(KernelFilesTest, VersionsThatWereReplacedRunWhereTheyWereTriedAndNowhereElse) {
  using State = KernelFiles::Trial::State;
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle({96, 54}));
  for (int number = 2; number <= 4; ++number) {
    replace(path("mine.cu"), "// " + std::to_string(number) + '\n' + run);
    ASSERT_TRUE(until([&] { return file().version == number; }, {96, 54}));
  }
  ASSERT_EQ(versions_.size(), 4u);
  for (const auto& version : versions_) {
    const bool in_use = &version == &versions_.back();
    EXPECT_EQ(files_.trial(version, {96, 54}).state, State::passed) << version.number;
    EXPECT_EQ(files_.trial(version, {64, 48}).state, in_use ? State::under_way : State::failed) << version.number;
  }
  gpu::KernelVersion unknown;
  unknown.name = "closed";
  EXPECT_EQ(files_.trial(unknown, {96, 54}).state, State::failed);
}

TEST_F(KernelFilesTest, AVersionThatIsReplacedWhileASizeIsTriedHasFailedThere) {
  using State = KernelFiles::Trial::State;
  files_.open(saved("mine.cu", "// endless loop if large\n" + std::string(run)));
  ASSERT_TRUE(until_idle({96, 54}));
  const auto& version = versions_.front();
  EXPECT_EQ(files_.trial(version, {128, 72}).state, State::under_way);
  ASSERT_TRUE(until([&] { return file().phase == KernelFile::Phase::trying; }));
  EXPECT_EQ(files_.trial(version, {128, 72}).state, State::under_way);
  replace(path("mine.cu"), "// Two.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file().version == 2; }));
  const auto trial = files_.trial(version, {128, 72}, 10ms);
  EXPECT_EQ(trial.state, State::failed);
  EXPECT_NE(trial.why.find("a newer version"), std::string::npos) << trial.why;
  EXPECT_EQ(files_.trial(version, {96, 54}).state, State::passed);
}

TEST_F(KernelFilesTest, AVersionThatFailsOnAPictureHasFailedOnThatSize) {
  using State = KernelFiles::Trial::State;
  files_.open(saved("mine.cu", run));
  files_.open(saved("yours.cu", run));
  ASSERT_TRUE(until_idle({96, 54}));
  gpu::SatAlgorithm mine, yours;
  mine.version = &versions_[0];
  yours.version = &versions_[1];
  Selection one, both;
  one.algorithm = &mine;
  both.sides = {one, one};
  both.sides[1].algorithm = &yours;
  files_.note_failure(one, {96, 54}, "mine.cu: does not end");
  EXPECT_EQ(files_.trial(one, {96, 54}).state, State::failed);
  EXPECT_EQ(files_.trial(one, {96, 54}).why, "mine.cu: does not end");
  EXPECT_EQ(files_.trial(versions_[1], {96, 54}).state, State::passed);
  while (files_.trial(versions_[0], {64, 48}, 10ms).state == State::under_way) continue;
  EXPECT_EQ(files_.trial(one, {64, 48}).state, State::passed) << "of another size nothing is known";
  files_.note_failure(both, {96, 54}, "out of bounds (yours.cu:7)");
  EXPECT_EQ(files_.trial(one, {96, 54}).why, "mine.cu: does not end");
  EXPECT_EQ(files_.trial(versions_[1], {96, 54}).why, "out of bounds (yours.cu:7)");
  // The next version has a trial of its own.
  replace(path("mine.cu"), "// Two.\n" + std::string(run));
  ASSERT_TRUE(until([&] { return file("mine").version == 2; }, {96, 54}));
  EXPECT_EQ(files_.trial(versions_.back(), {96, 54}).state, State::passed);
}

TEST_F(KernelFilesTest, WithoutACompilerThatIsSaidAndTheNextSaveLooksAgain) {
  has_compiler_ = false;
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(file().refusal, "there is no compiler: install g++");
  has_compiler_ = true;
  replace(path("mine.cu"), run);
  ASSERT_TRUE(until([&] { return file().version > 0; }));
}

TEST_F(KernelFilesTest, WhatIsRefusedForNoReasonOfItsOwnIsTriedAgainWithTheSameText) {
  struct Cause {
    std::atomic<bool>& is_there;
    std::string refusal;
  };
  const Cause causes[] = {{no_process_, "it could not be compiled: g++ cannot be started"},
                          {no_memory_, "memory is exhausted"},
                          {no_trial_, "it could not be tried: the judge cannot be started"}};
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle());
  for (const auto& [is_there, refusal] : causes) {
    const auto before = file().version;
    const auto text = "// Without: " + refusal + '\n' + run;
    is_there = true;
    for (int i = 0; i < 2; ++i) {  // saved again while it lasts
      const auto refused = news_.size();
      replace(path("mine.cu"), text);
      ASSERT_TRUE(until([&] { return news_.size() > refused; })) << refusal;
      EXPECT_EQ(file().refusal, refusal);
      EXPECT_EQ(file().version, before);
    }
    is_there = false;
    replace(path("mine.cu"), text);
    ASSERT_TRUE(until([&] { return file().version > before; })) << refusal;
    EXPECT_TRUE(file().refusal.empty());
  }
  // What its text is to blame for is not compiled twice.
  replace(path("mine.cu"), "// error\n" + std::string(run));
  ASSERT_TRUE(until([&] { return !file().refusal.empty(); }));
  const int begun = compiled_;
  replace(path("mine.cu"), "// error\n" + std::string(run));
  ASSERT_TRUE(until([&] { return files_.busy(); }));
  ASSERT_TRUE(until_idle());
  EXPECT_EQ(compiled_, begun);
}

TEST_F(KernelFilesTest, ASizeThatCouldNotBeTriedIsTriedAgainOnceTheFileIsSaved) {
  using State = KernelFiles::Trial::State;
  files_.open(saved("mine.cu", run));
  ASSERT_TRUE(until_idle({96, 54}));
  const auto& version = versions_.back();
  no_trial_ = true;
  while (files_.trial(version, {64, 48}, 10ms).state == State::under_way) continue;
  EXPECT_EQ(files_.trial(version, {64, 48}).why, "mine.cu: it could not be tried: the judge cannot be started");
  EXPECT_EQ(files_.trial(version, {96, 54}).state, State::passed);
  no_trial_ = false;
  EXPECT_EQ(files_.trial(version, {64, 48}).state, State::failed);
  replace(path("mine.cu"), run);
  ASSERT_TRUE(until([&] { return files_.busy(); }));
  ASSERT_TRUE(until_idle());
  while (files_.trial(version, {64, 48}, 10ms).state == State::under_way) continue;
  EXPECT_EQ(files_.trial(version, {64, 48}).state, State::passed);
  EXPECT_EQ(compiled_, 1);
}

}  // namespace
}  // namespace app
