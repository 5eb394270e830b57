// The list of kernels has whatever pictures can launch, in a good order. The thread that loads them, with a load that the tests
// watch: no GPU is needed; and that builds what effects build once, one after another.
#include "app/pipeline/preloader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include "app/pipeline/lane.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/checks/verify.h"
#include "gpu/choice/tune.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/tables/tables.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

using gpu::view_without_memory;

class KernelListTest : public testing::Test {
 protected:
  KernelListTest() {
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

TEST_F(KernelListTest, HasEveryKernelOfEveryAlgorithm) {
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

TEST_F(KernelListTest, HasEveryKernelOfEveryEffectAndOfTheCheck) {
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

TEST_F(KernelListTest, WhatIsChosenAtFirstComesBeforeOtherParameters) {
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

TEST_F(KernelListTest, EndsWhenNobodyTakesMore) {
  int taken = 0;
  list_kernels(gpu::Device::cuda, [&](const Kernels&) { return ++taken < 3; });
  EXPECT_EQ(taken, 3);
}

// What an effect prepares is there when its launches are listed.
TEST(KernelListOfTest, AnEffectThatPreparesSomethingIsListedWithIt) {
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

TEST(KernelListOfTest, AreThoseOfTheSelection) {
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

KernelLoader loading(Watched& watched) {
  return {gpu::Device::cuda, [&] { return watched.load(); }};
}

Selection on_gpu(std::string_view algorithm, std::string_view effect) {
  return selection_of(algorithm, effect, gpu::Device::cuda);
}

// A loader that has begun with this selection, and waits in its first kernel.
struct Begun {
  explicit Begun(const Selection& selection) : loader(loading(watched)) {
    loader.begin(selection);
    EXPECT_EQ(watched.wait_for(1).size(), 1u);
  }
  // It goes on: these kernels are next, in any order.
  void expect_next(const Kernels& wanted) {
    watched.open();
    const auto loaded = watched.wait_for(wanted.size() + 1);
    for (const auto* kernel : wanted) EXPECT_LE(std::ranges::find(loaded, kernel) - loaded.begin(), std::ssize(wanted));
  }
  Watched watched;
  Preloader loader;
};

Selection faces_with(const std::string& cascade) {
  const auto* effect = gpu::find_effect("faces");
  gpu::Arguments arguments(effect->parameters);
  arguments.set("cascade", cascade);
  return {nullptr, {}, effect, arguments, TimingChoice::off, gpu::Device::host};
}

TEST(PreloaderKernelsTest, LoadsTheChosenOnesFirstThenAllOthersEachOnce) {
  Watched watched;
  watched.open();
  Preloader loader(loading(watched));
  const auto chosen = on_gpu("1r1w", "haar");
  loader.begin(chosen);
  std::set<const void*> all;
  list_kernels(gpu::Device::cuda, [&](const Kernels& kernels) { return all.insert(kernels.begin(), kernels.end()), true; });
  const auto loaded = watched.wait_for(all.size());
  EXPECT_EQ(loaded.size(), all.size());
  EXPECT_EQ((std::set<const void*>(loaded.begin(), loaded.end())), all);
  const auto first = kernels_of(chosen, size);
  EXPECT_TRUE(std::ranges::equal(first, std::span(loaded).first(first.size())));
  EXPECT_TRUE(comes_true([&] { return loader.has_kernels(on_gpu("2r2w", "none"), size, true); }));
}

// Where nobody chooses, loading others would only disturb what is timed.
TEST(PreloaderKernelsTest, LoadsTheChosenOnesAloneWhereNoOthersAreWanted) {
  Watched watched;
  watched.open();
  std::weak_ptr<int> loads;  // as long as the thread does
  Preloader loader(KernelLoader{gpu::Device::cuda, [&] {
                                  const auto kept = std::make_shared<int>();
                                  loads = kept;
                                  return [kept, load = watched.load()](const void* kernel) { load(kernel); };
                                }});
  const auto chosen = on_gpu("1r1w", "haar"), other = on_gpu("2r2w", "none");
  loader.begin(chosen, false);
  watched.wait_for(1);
  EXPECT_TRUE(comes_true([&] { return loads.expired(); }));
  EXPECT_EQ(watched.wait_for(0), kernels_of(chosen, size));
  EXPECT_TRUE(comes_true([&] { return loader.has_kernels(other, size, false); })) << "their first launch loads them";
}

TEST(PreloaderKernelsTest, WhatIsAskedForIsNext) {
  Begun begun(on_gpu("1r1w", "none"));
  auto& loader = begun.loader;
  const auto asked = on_gpu("2r2w", "box_blur");
  EXPECT_FALSE(loader.has_kernels(asked, size, false));
  begun.expect_next(kernels_of(asked, size));
  EXPECT_TRUE(comes_true([&] { return loader.has_kernels(asked, size, false); }));
}

TEST(PreloaderKernelsTest, WhatOnlyATraceNeedsIsNextToo) {
  Begun begun(on_gpu("2r2w", "none"));
  const auto asked = on_gpu("1r1w_skss_lb", "none");
  const auto wanted = kernels_of(asked, size, true);
  ASSERT_GT(wanted.size(), kernels_of(asked, size, false).size());
  for (const bool traced : {false, true}) EXPECT_FALSE(begun.loader.has_kernels(asked, size, traced));
  begun.expect_next(wanted);
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
TEST(PreloaderKernelsTest, EachQuestionIsThatOfAFreshLoader) {
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
    SCOPED_TRACE(asked.selection.effect->name);
    Begun begun(on_gpu("2r2w", "none"));
    for (const auto* one : {&before, &asked}) EXPECT_FALSE(begun.loader.has_kernels(one->selection, one->size, one->traced));
    begun.expect_next(asked.kernels());
  }
}

// A lost GPU: nothing is loaded any more, and nobody waits.
TEST(PreloaderKernelsTest, EndsWithTheFirstError) {
  int attempts = 0;
  Preloader loader(KernelLoader{gpu::Device::cuda, [&] {
                                  return [&](const void*) {
                                    ++attempts;
                                    throw std::runtime_error("the GPU is lost");
                                  };
                                }});
  loader.begin(on_gpu("1r1w", "none"));
  EXPECT_TRUE(comes_true([&] { return loader.has_kernels(on_gpu("2r2w", "none"), size, false); }));
  EXPECT_EQ(attempts, 1);
}

// The program ends, or the GPU is lost.
TEST(PreloaderKernelsTest, EndsAfterTheKernelThatIsBeingLoadedWhenItIsToldTo) {
  for (const bool stops : {true, false}) {
    Begun begun(on_gpu("1r1w", "none"));
    auto& loader = begun.loader;
    const auto has_others = [&] { return loader.has_kernels(on_gpu("2r2w", "none"), size, false); };
    if (stops) {
      loader.stop();
      begun.watched.open();
      EXPECT_TRUE(comes_true(has_others));
    } else {
      EXPECT_FALSE(has_others());
      loader.end_kernels();
      EXPECT_TRUE(has_others()) << "nobody waits";
      begun.watched.open();
      const auto file = faces_with("frontalface_default"), other = faces_with("frontalface_alt2");
      EXPECT_TRUE(comes_true([&] { return loader.has_files(file, other); })) << "files are read all the same";
    }
    EXPECT_EQ(begun.watched.wait_for(1).size(), 1u);
  }
}

// In a process of its own, without memory for another thread's stack.
TEST(PreloaderKernelsTest, WithoutAThreadNothingIsLoadedAndNobodyWaits) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more memory than any limit";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    Preloader loader(KernelLoader{gpu::Device::cuda, []() -> KernelLoader::Load { std::_Exit(2); }});
    const auto chosen = on_gpu("1r1w", "none");
    kernels_of(chosen, size);  // leaves memory for the next time
    const rlimit none{1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &none);
    loader.begin(chosen);
    std::_Exit(loader.has_kernels(chosen, size, false) ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

// Cascades in a folder of their own.
struct CascadeFiles {
  explicit CascadeFiles(std::initializer_list<const char*> file_names) {
    for (const char* name : file_names) add(name);
  }
  const std::string& add(const std::string& name) {
    names.push_back((folder.path() / name).string());
    std::ofstream(names.back()) << gpu::vision::new_format_text(gpu::vision::small_cascade());
    return names.back();
  }
  static long users(const std::string& name) { return gpu::vision::find_shared_cascade(name).use_count(); }
  TemporaryFolder folder;
  std::vector<std::string> names;
};

// Those that are loaded ahead take long: what a choice waits for comes between them.
TEST(PreloaderFilesTest, AFileIsReadBetweenKernels) {
  const auto chosen = on_gpu("1r1w", "none");
  const auto first = kernels_of(chosen, size).size();
  std::promise<void> gates[2];  // of the kernel after those that are chosen, and of all after it
  const std::shared_future<void> opened[] = {gates[0].get_future(), gates[1].get_future()};
  std::atomic<std::size_t> loads = 0;
  Preloader loader(KernelLoader{gpu::Device::cuda, [&] {
                                  return [&](const void*) {
                                    if (++loads > first) opened[loads > first + 1].wait();
                                  };
                                }});
  loader.begin(chosen);
  const auto file = faces_with("frontalface_default"), other = faces_with("frontalface_alt2");
  EXPECT_TRUE(comes_true([&] { return loads == first + 1; }));
  EXPECT_FALSE(loader.has_files(file, other));
  gates[0].set_value();
  EXPECT_TRUE(comes_true([&] { return loader.has_files(file, other); }));
  gates[1].set_value();
}

TEST(PreloaderFilesTest, WhatEffectsAreFromTheStartIsBuiltAndStays) {
  const auto bundled = gpu::vision::find_shared_cascade(gpu::vision::bundled_cascade);
  const auto users = bundled.use_count();
  Preloader preloader;
  const auto faces = faces_with("frontalface_default"), other = faces_with("frontalface_alt2");
  ASSERT_FALSE(preloader.has_files(faces, other)) << "it is begun";
  for (int i = 0; i < 2; ++i) {
    preloader.begin(selection_of("host_serial", "none"));
    ASSERT_TRUE(comes_true([&] { return preloader.has_files(faces, other); }));
    ASSERT_TRUE(comes_true([&] { return bundled.use_count() > users; }));
  }
}

TEST(PreloaderFilesTest, NothingIsBuiltAheadWhereNothingElseIsWanted) {
  const auto bundled = gpu::vision::find_shared_cascade(gpu::vision::bundled_cascade);
  const auto users = bundled.use_count();
  Preloader preloader;
  preloader.begin(selection_of("host_serial", "none"), false);
  const auto faces = faces_with("frontalface_default"), other = faces_with("frontalface_alt2");
  ASSERT_TRUE(comes_true([&] { return preloader.has_files(faces, other); }));
  EXPECT_EQ(bundled.use_count(), users);
}

// More files than are kept, each chosen again later.
TEST(PreloaderFilesTest, TheFilesChosenLastAreKept) {
  CascadeFiles cascades{};
  for (int i = 0; i < 12; ++i) cascades.add(std::to_string(i) + ".xml");
  const auto& files = cascades.names;
  Preloader preloader;
  const auto bundled = gpu::vision::find_shared_cascade(gpu::vision::bundled_cascade);
  const auto users = bundled.use_count();
  preloader.begin(selection_of("host_serial", "none"));
  ASSERT_TRUE(comes_true([&] { return bundled.use_count() > users; }));
  const auto none = faces_with("frontalface_alt2");
  const auto choose = [&](const std::string& file) {  // true: it was there
    const auto faces = faces_with(file);
    const bool there = preloader.has_files(faces, none);
    for (int i = 0; i < 100 && !preloader.has_files(faces, none); ++i) preloader.wait(100ms);
    EXPECT_TRUE(preloader.has_files(faces, none)) << file;
    return there;
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto& file : files) EXPECT_FALSE(choose(file)) << round << ": " << file;
    for (std::size_t i = 5; i < files.size(); ++i) EXPECT_TRUE(choose(files[i])) << round << ": " << i;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(CascadeFiles::users(files[i]), 1) << "nobody keeps it";
  }
  EXPECT_GT(bundled.use_count(), users) << "what effects are from the start stays";
}

// What is chosen first waits for kernels; what a script will choose can wait.
TEST(PreloaderFilesTest, KernelsComeBeforeFilesThatAreExpected) {
  const CascadeFiles cascades{"later.xml"};
  const auto& file = cascades.names[0];
  std::atomic<bool> too_early = false;
  Preloader loader(KernelLoader{gpu::Device::cuda, [&] {
                                  too_early = CascadeFiles::users(file) > 1;
                                  return [](const void*) {};
                                }});
  loader.expect(std::vector<Change>{{"faces.cascade", file}});
  loader.begin(on_gpu("1r1w", "none"));
  EXPECT_TRUE(comes_true([&] { return CascadeFiles::users(file) > 1; }));
  EXPECT_FALSE(too_early);
}

// Each was read ahead by itself, and an effect of both is chosen.
TEST(PreloaderFilesTest, AnEffectOfTwoFilesFindsThemWhereEachWasReadAlone) {
  const CascadeFiles cascades{"cascade.xml", "inside.xml", "later.xml"};
  const auto& files = cascades.names;
  Preloader preloader;
  preloader.expect(std::vector<Change>{{"faces.cascade", files[0]}, {"faces.inside", files[1]}, {"cascade", files[2]}});
  preloader.begin(selection_of("host_serial", "none"));
  ASSERT_TRUE(comes_true([&] { return CascadeFiles::users(files[2]) > 1; })) << "after the others";
  auto both = faces_with(files[0]);
  both.effect_arguments.set("inside", files[1]);
  EXPECT_TRUE(preloader.has_files(both, faces_with("frontalface_alt2")));
}

// A script that goes to and fro between two files names them again and again.
TEST(PreloaderFilesTest, AFileThatIsExpectedOftenTakesRoomOnce) {
  const CascadeFiles cascades{"a.xml", "b.xml", "c.xml"};
  const auto& files = cascades.names;
  std::vector<Change> changes;
  for (int i = 0; i < 20; ++i) changes.push_back({"faces.cascade", files[static_cast<std::size_t>(i % 2)]});
  changes.push_back({"faces.cascade", files[2]});
  Preloader preloader;
  preloader.expect(changes);
  preloader.begin(selection_of("host_serial", "none"));
  EXPECT_TRUE(comes_true([&] { return CascadeFiles::users(files[2]) > 1; }));
}

// A script names its files ahead: they are there when it sets them.
TEST(PreloaderFilesTest, FilesThatAreExpectedAreReadAheadOneAfterAnother) {
  const CascadeFiles cascades{"a.xml", "b.xml", "other.xml", "unnamed.xml"};
  const auto& files = cascades.names;
  const auto none = faces_with("frontalface_alt2");
  Preloader preloader;
  preloader.expect(std::vector<Change>{{"faces.cascade", files[0]},
                                       {"cascade", files[1]},
                                       {"box_blur.cascade", files[2]},
                                       {"faces.window", files[2]},
                                       {"faces.cascade", "no such name"}});
  EXPECT_EQ(CascadeFiles::users(files[0]), 1) << "nothing was chosen yet";
  preloader.begin(selection_of("host_serial", "none"));
  for (const int i : {0, 1}) EXPECT_TRUE(comes_true([&] { return CascadeFiles::users(files[i]) > 1; })) << i;
  EXPECT_TRUE(comes_true([&] { return preloader.has_files(faces_with(files[1]), none); }));
  EXPECT_TRUE(preloader.has_files(faces_with(files[0]), none));
  EXPECT_EQ(CascadeFiles::users(files[2]), 1) << "nobody keeps it";
  EXPECT_FALSE(preloader.has_files(faces_with(files[3]), none)) << "it was not expected";
}

}  // namespace
}  // namespace app
