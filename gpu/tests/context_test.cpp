// Context on the host and dry: scratch memory, what is timed, what is refused.
#include "gpu/context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "gpu/cuda/launch.h"
#include "gpu/execution/readback.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"
#include "gpu/sat.h"
#include "gpu/tests/refusal.h"

namespace gpu {
namespace {

class ContextHostTest : public testing::Test {
 protected:
  ThreadPool pool{2};
  Buffer<std::byte> memory{4096, Device::host};
};

TEST_F(ContextHostTest, ScratchIsAlignedAndDisjoint) {
  auto context = Context::on_host(pool, memory.span());
  const auto* first = context.scratch<std::uint8_t>(1);
  const auto* second = context.scratch<double>(3);
  const auto* third = context.scratch<std::uint8_t>(257);
  for (const void* data :
       {static_cast<const void*>(first), static_cast<const void*>(second), static_cast<const void*>(third)})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0u);
  EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(second) - first, 256);
  EXPECT_EQ(third - reinterpret_cast<const std::uint8_t*>(second), 256);
  EXPECT_EQ(context.workspace_bytes(), 1024u);
}

TEST_F(ContextHostTest, AMisalignedWorkspaceIsRefused) {
  EXPECT_NO_THROW(Context::on_host(pool, {}));
  EXPECT_NO_THROW(Context::on_host(pool, memory.span().subspan(256)));
  EXPECT_THROW(Context::on_host(pool, memory.span().subspan(128)), std::invalid_argument);
}

static_assert(!std::is_copy_constructible_v<Context> && !std::is_copy_assignable_v<Context>);

// If the image were in the table, entries would be read as pixels.
TEST_F(ContextHostTest, AnImageInsideItsTableIsRefused) {
  auto context = Context::on_host(pool, memory.span());
  float numbers[64] = {};
  const auto compute = [&](int first_pixel, int first_entry) {
    compute_sat(context, *find_sat_algorithm("host_serial"), ImageView<const float>{numbers + first_pixel, 4, 4, 4},
                ImageView<float>{numbers + first_entry, 4, 4, 4}, Arguments());
  };
  EXPECT_NO_THROW(compute(0, 16));
  EXPECT_NO_THROW(compute(16, 0));
  EXPECT_THROW(compute(0, 0), std::invalid_argument);
  EXPECT_THROW(compute(0, 15), std::invalid_argument);
  EXPECT_THROW(compute(15, 0), std::invalid_argument);
}

TEST_F(ContextHostTest, PersistentMemoryIsZeroAtFirstAndThenKept) {
  PersistentMemory kept(Device::host);
  auto dry = Context::dry(Device::host);
  dry.set_persistent(&kept);
  dry.persistent<int>("epochs", 100);
  EXPECT_EQ(dry.workspace_bytes(), 0u);
  EXPECT_EQ(kept.bytes(), 0u);
  kept.reserve();
  EXPECT_EQ(kept.bytes(), 512u);
  for (int run = 0; run < 3; ++run) {
    auto context = Context::on_host(pool, {});  // each run may have its own context
    context.set_persistent(&kept);
    EXPECT_EQ(context.persistent<int>("epochs", 100)[99]++, run);
  }
  kept.invalidate();
  auto context = Context::on_host(pool, {});
  context.set_persistent(&kept);
  EXPECT_EQ(context.persistent<int>("epochs", 100)[99], 0);
}

// A run that may come must not make the one fail that does.
TEST_F(ContextHostTest, PersistentMemoryAheadOfARunMayBeMissing) {
  constexpr std::size_t huge = std::size_t{1} << 60;
  PersistentMemory kept(Device::host), ahead(Device::host);
  ahead.note("huge", huge);
  ahead.note("needed", 512);
  ahead.note("small", 256);
  kept.note_ahead(ahead);
  kept.note("needed", 512);
  EXPECT_EQ(kept.noted_bytes(), huge + 512 + 256);
  EXPECT_EQ(kept.noted_bytes_with(ahead), huge + 512 + 256) << "what both need is counted once";
  EXPECT_NO_THROW(kept.reserve());
  EXPECT_EQ(kept.bytes(), 512u + 256u);
  EXPECT_EQ(kept.noted_bytes(), 512u + 256u);
  EXPECT_EQ(kept.noted_bytes_with(ahead), huge + 512 + 256);
  kept.note_ahead(ahead);
  kept.note("huge", huge);  // now it is needed
  EXPECT_THROW(kept.reserve(), std::bad_alloc);
  EXPECT_NE(kept.find("needed", 512), nullptr);
}

