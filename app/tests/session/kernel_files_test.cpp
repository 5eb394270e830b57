// Users' files with kernels: compiled when they are saved, tried, taken or refused.
#include "app/session/kernel_files.h"
#include "app/session/kernel_refusal.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "app/tests/session/saved_kernels.h"

namespace app {
namespace {

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

// Pictures are made with the first type while the others are compiled.
TEST_F(KernelFilesTest, TheFirstTypeIsTakenBeforeTheOthers) {
  auto first_first = steps();
  first_first.first_type_first = true;
  KernelFiles files(std::move(first_first));
  files.open(saved("mine.cu", "// several types\n" + std::string(run)));
  const auto until_holds = [&](const auto& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (; !holds() && std::chrono::steady_clock::now() < end; files.wait(std::chrono::milliseconds(1)))
      for (auto& news : files.follow({64, 48})) news_.push_back(std::move(news));
    return holds();
  };
  for (int version = 1; version <= 3; ++version) {
    ASSERT_TRUE(until_holds([&] { return files.find("mine")->version == version; }));
    EXPECT_TRUE(files.busy()) << "the others follow";
    EXPECT_FALSE(files.busy("mine"));
    const auto& first = versions_[2 * static_cast<std::size_t>(version - 1)];
    EXPECT_EQ(files.trial(first, {64, 48}).state, KernelFiles::Trial::State::passed);
    ASSERT_TRUE(until_holds([&] { return !files.busy(); }));
    EXPECT_EQ(files.trial(first, {64, 48}).state, KernelFiles::Trial::State::passed);
    EXPECT_EQ(files.find("mine")->version, version);
    EXPECT_EQ(files.trial(versions_.back(), {64, 48}).state, KernelFiles::Trial::State::passed);
    EXPECT_EQ(compiled_, 2 * version);
    EXPECT_EQ(news_.size(), static_cast<std::size_t>(version)) << "nothing is said of the others";
    write(path("mine.cu"), "// several types, " + std::to_string(version) + '\n' + run);
  }
}

TEST_F(KernelFilesTest, WhereOtherTypesDoNotWorkTheFirstOneStays) {
  auto first_first = steps();
  first_first.first_type_first = true;
  KernelFiles files(std::move(first_first));
  files.open(saved("mine.cu", "// several types, error in others\n" + std::string(run)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do files.wait(std::chrono::milliseconds(1)), files.follow({64, 48});
  while (files.busy() && std::chrono::steady_clock::now() < end);
  const auto& file = files.files().front();
  EXPECT_EQ(file.version, 1);
  EXPECT_EQ(file.refusal, "with other types than 8u32u it does not compile, line 3: expected ';'");
  EXPECT_FALSE(file.messages.empty());
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

}  // namespace
}  // namespace app
