// The output of libraries is dropped; the program's own lines, and the last output before a crash, are not.
#include "app/support/console.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace app {
namespace {

void library_output() {
  std::cerr << "output through a stream" << std::endl;
  std::fprintf(stderr, "output by stdio\n");
  (void)!::write(STDERR_FILENO, "output\n", 7);
}

TEST(ConsoleSilentStderrTest, OutputIsDroppedOnEveryThread) {
  testing::internal::CaptureStderr();
  std::fprintf(stderr, "before\n");
  {
    const SilentStderr silent;
    library_output();
    std::thread([] {
      const SilentStderr too;
      library_output();
    }).join();
    library_output();
  }
  std::fprintf(stderr, "after\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "before\nafter\n");
}

TEST(ConsoleSilentStderrTest, ARedirectionByOthersIsNotUndone) {
  const auto inode = [] {
    struct stat status {};
    ::fstat(STDERR_FILENO, &status);
    return status.st_ino;
  };
  const auto original = inode();
  auto silent = std::make_unique<SilentStderr>();
  testing::internal::CaptureStderr();
  silent.reset();
  std::fprintf(stderr, "captured\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "captured\n");
  { const SilentStderr again; }  // the capture restored the silenced descriptor
  EXPECT_EQ(inode(), original);
}

class ConsoleDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ConsoleDeathTest, TheProgramsOwnLinesArePrintedAndNothingElseAtANormalEnd) {
  EXPECT_EXIT(
      {
        {
          const KeptConsole kept;
          const SilentStderr silent;
          library_output();
          std::fprintf(console(), "satscope: a line\n");
        }
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^satscope: a line\n$");
}

TEST_F(ConsoleDeathTest, AnUncaughtExceptionIsReported) {
  EXPECT_EXIT(
      {
        const KeptConsole kept;
        const SilentStderr silent;
        std::thread([] { throw std::runtime_error("the last words"); }).join();
      },
      testing::KilledBySignal(SIGABRT), "the last words");
}

// Longer than what is read at once, so that an address begins in one part and ends in another.
TEST_F(ConsoleDeathTest, TheLastOutputOfALibraryHasNoAddresses) {
  const auto fail = [] {
    const KeptConsole kept;
    const SilentStderr silent;
    for (int i = 0; i < 500; ++i) std::fprintf(stderr, "%d 'rtsp://u:SECRET@h' a::/b http://h?k=SECRET\n", i);
    std::abort();
  };
  EXPECT_EXIT(fail(), testing::KilledBySignal(SIGABRT), "499 'rtsp://[*]{3}' a::/b http://[*]{3}\n");
  EXPECT_EXIT(fail(), testing::KilledBySignal(SIGABRT), "^[^S]*$");
}

TEST_F(ConsoleDeathTest, TheOutputOfALibraryThatEndsTheProgramIsPrinted) {
  EXPECT_EXIT(
      {
        const KeptConsole kept;
        const SilentStderr silent;
        std::fprintf(stderr, "X connection broken\n");
        std::exit(1);
      },
      testing::ExitedWithCode(1), "X connection broken");
}

TEST(ConsoleSilentStderrTest, TheAmountOfKeptOutputIsBounded) {
  const SilentStderr silent;
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    std::fprintf(stderr, "%s\n", line.c_str());
    SilentStderr::forget_old();
  }
  EXPECT_LT(::lseek(STDERR_FILENO, 0, SEEK_END), 100'000);
}

TEST(ConsoleProgressTest, ASingleFrameHasNoRate) {
  for (const std::uint64_t frames : {1, 2}) {
    testing::internal::CaptureStderr();
    Progress progress(stderr);
    progress.show(frames, frames);
    progress.finish(frames);
    const auto text = testing::internal::GetCapturedStderr();
    if (frames == 1)
      EXPECT_EQ(text, "100%: 1/1 frame\n1 frame\n");
    else
      EXPECT_NE(text.find("2 frames, "), text.npos) << text;
  }
}

}  // namespace
}  // namespace app
