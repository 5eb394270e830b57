// The thread that loads kernels, with a load that the tests watch: no GPU is needed.
#include "app/pipeline/kernel_loader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>

#include "app/tests/pipeline/frames.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr gpu::Size size{1920, 1080};

// What was loaded, in its order. While it is closed, a load does not end.
class Watched {
 public:
  KernelLoader::Load load() {
    return [this](const void* kernel) {
      std::unique_lock lock(mutex_);
      loaded_.push_back(kernel);
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
    };
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  Kernels wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return loaded_.size() >= count; }));
    return loaded_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Kernels loaded_;
  bool open_ = false;
};

Selection on_gpu(std::string_view algorithm, std::string_view effect) {
  return selection_of(algorithm, effect, gpu::Device::cuda);
}

TEST(KernelLoaderTest, LoadsTheChosenOnesFirstThenAllOthersEachOnce) {
  Watched watched;
  watched.open();
  KernelLoader loader(gpu::Device::cuda, [&] { return watched.load(); });
  const auto chosen = on_gpu("1r1w", "haar");
  loader.begin(chosen, size);
  std::set<const void*> all;
  list_kernels(gpu::Device::cuda, [&](const Kernels& kernels) { return all.insert(kernels.begin(), kernels.end()), true; });
  const auto loaded = watched.wait_for(all.size());
  EXPECT_EQ(loaded.size(), all.size());
  EXPECT_EQ((std::set<const void*>(loaded.begin(), loaded.end())), all);
  const auto first = kernels_of(chosen, size);
  EXPECT_TRUE(std::ranges::equal(first, std::span(loaded).first(first.size())));
  EXPECT_TRUE(comes_true([&] { return loader.have(on_gpu("2r2w", "none"), size, true); }));
}

// Where nobody chooses, loading others would only disturb what is timed.
TEST(KernelLoaderTest, LoadsTheChosenOnesAloneWhereNoOthersAreWanted) {
  Watched watched;
  watched.open();
  std::weak_ptr<int> loads;  // as long as the thread does
  KernelLoader loader(gpu::Device::cuda, [&] {
    const auto kept = std::make_shared<int>();
    loads = kept;
    return [kept, load = watched.load()](const void* kernel) { load(kernel); };
  });
  const auto chosen = on_gpu("1r1w", "haar"), other = on_gpu("2r2w", "none");
  loader.begin(chosen, size, false);
  watched.wait_for(1);
  EXPECT_TRUE(comes_true([&] { return loads.expired(); }));
  EXPECT_EQ(watched.wait_for(0), kernels_of(chosen, size));
  EXPECT_TRUE(comes_true([&] { return loader.have(other, size, false); })) << "their first launch loads them";
}

TEST(KernelLoaderTest, WhatIsAskedForIsNext) {
  Watched watched;
  KernelLoader loader(gpu::Device::cuda, [&] { return watched.load(); });
  loader.begin(on_gpu("1r1w", "none"), size);
  EXPECT_EQ(watched.wait_for(1).size(), 1u);
  const auto asked = on_gpu("2r2w", "box_blur");
  EXPECT_FALSE(loader.have(asked, size, false));
  watched.open();
  const auto wanted = kernels_of(asked, size);
  const auto loaded = watched.wait_for(wanted.size() + 1);
  for (const auto* kernel : wanted) EXPECT_LE(std::ranges::find(loaded, kernel) - loaded.begin(), std::ssize(wanted));
  EXPECT_TRUE(comes_true([&] { return loader.have(asked, size, false); }));
}

TEST(KernelLoaderTest, WhatOnlyATraceNeedsIsNextToo) {
  Watched watched;
  KernelLoader loader(gpu::Device::cuda, [&] { return watched.load(); });
  loader.begin(on_gpu("2r2w", "none"), size);
  watched.wait_for(1);
  const auto asked = on_gpu("1r1w_skss_lb", "none");
  const auto wanted = kernels_of(asked, size, true);
  ASSERT_GT(wanted.size(), kernels_of(asked, size, false).size());
  EXPECT_FALSE(loader.have(asked, size, false));
  EXPECT_FALSE(loader.have(asked, size, true));
  watched.open();
  const auto loaded = watched.wait_for(wanted.size() + 1);
  for (const auto* kernel : wanted) EXPECT_LE(std::ranges::find(loaded, kernel) - loaded.begin(), std::ssize(wanted));
}

// A lost GPU: nothing is loaded any more, and nobody waits.
TEST(KernelLoaderTest, EndsWithTheFirstError) {
  int attempts = 0;
  KernelLoader loader(gpu::Device::cuda, [&] {
    return [&](const void*) {
      ++attempts;
      throw std::runtime_error("the GPU is lost");
    };
  });
  loader.begin(on_gpu("1r1w", "none"), size);
  EXPECT_TRUE(comes_true([&] { return loader.have(on_gpu("2r2w", "none"), size, false); }));
  EXPECT_EQ(attempts, 1);
}

TEST(KernelLoaderTest, StopsAfterTheKernelThatIsBeingLoaded) {
  Watched watched;
  {
    KernelLoader loader(gpu::Device::cuda, [&] { return watched.load(); });
    loader.begin(on_gpu("1r1w", "none"), size);
    watched.wait_for(1);
    loader.stop();
    watched.open();
    EXPECT_TRUE(comes_true([&] { return loader.have(on_gpu("2r2w", "none"), size, false); }));
  }
  EXPECT_EQ(watched.wait_for(1).size(), 1u);
}

// In a process of its own, without memory for another thread's stack.
TEST(KernelLoaderTest, WithoutAThreadNothingIsLoadedAndNobodyWaits) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more memory than any limit";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    KernelLoader loader(gpu::Device::cuda, []() -> KernelLoader::Load { std::_Exit(2); });
    const auto chosen = on_gpu("1r1w", "none");
    kernels_of(chosen, size);  // leaves memory for the next time
    const rlimit none{1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &none);
    loader.begin(chosen, size);
    std::_Exit(loader.have(chosen, size, false) ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace app