// Whoever may come besides changes nothing of that.
TEST_F(ContextHostTest, PersistentMemoryThatIsNeededStaysNeeded) {
  constexpr std::size_t huge = std::size_t{1} << 60;
  PersistentMemory others(Device::host);
  others.note("huge", huge);
  PersistentMemory noted_first(Device::host), noted_last(Device::host), by_others(Device::host);
  noted_first.note("huge", huge);
  noted_first.note_ahead(others);
  noted_last.note_ahead(others);
  noted_last.note("huge", huge);
  by_others.note_ahead(others);
  by_others.note(others);
  for (auto* kept : {&noted_first, &noted_last, &by_others}) {
    EXPECT_EQ(kept->noted_bytes(), huge);
    EXPECT_THROW(kept->reserve(), std::bad_alloc);
  }
  // What is there is neither allocated again nor cleared again.
  PersistentMemory kept(Device::host);
  kept.note("epochs", 256);
  kept.reserve();
  auto* const piece = kept.find("epochs", 256);
  piece->cleared = true;
  auto* const data = piece->memory.data();
  kept.note("others", 512);
  kept.note("epochs", 256);
  kept.reserve();
  EXPECT_EQ(kept.find("epochs", 256)->memory.data(), data);
  EXPECT_TRUE(kept.find("epochs", 256)->cleared);
  EXPECT_FALSE(kept.find("others", 512)->cleared);
}

// Whatever was noted before it and after it is allocated by the next reserve(), once it is noted again.
TEST_F(ContextHostTest, PersistentMemoryThatDoesNotFitIsForgotten) {
  PersistentMemory kept(Device::host);
  kept.note("small", 256);
  kept.note("huge", std::size_t{1} << 60);
  kept.note("later", 512);
  EXPECT_EQ(kept.noted_bytes(), 256 + (std::size_t{1} << 60) + 512);
  EXPECT_THROW(kept.reserve(), std::bad_alloc);
  EXPECT_EQ(kept.noted_bytes(), 256u);
  EXPECT_EQ(kept.bytes(), 256u);
  kept.note("later", 512);
  EXPECT_NO_THROW(kept.reserve());
  EXPECT_EQ(kept.bytes(), 768u);
  EXPECT_NE(kept.find("later", 512), nullptr);
  EXPECT_EQ(kept.find("huge", std::size_t{1} << 60), nullptr);
}

TEST_F(ContextHostTest, PersistentMemoryOfADifferentSizeIsAnother) {
  PersistentMemory kept(Device::host);
  kept.note("epochs", 256);
  kept.reserve();
  auto context = Context::on_host(pool, memory.span());
  context.set_persistent(&kept);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(context.persistent<int>("epochs", 64)[0]++, run);
    EXPECT_EQ(context.persistent<int>("epochs", 65)[0]++, 0);
  }
}

TEST_F(ContextHostTest, ScratchOfAScopeIsReleased) {
  auto context = Context::on_host(pool, memory.span());
  const auto* kept = context.scratch<int>(1);
  const void* inner = nullptr;
  {
    const Context::ScratchScope scope(context);
    inner = context.scratch<int>(200);
    context.scratch<int>(1);
  }
  EXPECT_EQ(static_cast<const void*>(context.scratch<int>(1)), inner);
  EXPECT_NE(static_cast<const void*>(kept), inner);
  EXPECT_EQ(context.workspace_bytes(), 256u + 1024 + 256) << "the most held at once";
}

TEST_F(ContextHostTest, TooSmallAWorkspaceIsReportedWithBothSizes) {
  auto context = Context::on_host(pool, memory.span());
  context.scratch<std::byte>(4096);
  EXPECT_EQ(test::refusal_of<std::exception>([&] { context.scratch<std::byte>(1); }),
            "workspace of 4096 bytes is too small: 4352 needed");
  EXPECT_THROW(context.scratch<std::byte>(1), std::length_error);
}

