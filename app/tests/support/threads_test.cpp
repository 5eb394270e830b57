// Threads that nobody joins, at the end of the program.
#include "app/support/threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace app {
namespace {

using namespace std::chrono_literals;

// As a library's, which such a thread uses.
struct Destroyed {
  ~Destroyed() { ::_exit(3); }
};

void hang() { std::this_thread::sleep_for(1h); }

TEST(ThreadsLongWaitTest, SaysOnceWhatTakesLongAndNothingOfWhatDoesNot) {
  std::atomic<int> said = 0;
  {
    const LongWait brief([&] { ++said; }, 1h);
  }
  EXPECT_EQ(said, 0);
  const LongWait wait([&] { ++said; }, 1ms);
  while (said == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(said, 1);
}

class ThreadsDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ThreadsDeathTest, WhileOneHangsNothingIsDestroyed) {
  const auto end_main = [] {
    static const Destroyed destroyed;
    start_detached(hang);
    finish_detached(7);
    std::exit(8);
  };
  EXPECT_EXIT(end_main(), testing::ExitedWithCode(7), "");
  const auto exit_elsewhere = [] {
    static const Destroyed destroyed;
    start_detached(hang);
    std::exit(7);
  };
  EXPECT_EXIT(exit_elsewhere(), testing::ExitedWithCode(7), "");
}

TEST_F(ThreadsDeathTest, OnceAllHaveFinishedAllIsDestroyed) {
  const auto end_main = [] {
    static const Destroyed destroyed;
    start_detached([] {});
    if (wait_for_detached(20s)) finish_detached(7);
    std::exit(8);
  };
  EXPECT_EXIT(end_main(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace app
