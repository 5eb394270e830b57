// What libraries chatter is dropped; what the program says, and the last words of one that crashes, are not.
#include "app/support/console.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace app {
namespace {

void chatter() {
  std::cerr << "chatter by a stream" << std::endl;
  std::fprintf(stderr, "chatter by stdio\n");
  (void)!::write(STDERR_FILENO, "chatter\n", 8);
}

TEST(SilentStderrTest, what_is_written_meanwhile_is_dropped_on_every_thread) {
  testing::internal::CaptureStderr();
  std::fprintf(stderr, "before\n");
  {
    const SilentStderr silent;
    chatter();
    std::thread([] {
      const SilentStderr too;
      chatter();
    }).join();
    chatter();
  }
  std::fprintf(stderr, "after\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "before\nafter\n");
}

TEST(SilentStderrTest, whoever_redirects_it_meanwhile_keeps_what_he_made) {
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
  { const SilentStderr again; }  // what the capture put back was silence
  EXPECT_EQ(inode(), original);
}

class ConsoleDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ConsoleDeathTest, the_programs_own_lines_pass_and_a_good_end_says_no_more) {
  EXPECT_EXIT(
      {
        {
          const KeptConsole kept;
          const SilentStderr silent;
          chatter();
          std::fprintf(console(), "satscope: a line\n");
        }
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^satscope: a line\n$");
}

TEST_F(ConsoleDeathTest, an_exception_that_nobody_catches_is_heard_of) {
  EXPECT_EXIT(
      {
        const KeptConsole kept;
        const SilentStderr silent;
        std::thread([] { throw std::runtime_error("the last words"); }).join();
      },
      testing::KilledBySignal(SIGABRT), "the last words");
}

TEST_F(ConsoleDeathTest, a_library_that_ends_the_program_is_heard_of) {
  EXPECT_EXIT(
      {
        const KeptConsole kept;
        const SilentStderr silent;
        std::fprintf(stderr, "X connection broken\n");
        std::exit(1);
      },
      testing::ExitedWithCode(1), "X connection broken");
}

TEST(SilentStderrTest, what_is_kept_is_bounded) {
  const SilentStderr silent;
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    std::fprintf(stderr, "%s\n", line.c_str());
    SilentStderr::forget_old();
  }
  EXPECT_LT(::lseek(STDERR_FILENO, 0, SEEK_END), 100'000);
}

}  // namespace
}  // namespace app