TEST_F(ContextHostTest, WithoutMemoryThatPersistsEveryRunStartsWithZeros) {
  std::memset(memory.data(), 0xCD, memory.size());
  auto context = Context::on_host(pool, memory.span());
  const auto* data = context.persistent<std::uint32_t>("cleared", 100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(data[i], 0u);
  EXPECT_EQ(static_cast<unsigned char>(memory.data()[512]), 0xCD) << "cleared more than what is held";
}

TEST_F(ContextHostTest, ParallelRunsAndIsTimed) {
  Timeline timeline(host_clock());
  auto context = Context::on_host(pool, memory.span(), &timeline);
  std::atomic<int> parts{0};
  timeline.begin_frame();
  context.parallel("work", 5, [&](int) { ++parts; });
  context.group("both", [&] {
    context.parallel("one", 1, [&](int) { ++parts; });
    context.parallel("two", 1, [&](int) { ++parts; });
  });
  timeline.end_frame();
  EXPECT_EQ(parts, 7);
  const auto frame = timeline.take();
  ASSERT_TRUE(frame);
  std::string paths;
  for (const auto& span : frame->spans) paths += frame->path(span) + (span.timed ? " timed\n" : "\n");
  EXPECT_EQ(paths, "work timed\nboth timed\nboth/one\nboth/two\n");
}

TEST_F(ContextHostTest, ADryReplayCountsTheSpansOfATimeline) {
  const auto work = [](Context& context) {
    context.parallel("work", 5, [](int) {});
    context.group("both", [&] {
      context.parallel("one", 1, [](int) {});
      context.group("none", [] {});
      context.persistent<int>("cleared", 3);
    });
  };
  auto dry = Context::dry(Device::host);
  work(dry);
  Timeline timeline(host_clock());
  auto context = Context::on_host(pool, memory.span(), &timeline);
  timeline.begin_frame();
  work(context);
  timeline.end_frame();
  EXPECT_EQ(dry.spans(), 5);
  EXPECT_EQ(timeline.take()->spans.size(), 5u);
}

TEST_F(ContextHostTest, CopiesPixelsAndNotThePadding) {
  std::uint8_t from[] = {1, 2, 3, 9, 4, 5, 6, 9}, to[10] = {};
  auto context = Context::on_host(pool, memory.span());
  context.copy<std::uint8_t>("copy", ImageView<const std::uint8_t>{from, 3, 2, 4}, ImageView<std::uint8_t>{to, 3, 2, 5});
  const std::uint8_t expected[] = {1, 2, 3, 0, 0, 4, 5, 6, 0, 0};
  EXPECT_EQ(std::memcmp(to, expected, sizeof to), 0);
}

TEST_F(ContextHostTest, RefusesKernels) {
  auto context = Context::on_host(pool, memory.span());
  EXPECT_THROW(context.launch("kernel", static_cast<void (*)(int)>(nullptr), {dim3(1), dim3(1)}, 1), std::logic_error);
}

TEST(ContextDeviceTest, RefusesHostWork) {
  auto context = Context::on_stream(nullptr, {});
  EXPECT_THROW(context.parallel("work", 1, [](int) {}), std::logic_error);
}

TEST(ContextDryTest, RecordsAndDoesNothing) {
  auto context = Context::dry(Device::cuda);
  EXPECT_TRUE(context.is_dry());
  context.persistent<int>("cleared", 1000);
  context.launch("kernel", static_cast<void (*)(int)>(nullptr), {dim3(3, 2), dim3(64), 1000}, 1);
  context.launch("no blocks", static_cast<void (*)(int)>(nullptr), {dim3(0, 2), dim3(64)}, 1);
  context.call("library", [](cudaStream_t) { ADD_FAILURE() << "a dry context called"; });
  ASSERT_EQ(context.launches().size(), 3u);
  EXPECT_EQ(context.launches()[0].kind, LaunchRecord::Kind::clear);
  EXPECT_EQ(context.launches()[0].kernel, clear_kernel());
  EXPECT_EQ(context.launches()[1].name, "kernel");
  EXPECT_EQ(context.launches()[1].shape.grid.x, 3u);
  EXPECT_EQ(context.launches()[1].shape.grid.y, 2u);
  EXPECT_EQ(context.launches()[1].shape.block.x, 64u);
  EXPECT_EQ(context.launches()[1].shape.shared_bytes, 1000u);
  EXPECT_EQ(context.launches()[2].kind, LaunchRecord::Kind::library);
  EXPECT_EQ(context.workspace_bytes(), 4096u);
}

TEST(ContextDryTest, WorkOfNoPartsIsNone) {
  auto host = Context::dry(Device::host, 2);
  for (const int parts : {0, -1}) host.parallel("work", parts, [](int) {});
  EXPECT_TRUE(host.launches().empty());
  host.parallel("work", 1, [](int) {});
  EXPECT_EQ(host.launches().size(), 1u);
}

// Memory of a dry context does not exist.
TEST(ContextDryTest, AReadbackCopiesNothing) {
  Readback readback(Device::host, sizeof(int));
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  const int number = 42;
  readback.queue(context, "number", &number, sizeof number);
  for (const auto device : {Device::host, Device::cuda}) {
    auto dry = Context::dry(device);
    readback.queue(dry, "number", dry.scratch<int>(1), sizeof(int));
    ASSERT_EQ(dry.launches().size(), 1u);
    EXPECT_EQ(dry.launches()[0].name, "number");
  }
  const int two[2] = {1, 2};
  EXPECT_THROW(readback.queue(context, "numbers", two, sizeof two), std::length_error);
  EXPECT_TRUE(readback.arrived());
  int read = 0;
  std::memcpy(&read, readback.bytes().data(), sizeof read);
  EXPECT_EQ(read, number);
}

// A host algorithm divides its scratch memory among its threads (sat_matrix.h compares the workspace of dry replays and runs).
TEST(ContextDryTest, HasTheIntendedThreads) {
  for (const int threads : {1, 2, 7})
    EXPECT_EQ(Context::dry(Device::host, threads).threads(), ThreadPool(threads).threads());
  EXPECT_EQ(Context::dry(Device::host).threads(), ThreadPool::thread_count(0));
}

}  // namespace
}  // namespace gpu
