// The list of kernels has whatever pictures can launch, in a good order; and the thread that loads them, with a load that the
// tests watch: no GPU is needed.
#include "app/pipeline/kernel_loader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>

#include "app/pipeline/lane.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/checks/check_table.h"
#include "gpu/choice/parameter_search.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/tables/tables.h"

namespace app {
namespace {

using gpu::view_without_memory;

class KernelLoaderListTest : public testing::Test {
 protected:
  KernelLoaderListTest() {
    list_kernels(gpu::Device::cuda, [this](const Kernels& kernels) {
      for (const auto* kernel : kernels)
        if (listed.insert(kernel).second) order.push_back(kernel);
      return true;
    });
  }
  void expect_listed(const gpu::Context& dry, const std::string& what) const {
    for (const auto& launch : dry.launches()) {
      if (launch.kind == gpu::LaunchRecord::Kind::kernel || launch.kind == gpu::LaunchRecord::Kind::clear) {
        EXPECT_TRUE(listed.contains(launch.kernel)) << launch.name << " of " << what;
      }
    }
  }

  std::set<const void*> listed;
  Kernels order;
};

// Sizes at which an algorithm may choose other kernels, and some that nobody thought of.
std::vector<gpu::Size> many_sizes() {
  std::vector<gpu::Size> sizes{{1, 1},       {1, 1000},    {1000, 1},      {2, 2},       {15, 15},     {16, 16},
                               {17, 3},      {64, 64},     {127, 127},     {128, 128},   {129, 129},   {320, 240},
                               {640, 480},   {1024, 1024}, {1280, 720},    {1920, 1080}, {2048, 2048}, {4096, 4096},
                               {3840, 2160}, {7680, 4320}, {16384, 16384}, {9, 9000},    {20000, 7},   {30000, 30000}};
  std::mt19937 random(5);
  for (int i = 0; i < 12; ++i) {
    const auto side = [&] { return static_cast<int>(1 + random() % (i < 6 ? 200 : 8000)); };
    sizes.push_back({side(), side()});
  }
  return sizes;
}

TEST_F(KernelLoaderListTest, HasEveryKernelOfEveryAlgorithm) {
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (algorithm->device != gpu::Device::cuda || !gpu::why_unavailable(*algorithm).empty()) continue;
    for (const auto& arguments : gpu::combinations(gpu::Arguments(algorithm->parameters), {}))
      for (const auto size : many_sizes()) {
        if (size.height > algorithm->most_rows) continue;
        for (const auto type : {gpu::SatType::u8_u32, gpu::SatType::u8_u64}) {
          if (std::ranges::find(algorithm->types, type) == algorithm->types.end()) continue;
          auto dry = gpu::Context::dry(gpu::Device::cuda);
          gpu::compute_sat(dry, *algorithm, view_without_memory(size, gpu::info(type).input),
                           view_without_memory(size, gpu::info(type).sum), arguments);
          expect_listed(dry, std::string(algorithm->name));
        }
        {
          auto dry = gpu::Context::dry(gpu::Device::cuda);
          gpu::TableTargets tables;
          for (auto& table : tables.channels) table = view_without_memory<std::uint32_t>(size);
          gpu::compute_tables(dry, *algorithm, arguments, {.channels = true}, view_without_memory<const gpu::Bgr>(size), {},
                              tables);
          expect_listed(dry, "channels by " + std::string(algorithm->name));
        }
        if (!algorithm->records_tiles) continue;
        auto dry = gpu::Context::dry(gpu::Device::cuda);
        gpu::TileRecorder recorder;
        gpu::compute_sat(dry, *algorithm, view_without_memory<const std::uint8_t>(size),
                         view_without_memory<std::uint32_t>(size), arguments, recorder);
        expect_listed(dry, "traced " + std::string(algorithm->name));
      }
  }
}

gpu::Arguments random_arguments(std::span<const gpu::Parameter> parameters, std::mt19937& random) {
  gpu::Arguments arguments(parameters);
  for (const auto& parameter : parameters) {
    const auto within = [&] {
      const auto steps = static_cast<unsigned>((parameter.maximum - parameter.minimum) / parameter.step);
      const auto value = parameter.minimum + parameter.step * (random() % (steps + 1));
      return parameter.kind == gpu::Parameter::Kind::real ? std::to_string(value) : std::to_string(static_cast<int>(value));
    };
    if (parameter.kind == gpu::Parameter::Kind::file) continue;
    if (!parameter.choices.empty()) {
      const auto choices = gpu::split_choices(parameter.choices);
      arguments.set(parameter.name, choices[random() % choices.size()]);
    } else {
      arguments.set(parameter.name, parameter.kind == gpu::Parameter::Kind::size ? within() + "x" + within() : within());
    }
  }
  return arguments;
}

TEST_F(KernelLoaderListTest, HasEveryKernelOfEveryEffectAndOfTheCheck) {
  std::mt19937 random(3);
  const auto sizes = many_sizes();
  int drawn = 0;
  for (const auto* effect : gpu::all_effects()) {
    std::shared_ptr<const void> prepared;
    for (int i = 0; i < (effect->prepare ? 50 : 2000); ++i) {
      auto selection = selection_of(*gpu::find_sat_algorithm("2r1w"), *effect, gpu::Device::cuda);
      selection.effect_arguments = random_arguments(effect->parameters, random);
      selection.check = i % 2 == 0;
      auto dry = gpu::Context::dry(gpu::Device::cuda);
      try {
        const auto size = sizes[random() % sizes.size()];
        prepared = gpu::prepare_effect(dry, *effect, selection.effect_arguments, size, std::move(prepared));
        replay_lane(dry, size, selection, prepared.get());
        ++drawn;
      } catch (const gpu::ArgumentError&) {  // it does not fit this size
      }
      expect_listed(dry, std::string(effect->name));
    }
  }
  EXPECT_GT(drawn, 5000);
}

TEST_F(KernelLoaderListTest, WhatIsChosenAtFirstComesBeforeOtherParameters) {
  std::set<const void*> initial;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (algorithm->device == gpu::Device::cuda && gpu::why_unavailable(*algorithm).empty())
      for (const auto* effect : gpu::all_effects()) {
        const auto kernels = kernels_of(selection_of(*algorithm, *effect, gpu::Device::cuda), {1920, 1080});
        initial.insert(kernels.begin(), kernels.end());
      }
  EXPECT_LT(initial.size(), listed.size() / 2);
  const auto last = std::ranges::find_if(order.rbegin(), order.rend(),
                                         [&](auto* kernel) { return initial.contains(kernel); });
  const auto place = static_cast<std::size_t>(order.rend() - last);
  EXPECT_LT(place, initial.size() + 20) << "behind kernels that few frames need";
}

TEST_F(KernelLoaderListTest, EndsWhenNobodyTakesMore) {
  int taken = 0;
  list_kernels(gpu::Device::cuda, [&](const Kernels&) { return ++taken < 3; });
  EXPECT_EQ(taken, 3);
}

// What an effect prepares is there when its launches are listed.
TEST(KernelLoaderListOfTest, AnEffectThatPreparesSomethingIsListedWithIt) {
  static const auto* const none = gpu::find_effect("none");
  auto prepared = *none;
  prepared.prepare = [](gpu::Context&, const gpu::Arguments&, gpu::Size, std::shared_ptr<const void>) {
    return std::shared_ptr<const void>(std::make_shared<int>(1));
  };
  prepared.run = [](gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                    const gpu::Arguments& arguments) {
    if (input.prepared) none->run(context, input, output, arguments);
  };
  const auto plain = selection_of("2r1w", "none", gpu::Device::cuda);
  auto selection = plain;
  selection.effect = &prepared;
  EXPECT_EQ(kernels_of(selection, {64, 48}), kernels_of(plain, {64, 48}));
}

TEST(KernelLoaderListOfTest, AreThoseOfTheSelection) {
  EXPECT_TRUE(kernels_of(selection_of("host_serial", "box_blur"), {64, 48}).empty());
  auto plain = selection_of("2r1w", "none", gpu::Device::cuda);
  const auto kernels = kernels_of(plain, {64, 48});
  EXPECT_GT(kernels.size(), 4u);
  EXPECT_GT(kernels_of(plain, {64, 48}, true).size(), kernels.size()) << "tracing has its own";
  auto sides = plain;
  sides.sides = {plain, selection_of("2r2w", "box_blur", gpu::Device::cuda)};
  for (const auto& side : sides.sides)
    for (const auto* kernel : kernels_of(side, {64, 48}))
      EXPECT_NE(std::ranges::count(kernels_of(sides, {64, 48}), kernel), 0) << side.effect->name;
}

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

struct Question {
  Selection selection;
  gpu::Size size;
  bool traced;

