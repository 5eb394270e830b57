// A limited address space is distinguished from a lack of memory.
#include "gpu/simulated/heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace gpu::simulated {
namespace {

[[noreturn]] void make_heap_under_limit() {
  const rlimit limit{rlim_t{8} << 30, rlim_t{8} << 30};
  setrlimit(RLIMIT_AS, &limit);
  try {
    const Heap heap;
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

TEST(HeapTest, NamesTheLimitThatForbidsIt) {
  EXPECT_EXIT(make_heap_under_limit(), testing::ExitedWithCode(1),
              "reserves 256 GiB of addresses, which this system's limit forbids: raise ulimit -v");
}

// Room that was released is used again, but not all of a large one for a little.
TEST(HeapTest, ReusesRoomOfAboutTheSameSize) {
  Heap heap;
  void* const large = heap.allocate(1 << 20);
  ASSERT_TRUE(heap.release(large));
  EXPECT_NE(heap.allocate(1), large);
  EXPECT_EQ(heap.allocate((1 << 20) - 4096), large);
}

// All of it is free again, also if it was more than was asked for.
TEST(HeapTest, RoomKeepsItsSize) {
  Heap heap;
  void* const whole = heap.allocate(1 << 20);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(heap.release(whole));
    ASSERT_EQ(heap.allocate((1 << 20) - 40 * 4096), whole);
    ASSERT_TRUE(heap.release(whole));
    ASSERT_EQ(heap.allocate(1 << 20), whole);
  }
  EXPECT_TRUE(heap.release(whole));
  EXPECT_FALSE(heap.release(whole)) << "it is released";
}

TEST(HeapTest, WhatDoesNotFitIsNoMemory) {
  Heap heap;
  for (const auto bytes : {~std::size_t{0}, ~std::size_t{0} - 5000, std::size_t{256} << 30})
    EXPECT_EQ(heap.allocate(bytes), nullptr) << bytes;
  EXPECT_NE(heap.allocate(1), nullptr);
}

TEST(HeapTest, FindsTheAllocationsAroundAnAddress) {
  Heap heap;
  auto* const first = static_cast<std::byte*>(heap.allocate(100));
  auto* const second = static_cast<std::byte*>(heap.allocate(200));
  ASSERT_LT(first, second);
  EXPECT_FALSE(heap.at_or_before(first - 1));
  EXPECT_EQ(heap.first_after(first - 1)->data, first);
  for (const auto* at : {first, first + 50, second - 1}) {
    EXPECT_EQ(heap.at_or_before(at)->data, first);
    EXPECT_EQ(heap.at_or_before(at)->bytes, 100u);
    EXPECT_EQ(heap.first_after(at)->data, second);
  }
  EXPECT_EQ(heap.at_or_before(second)->bytes, 200u);
  EXPECT_FALSE(heap.first_after(second));
  EXPECT_EQ(heap.allocations().size(), 2u);
  heap.release(first);
  EXPECT_FALSE(heap.at_or_before(second - 1));
  EXPECT_EQ(heap.allocations().size(), 1u);
}

}  // namespace
}  // namespace gpu::simulated
