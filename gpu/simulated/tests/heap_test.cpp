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

}  // namespace
}  // namespace gpu::simulated