  Kernels kernels() const { return kernels_of(selection, size, traced); }
  // It needs a kernel that the other one does not.
  bool needs_more_than(const Question& other) const {
    const auto its = other.kernels();
    return std::ranges::any_of(kernels(), [&](auto* kernel) { return std::ranges::find(its, kernel) == its.end(); });
  }
};

// What is asked for after something else is next, whatever of the question is another one.
TEST(KernelLoaderTest, EachQuestionIsThatOfAFreshLoader) {
  std::vector<std::pair<Question, Question>> turns{
      {{on_gpu("1r1w_skss_lb", "box_blur"), size, false}, {on_gpu("1r1w_skss_lb", "box_blur"), size, true}},
      {{on_gpu("1r1w_skss_lb", "box_blur"), size, false}, {on_gpu("1r1w_skss_lb", "haar"), size, false}},
      {{on_gpu("1r1w_skss_lb", "box_blur"), size, false}, {on_gpu("2r1w", "box_blur"), size, false}}};
  for (const auto* algorithm : gpu::sat_algorithms())
    for (const auto other : {gpu::Size{97, 65}, {3, 2}, {13, 300}, {20000, 700}}) {
      if (algorithm->device != gpu::Device::cuda || !gpu::why_unavailable(*algorithm).empty()) continue;
      const Question usual{on_gpu(algorithm->name, "none"), size, false}, small{usual.selection, other, false};
      if (turns.size() == 3 && small.needs_more_than(usual)) turns.push_back({usual, small});
    }
  ASSERT_EQ(turns.size(), 4u) << "some algorithm has other kernels for other sizes";
  for (const auto& [before, asked] : turns) {
    ASSERT_TRUE(asked.needs_more_than(before));
    Watched watched;
    KernelLoader loader(gpu::Device::cuda, [&] { return watched.load(); });
    loader.begin(on_gpu("2r2w", "none"), {64, 48});
    watched.wait_for(1);
    for (const auto* one : {&before, &asked}) EXPECT_FALSE(loader.have(one->selection, one->size, one->traced));
    watched.open();
    const auto wanted = asked.kernels(), loaded = watched.wait_for(wanted.size() + 1);
    for (const auto* kernel : wanted)
      EXPECT_LE(std::ranges::find(loaded, kernel) - loaded.begin(), std::ssize(wanted)) << asked.selection.effect->name;
  }
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
