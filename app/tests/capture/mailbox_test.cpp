// Mailbox. This file is built twice: into app_tests, and alone under ThreadSanitizer (mailbox_tsan_test).
#include "app/capture/mailbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

namespace app::capture {
namespace {

void post(Mailbox<int>& box, int value, std::size_t most = 1) {
  box.slot() = value;
  box.post(most);
}
// From `first` on, so many.
void post_all(Mailbox<int>& box, int first, int count, std::size_t most = 1) {
  for (int i = first; i < first + count; ++i) post(box, i, most);
}

TEST(MailboxTest, IsEmptyAtFirst) {
  Mailbox<int> box;
  EXPECT_EQ(box.take(), nullptr);
  EXPECT_EQ(box.take(std::chrono::milliseconds(1)), nullptr);
  EXPECT_EQ(box.counts().posted, 0u);
}

TEST(MailboxTest, GivesEachPostOnce) {
  Mailbox<int> box;
  for (int i = 0; i < 10; ++i) {
    post(box, i);
    const int* taken = box.take();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(*taken, i);
    EXPECT_EQ(box.take(), nullptr);
  }
  EXPECT_EQ(box.counts().posted, 10u);
  EXPECT_EQ(box.counts().replaced, 0u);
}

TEST(MailboxTest, TheLatestReplacesEarlierOnesWhichAreCounted) {
  Mailbox<int> box;
  post_all(box, 0, 5);
  EXPECT_EQ(*box.take(), 4);
  EXPECT_EQ(box.take(), nullptr);
  EXPECT_EQ(box.counts().posted, 5u);
  EXPECT_EQ(box.counts().replaced, 4u);
}

TEST(MailboxTest, ATakenValueStaysUnchangedUntilTheNextTake) {
  Mailbox<int> box;
  post(box, 1);
  const int* taken = box.take();
  for (int i = 2; i < 9; ++i) {
    post(box, i);
    EXPECT_NE(&box.slot(), taken);
  }
  box.slot() = 99;
  EXPECT_EQ(*taken, 1);
  EXPECT_EQ(*box.take(), 8);
}

TEST(MailboxTest, APatientProducerLosesNothingIfTheConsumerIsALittleLate) {
  Mailbox<int> box;
  box.slot() = 1;
  box.post_patiently(std::chrono::hours(1), {});  // the box is empty: returns at once
  box.slot() = 2;
  std::thread producer([&] { box.post_patiently(std::chrono::hours(1), {}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it most likely waits
  EXPECT_EQ(*box.take(), 1);
  producer.join();
  EXPECT_EQ(*box.take(), 2);
  EXPECT_EQ(box.counts().replaced, 0u);
}

TEST(MailboxTest, WhatIsNotWantedCountsAsNeitherTakenNorReplaced) {
  Mailbox<int> box;
  post(box, 1);
  EXPECT_EQ(box.take({}, [](int value) { return value > 1; }), nullptr);
  post(box, 2);
  EXPECT_EQ(*box.take({}, [](int value) { return value > 1; }), 2);
  post(box, 3);
  box.clear();
  post(box, 4);
  EXPECT_EQ(*box.take(), 4);
  EXPECT_EQ(box.counts().posted, 4u);
  EXPECT_EQ(box.counts().replaced, 0u);
}

TEST(MailboxTest, SeveralMayWaitAndComeInTheirOrder) {
  Mailbox<int> box;
  for (const int first : {0, 100}) {  // twice: the slots are used again
    post_all(box, first, 5, 5);
    EXPECT_EQ(box.counts().replaced, 0u);
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(box.full());
      EXPECT_EQ(*box.take(), first + i);
    }
    EXPECT_FALSE(box.full());
    EXPECT_EQ(box.slots(), 7u);
  }
}

TEST(MailboxTest, WhereMoreWaitThanMayTheOldestAreReplaced) {
  Mailbox<int> box;
  post_all(box, 0, 9, 4);
  EXPECT_EQ(box.counts().replaced, 5u);
  EXPECT_EQ(*box.take(), 5);
  post(box, 9, 2);  // fewer may wait now
  EXPECT_EQ(box.counts().replaced, 5u) << "nobody wants those";
  EXPECT_EQ(*box.take(), 8);
  EXPECT_EQ(*box.take(), 9);
  EXPECT_EQ(box.take(), nullptr);
  post_all(box, 10, 3, 2);
  EXPECT_EQ(box.counts().replaced, 6u) << "again";
}

TEST(MailboxTest, SlotsThatAreNotNeededAnyMoreAreDeleted) {
  Mailbox<std::shared_ptr<int>> box;
  const auto value = std::make_shared<int>(1);
  const auto post = [&](std::size_t most) {
    box.slot() = value;
    box.post(most);
  };
  for (int i = 0; i < 6; ++i) post(6);
  const auto* taken = box.take();
  ASSERT_EQ(box.slots(), 8u);
  for (int i = 0; i < 10; ++i) {
    post(1);
    EXPECT_EQ(*taken, value) << "what is read stays";
  }
  EXPECT_EQ(box.slots(), 3u);
  EXPECT_EQ(value.use_count(), 1 + 3);
  for (int i = 0; i < 6; ++i) post(6);
  for (int i = 0; i < 6; ++i) ASSERT_NE(box.take(), nullptr);
  EXPECT_EQ(box.slots(), 8u);
}

TEST(MailboxTest, OfSeveralThoseThatAreNotWantedAreLeftOut) {
  Mailbox<int> box;
  post_all(box, 0, 5, 5);
  EXPECT_EQ(*box.take({}, [](int value) { return value >= 3; }), 3);
  box.clear();
  EXPECT_EQ(box.take(), nullptr);
  EXPECT_EQ(box.counts().replaced, 0u);
  box.slot() = 7;
  EXPECT_TRUE(box.post_lossless({}));
  EXPECT_EQ(*box.take(), 7);
}

// After each kind of taking that leaves none.
TEST(MailboxTest, WhoWaitsForRoomGoesOnWhenWhatWaitsIsNotWanted) {
  Mailbox<int> box;
  for (const bool clears : {true, false, true}) {
    const auto before = box.counts().posted;
    post(box, 1);
    std::thread producer([&] {
      box.slot() = 2;
      EXPECT_TRUE(box.post_lossless({}));
    });
    while (box.counts().posted < before + 2) {
      if (clears)
        box.clear();
      else
        box.take({}, [](int value) { return value == 2; });
      std::this_thread::yield();
    }
    producer.join();
    if (box.full()) {
      EXPECT_EQ(*box.take(), 2);
    }
    EXPECT_FALSE(box.full());
    EXPECT_EQ(box.counts().replaced, 0u);
  }
}

TEST(MailboxTest, PatienceEnds) {
  Mailbox<int> box;
  post(box, 1);
  box.slot() = 2;
  box.post_patiently(std::chrono::milliseconds(1), {});
  EXPECT_EQ(box.counts().replaced, 1u);
  std::stop_source stop;
  stop.request_stop();
  box.slot() = 3;
  box.post_patiently(std::chrono::hours(1), stop.get_token());
  EXPECT_EQ(*box.take(), 3);
}

TEST(MailboxTest, LosslessPostGivesUpWhenAskedToStop) {
  Mailbox<int> box;
  std::stop_source stop;
  box.slot() = 1;
  EXPECT_TRUE(box.post_lossless(stop.get_token()));
  box.slot() = 2;
  std::thread asker([&] { stop.request_stop(); });
  EXPECT_FALSE(box.post_lossless(stop.get_token()));
  asker.join();
  EXPECT_EQ(*box.take(), 1);
  EXPECT_EQ(box.take(), nullptr);
  EXPECT_EQ(box.counts().posted, 1u);
}

// A value written while it is read has unequal numbers (and ThreadSanitizer reports the race itself).
using Big = std::array<std::uint64_t, 256>;

bool is_whole(const Big& value) {
  for (const auto number : value)
    if (number != value[0]) return false;
  return true;
}

// Takes until `count` values were posted, each by `post`; how many were taken. They are whole, and come in their order.
template <class Post>
std::uint64_t stream(Mailbox<Big>& box, std::uint64_t count, const Post& post) {
  const std::jthread producer([&] {
    for (std::uint64_t i = 1; i <= count; ++i) {
      box.slot().fill(i);
      post(i);
    }
  });
  std::uint64_t last = 0, taken = 0;
  while (last < count) {
    const Big* value = box.take(std::chrono::milliseconds(10));
    if (!value) continue;
    EXPECT_TRUE(is_whole(*value));
    EXPECT_GT((*value)[0], last);
    last = std::max(last, (*value)[0]);
    ++taken;
  }
  return taken;
}

TEST(MailboxTest, ValuesArriveIntactAndInOrderIfTheProducerIsFaster) {
  Mailbox<Big> box;
  constexpr std::uint64_t count = 20'000;
  const auto taken = stream(box, count, [&](auto) { box.post(); });
  EXPECT_EQ(box.counts().posted, count);
  EXPECT_EQ(box.counts().replaced, count - taken);
}

TEST(MailboxTest, ValuesInAQueueArriveIntactAndInOrder) {
  Mailbox<Big> box;
  constexpr std::uint64_t count = 20'000;
  const auto taken = stream(box, count, [&](auto i) { box.post(i % 1000 < 500 ? 8 : 1); });  // slots come and go
  const auto left_out = count - taken - box.counts().replaced;
  EXPECT_LE(left_out, 20 * 8u) << "whenever fewer may wait";
}

TEST(MailboxTest, NothingIsLostIfTheProducerWaits) {
  Mailbox<Big> box;
  EXPECT_EQ(stream(box, 5'000, [&](auto) { EXPECT_TRUE(box.post_lossless({})); }), 5'000u);
  EXPECT_EQ(box.counts().replaced, 0u);
}

}  // namespace
}  // namespace app::capture
