// The bound that the kernels are compared with: measured between pictures as the race does, and one number with it.
#include "app/session/race.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "app/tests/pipeline/frames.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class TableBoundTest : public testing::Test {
 protected:
  void show(gpu::Size size) { ASSERT_TRUE(engine_.process(noise_frame(size, 1), settings_)); }
  // As between two pictures.
  void step() {
    bound_.step(engine_, settings_, race_);
    if (!bound_.busy()) race_.step(engine_, settings_, {});
    race_.wait(1s);
    bound_.leaves_processors(1s);
  }
  std::optional<BoundTime> measured(gpu::Size size) {
    bound_.want(gpu::Device::host, size);
    for (int i = 0; i < 10000 && !bound_.of(gpu::Device::host, size); ++i) step();
    return bound_.of(gpu::Device::host, size);
  }

  Settings settings_ = [] {
    Settings settings;
    settings.device = DeviceChoice::host;
    return settings;
  }();
  Engine engine_{{{}, "no driver"}};
  Race race_;
  TableBound bound_;
};

TEST_F(TableBoundTest, ItIsMeasuredOncePerSizeAsOftenAsTheRaceDoes) {
  show({64, 48});
  bound_.want(gpu::Device::host, {64, 48});
  EXPECT_FALSE(bound_.of(gpu::Device::host, {64, 48})) << "it waits for nothing";
  const auto first = measured({64, 48});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->runs, Race::enough_runs);
  EXPECT_EQ(first->name, "memset") << "as the race has it";
  EXPECT_GT(first->us, 0);
  step();
  EXPECT_FALSE(bound_.measuring()) << "its memory is given back";
  EXPECT_EQ(measured({64, 48})->us, first->us);
  show({65, 48});
  step();
  EXPECT_FALSE(bound_.of(gpu::Device::host, {65, 48})) << "another size has another bound";
  EXPECT_TRUE(measured({65, 48}));
  show({1, 1});
  EXPECT_TRUE(measured({1, 1}));
}

TEST_F(TableBoundTest, AfterARaceItIsTheRacesOwnNumber) {
  show({64, 48});
  ASSERT_TRUE(measured({64, 48}));
  race_.start();
  for (int i = 0; i < 10000 && !race_.finished(); ++i) step();
  ASSERT_TRUE(race_.finished());
  step();
  const auto& rows = race_.figures().rows;
  const auto row = std::ranges::find(rows, "memset", &RaceRow::label);
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(bound_.of(gpu::Device::host, {64, 48})->us, row->us);
  show({65, 48});
  step();
  EXPECT_FALSE(bound_.of(gpu::Device::host, {65, 48})) << "it was of another size";
}

TEST_F(TableBoundTest, WhileARaceRunsNothingElseIsMeasured) {
  show({64, 48});
  race_.start();
  bound_.want(gpu::Device::host, {64, 48});
  for (int i = 0; i < 10000 && !race_.finished(); ++i) {
    step();
    ASSERT_FALSE(bound_.measuring());
  }
  step();
  EXPECT_TRUE(bound_.of(gpu::Device::host, {64, 48}));
}

TEST_F(TableBoundTest, ARaceThatStartsMeanwhileGoesFirst) {
  show({64, 48});
  bound_.want(gpu::Device::host, {64, 48});
  step();
  ASSERT_TRUE(bound_.measuring());
  race_.start();
  for (int i = 0; i < 10000 && bound_.measuring(); ++i) bound_.step(engine_, settings_, race_);
  EXPECT_FALSE(bound_.measuring());
  EXPECT_FALSE(bound_.of(gpu::Device::host, {64, 48})) << "it was not completed before";
  for (int i = 0; i < 10000 && !race_.finished(); ++i) step();
  EXPECT_TRUE(race_.finished());
  step();
  EXPECT_FALSE(bound_.measuring());
  EXPECT_TRUE(bound_.of(gpu::Device::host, {64, 48}));
}

// So large that its memory is neither what was freed before nor in what malloc has reserved for a thread.
TEST_F(TableBoundTest, WhereThereWasNoMemoryItIsTriedAgainAfterAnotherSize) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more memory than any limit";
#endif
  constexpr gpu::Size large{5000, 4000};
  show(large);
  bound_.want(gpu::Device::host, large);
  {
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit little_more{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (16 << 20), before.rlim_max};
    setrlimit(RLIMIT_AS, &little_more);
    step();
    setrlimit(RLIMIT_AS, &before);
  }
  step();
  EXPECT_FALSE(bound_.measuring()) << "not with every picture";
  EXPECT_FALSE(bound_.of(gpu::Device::host, large));
  show({64, 48});
  EXPECT_TRUE(measured({64, 48}));
  show(large);
  EXPECT_TRUE(measured(large));
}

TEST_F(TableBoundTest, WhatNobodyWantsOrHasNoBandwidthIsNotMeasured) {
  step();
  show({64, 48});
  step();
  EXPECT_FALSE(bound_.measuring()) << "nobody wants it";
  bound_.want(gpu::Device::simulated, {64, 48});
  step();
  EXPECT_FALSE(bound_.measuring());
  bound_.want(gpu::Device::host, {640, 480});
  step();
  EXPECT_FALSE(bound_.measuring()) << "pictures have another size";
}

}  // namespace
}  // namespace app
