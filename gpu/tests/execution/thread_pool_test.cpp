#include "gpu/execution/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu/tests/refusal.h"

namespace gpu {
namespace {

TEST(ThreadPoolTest, RunsEveryPartOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    EXPECT_EQ(ThreadPool::thread_count(threads), threads);
    for (const int parts : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(parts));
      pool.run(parts, [&](int part) { ++times.at(static_cast<std::size_t>(part)); });
      for (const auto& count : times) ASSERT_EQ(count, 1) << threads << " threads, " << parts << " parts";
    }
  }
}

TEST(ThreadPoolTest, ZeroMeansOnePerCore) {
  ThreadPool pool;
  EXPECT_EQ(pool.threads(), ThreadPool::thread_count(0));
  EXPECT_GE(pool.threads(), 1);
}

// The results of a run must be visible after it, and a thread that is late for one run must not take a part of the next
// with the old work: under ThreadSanitizer, thousands of short runs show this.
TEST(ThreadPoolTest, ManyShortRuns) {
  ThreadPool pool(4);
  std::vector<int> sums(8, 0);
  constexpr int runs = 5000;
  for (int run = 0; run < runs; ++run) {
    const int add = run % 3;
    pool.run(8, [&sums, add](int part) { sums[static_cast<std::size_t>(part)] += add; });
  }
  for (const int sum : sums) EXPECT_EQ(sum, 4999);
}

TEST(ThreadPoolTest, WakesThreadsThatSleep) {
  ThreadPool pool(3);
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    // Each part waits until all have begun: with a sleeping thread this would never end.
    std::atomic<int> begun{0};
    pool.run(3, [&](int) {
      ++begun;
      while (begun < 3) std::this_thread::yield();
    });
  }
}

// The caller has no part left, and has polled for a while, before the other thread ends.
TEST(ThreadPoolTest, WakesACallerThatSleeps) {
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> begun{0}, ended{0};
    pool.run(2, [&](int) {
      ++begun;
      while (begun < 2) std::this_thread::yield();
      if (std::this_thread::get_id() != caller) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++ended;
    });
    EXPECT_EQ(ended, 2);
  }
}

TEST(ThreadPoolTest, ThrowsWhatAPartThrewAfterAllHaveRun) {
  ThreadPool pool(4);
  std::atomic<int> ran{0};
  const auto fails = [&](int part) {
    ++ran;
    if (part == 3) throw std::runtime_error("part 3");
  };
  EXPECT_EQ(test::refusal_of<std::runtime_error>([&] { pool.run(20, fails); }), "part 3");
  EXPECT_EQ(ran, 20);
  ran = 0;
  pool.run(20, [&](int) { ++ran; });  // the failure is not thrown twice
  EXPECT_EQ(ran, 20);
}

TEST(ThreadPoolTest, OneOfManyFailuresIsThrown) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(10, [](int part) { throw std::out_of_range(std::to_string(part)); }), std::out_of_range);
}

// Each call has its own parts and its own failure.
TEST(ThreadPoolTest, SeveralThreadsCallAtOnce) {
  ThreadPool pool(3);
  constexpr int callers = 4, runs = 300;
  std::vector<int> wrong(callers, 0);
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller)
    threads.emplace_back([&pool, &wrong, caller] {
      for (int run = 0; run < runs; ++run) {
        const int parts = 1 + (caller + run) % 7;
        std::vector<std::atomic<int>> times(static_cast<std::size_t>(parts));
        const bool fails = run % 5 == 0;
        std::string found;
        try {
          pool.run(parts, [&](int part) {
            ++times[static_cast<std::size_t>(part)];
            if (fails && part == 0) throw std::runtime_error(std::to_string(caller));
          });
        } catch (const std::runtime_error& error) {
          found = error.what();
        }
        for (const auto& count : times) wrong[static_cast<std::size_t>(caller)] += count != 1;
        wrong[static_cast<std::size_t>(caller)] += found != (fails ? std::to_string(caller) : std::string());
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(callers, 0));
}

// The workers are taken until the second call has ended.
TEST(ThreadPoolTest, ACallEndsWhileAnotherOneRuns) {
  ThreadPool pool(2);
  std::atomic<int> begun{0};
  std::atomic<bool> go_on{false};
  std::thread first([&] {
    pool.run(2, [&](int) {
      ++begun;
      while (!go_on) std::this_thread::yield();
    });
  });
  while (begun < 2) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> ran{0};
    pool.run(5, [&](int) { ++ran; });
    EXPECT_EQ(ran, 5);
  }
  go_on = true;
  first.join();
}

// With memory for the stacks of a few threads, in a process of its own.
TEST(ThreadPoolTest, WorksWithFewerThreadsWhereNoMoreCanBeStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more memory than any limit";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run_short_of_memory = [] {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    constexpr int wanted = 2000;
    ThreadPool pool(wanted);
    std::atomic<int> ran{0};
    pool.run(100, [&](int) { ++ran; });
    std::_Exit(pool.threads() < wanted && ran == 100 ? 0 : 1);
  };
  EXPECT_EXIT(run_short_of_memory(), testing::ExitedWithCode(0), "");
}

TEST(ThreadPoolTest, EndsAtOnceWithoutHavingRun) {
  for (int i = 0; i < 200; ++i) ThreadPool pool(3);
}

}  // namespace
}  // namespace gpu
