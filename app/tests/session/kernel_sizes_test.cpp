// Users' kernels and the sizes of pictures: each version is tried on a size before it is used there.
#include <gtest/gtest.h>

#include "app/tests/session/saved_kernels.h"

namespace app {
namespace {

using KernelSizesTest = KernelFilesTest;

TEST_F(KernelSizesTest, AnotherSizeIsTriedBeforeItIsUsed) {
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

TEST_F(KernelSizesTest, SizesThatAreWantedAtOnceAreTriedEachByItself) {
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

TEST_F(KernelSizesTest, AWrongTableOfOneSizeStaysKnownWhereOthersAreRight) {
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

TEST_F(KernelSizesTest, VersionsThatWereReplacedRunWhereTheyWereTriedAndNowhereElse) {
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

TEST_F(KernelSizesTest, AVersionThatIsReplacedWhileASizeIsTriedHasFailedThere) {
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

TEST_F(KernelSizesTest, AVersionThatFailsOnAPictureHasFailedOnThatSize) {
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

TEST_F(KernelSizesTest, ASizeThatCouldNotBeTriedIsTriedAgainOnceTheFileIsSaved) {
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
