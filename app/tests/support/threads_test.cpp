// Threads that nobody joins, at the end of the program.
#include "app/support/threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

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

// One after another on the same thread; what failed leaves nothing to the next.
TEST(ThreadsTaskTest, OneTaskAfterAnotherIsDoneByOneThread) {
  TaskThread thread;
  std::thread::id first, second;
  thread.begin([&] { first = std::this_thread::get_id(); });
  ASSERT_TRUE(thread.wait(20s));
  thread.begin([] { throw std::runtime_error("broken"); });
  while (true) try {
      if (thread.wait(20s)) FAIL() << "nobody is told";
    } catch (const std::runtime_error&) {
      break;
    }
  thread.begin([] { throw std::runtime_error("nobody waits for it"); });
  std::atomic<bool> goes_on = false;
  try {
    thread.wait(20s);
  } catch (const std::runtime_error&) {}
  thread.begin([&] {
    while (!goes_on) std::this_thread::sleep_for(1ms);
    second = std::this_thread::get_id();
  });
  EXPECT_FALSE(thread.wait(1ms)) << "it is under way";
  goes_on = true;
  EXPECT_TRUE(thread.wait(20s));
  EXPECT_TRUE(thread.wait(0us)) << "nothing is left";
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

}  // namespace
}  // namespace app
