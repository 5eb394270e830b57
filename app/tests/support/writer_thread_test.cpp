// Tasks that wait for a disk delay nobody else, run in order, and are all done at the end.
#include "app/support/threads.h"
#include "app/tests/support/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace app {
namespace {

using namespace std::chrono_literals;

TEST(WriterThreadTest, EverythingIsDoneInOrderBeforeItEnds) {
  std::vector<int> done;
  {
    WriterThread writer;
    for (int i = 0; i < 100; ++i) writer.add([&done, i] { done.push_back(i); });
  }
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(WriterThreadTest, ASlowTaskDoesNotDelayThoseWhoAdd) {
  Gate gate;
  WriterThread writer;
  const auto start = std::chrono::steady_clock::now();
  writer.add(gate.task());
  for (int i = 0; i < 1000; ++i) writer.try_add(1, [] {});
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_FALSE(writer.wait(1ms));
  gate.open();
  EXPECT_TRUE(writer.wait(10s));
}

TEST(WriterThreadTest, AFullQueueRefusesTasksUntilThereIsRoom) {
  Gate gate;
  std::atomic<int> done = 0;
  WriterThread writer(100);
  writer.add(gate.task(), 60);
  EXPECT_TRUE(writer.try_add(40, [&] { ++done; }));
  EXPECT_FALSE(writer.try_add(1, [&] { ++done; }));
  EXPECT_FALSE(writer.wait_for_room(1, 1ms));
  writer.add([&] { ++done; }, 1);  // final tasks are never refused
  gate.open();
  EXPECT_TRUE(writer.wait_for_room(1, 10s));
  EXPECT_TRUE(writer.wait(10s));
  EXPECT_EQ(done, 2);
  EXPECT_TRUE(writer.try_add(1000, [&] { ++done; })) << "into an empty queue every task fits";
}

TEST(WriterThreadTest, ATaskThatFailsIsReportedAndEndsNoOther) {
  bool done = false;
  WriterThread writer;
  writer.add([] { throw std::runtime_error("the disk is full"); });
  writer.add([&] { done = true; });
  ASSERT_TRUE(writer.wait(10s));
  EXPECT_TRUE(done);
  EXPECT_EQ(writer.take_errors(), std::vector<std::string>{"the disk is full"});
  EXPECT_TRUE(writer.take_errors().empty());
}

// As often as it happens.
TEST(WriterThreadTest, ATaskThatFailsGivesItsRoomBack) {
  WriterThread writer(100);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(writer.try_add(60, [] { throw std::runtime_error("the disk is full"); })) << i;
    ASSERT_TRUE(writer.wait(10s));
    Gate gate;
    ASSERT_TRUE(writer.try_add(40, gate.task())) << i;
    EXPECT_TRUE(writer.try_add(60, [] {})) << i << ": there is all of the room";
    gate.open();
    ASSERT_TRUE(writer.wait(10s));
  }
  EXPECT_EQ(writer.take_errors().size(), 3u);
}

}  // namespace
}  // namespace app
