// The engine: when it makes a picture, and what it does if it cannot.
#include "app/pipeline/engine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <stdexcept>
#include <thread>

#include "app/support/simulated_gpu.h"
#include "app/support/threads.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/support/gate.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/cuda/error.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

Settings settings_for(const std::string& algorithm, const std::string& effect) {
  Settings settings;
  settings.device = DeviceChoice::host;
  settings.host_algorithm = algorithm;
  settings.effect = effect;
  return settings;
}

Settings simulated_settings(const std::string& algorithm, const std::string& effect = "none") {
  auto settings = settings_for("host_serial", effect);
  settings.device = DeviceChoice::simulated;
  settings.cuda_algorithm = algorithm;
  return settings;
}

capture::Frame gray_frame(gpu::Size size, std::uint8_t level = 80) {
  capture::Frame frame;
  frame.resize(size, false);
  std::fill_n(frame.pixels.data(), size.pixels(), gpu::Bgr{level, level, level});
  return frame;
}

struct HostEngine : Engine {
  HostEngine() : Engine({{}, "no driver"}) {}
};

// As a picture that fails on the way.
template <class Error>
void fail(Engine& engine, const Error& error) {
  engine.explain(std::make_exception_ptr(error));
}

TEST(EngineTest, WantsAPictureOnlyIfSettingsChangeItAndWarnsOfAGpuThatIsMissing) {
  HostEngine engine;
  auto settings = settings_for("host_serial", "none");
  EXPECT_TRUE(engine.follow(settings));
  EXPECT_TRUE(engine.process(gray_frame({8, 8}), settings));
  EXPECT_FALSE(engine.follow(settings));
  settings.zoom = 3;
  EXPECT_FALSE(engine.follow(settings));
  settings.effect = "box_blur";
  EXPECT_TRUE(engine.follow(settings));
  settings.device = DeviceChoice::cuda;
  EXPECT_TRUE(engine.process(gray_frame({8, 8}), settings));
  EXPECT_EQ(engine.device(), gpu::Device::host);
  EXPECT_NE(engine.warnings().device.find("no driver"), std::string::npos);
  EXPECT_FALSE(engine.failure());
}

TEST(EngineTest, WhatIsChosenAndWhatIsMissingIsKnownWithoutAPicture) {
  auto settings = settings_for("host_serial", "box_blur");
  const gpu::GpuProbe none{{}, "no driver"};
  const auto choice = choose(settings, none);
  EXPECT_EQ(choice.selection.algorithm->name, "host_serial");
  EXPECT_EQ(choice.warning + choice.comparison + choice.unusable, "");
  settings.device = DeviceChoice::cuda;
  EXPECT_EQ(choose(settings, none).device, gpu::Device::host);
  EXPECT_NE(choose(settings, none).warning.find("no driver"), std::string::npos);
  EXPECT_EQ(choose(settings, none, DeviceDecision{gpu::Device::host, "decided before"}).warning, "decided before");
  settings.effect_values["box_blur"]["window"] = "nosuch";
  EXPECT_NE(choose(settings, none).unusable.find("nosuch"), std::string::npos);
}

TEST(EngineTest, ARefusedSelectionIsAFailureWhileTheLastGoodOneStaysInUse) {
  HostEngine engine;
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings_for("host_serial", "none")));
  auto too_wide = settings_for("host_serial", "haar");
  too_wide.effect_values["haar"]["width"] = "100";
  EXPECT_FALSE(engine.process(gray_frame({64, 64}), too_wide));
  const auto failure = engine.failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ExitCode::usage);
  EXPECT_EQ(engine.refusal(), failure->text);
  EXPECT_EQ(engine.pipeline().picture().pixels(3, 3).g, 80);  // as it was
  const auto brighter = gray_frame({64, 64}, 90);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(engine.process(brighter, too_wide));
    ASSERT_TRUE(engine.failure());
    EXPECT_EQ(engine.failure()->text, failure->text);
    EXPECT_FALSE(engine.refusal().empty());
  }
  EXPECT_EQ(engine.selection().effect->name, "none");
  EXPECT_EQ(engine.pipeline().picture().pixels(3, 3).g, 90);
  // A larger frame may have room for it.
  EXPECT_TRUE(engine.process(gray_frame({200, 200}), too_wide));
  EXPECT_EQ(engine.selection().effect->name, "haar");
  // Another selection ends the refusal; after that the same one is refused again.
  EXPECT_TRUE(engine.process(gray_frame({64, 64}), settings_for("host_serial", "box_blur")));
  EXPECT_TRUE(engine.refusal().empty());
  EXPECT_FALSE(engine.failure());
  EXPECT_FALSE(engine.process(gray_frame({64, 64}), too_wide));
  EXPECT_TRUE(engine.failure());
}

// A file that a parameter names may be gone, say.
TEST(EngineTest, SettingsThatMakeNoSelectionAreRefusedUntilTheyChange) {
  HostEngine engine;
  const auto settings = settings_for("host_serial", "box_blur");
  auto wrong = settings_for("host_serial", "haar");
  wrong.effect_values["haar"]["type"] = "nosuch";
  EXPECT_FALSE(engine.shows(settings));
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
  EXPECT_TRUE(engine.shows(settings));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(engine.process(gray_frame({64, 64}), wrong));
    EXPECT_NE(engine.refusal().find("nosuch"), std::string::npos) << engine.refusal();
    ASSERT_TRUE(engine.failure());
    EXPECT_EQ(engine.failure()->text, engine.refusal());
    EXPECT_FALSE(engine.shows(wrong));
  }
  EXPECT_FALSE(engine.follow(settings)) << "the picture stays";
  EXPECT_EQ(engine.refusal(), "");
  EXPECT_TRUE(engine.shows(settings));
}

TEST(EngineTest, AWipeMovesInThePictureThatIsThere) {
  HostEngine engine;
  auto settings = settings_for("host_serial", "box_blur");
  settings.compare = {true, "original", "result"};
  EXPECT_FALSE(engine.move_wipe()) << "there is no picture yet";
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
  EXPECT_FALSE(engine.move_wipe()) << "nothing has moved";
  auto other = settings;
  const auto moves = [&] {
    EXPECT_TRUE(engine.follow(other));
    EXPECT_FALSE(engine.shows(other));
    const auto moved = engine.move_wipe();
    EXPECT_EQ(engine.shows(other), moved.has_value());
    return moved && moved->picture().pixels.edge == 16;
  };
  other.wipe = 0.25;
  EXPECT_TRUE(moves());
  fail(engine, gpu::CudaError(cudaErrorMemoryAllocation, std::source_location::current()));
  EXPECT_TRUE(engine.failure());
  EXPECT_FALSE(engine.has_substitute()) << "the picture that is there was refused";
  other.effect = "none";
  EXPECT_FALSE(moves()) << "another picture is wanted";
  other.wipe = 0.5;
  EXPECT_FALSE(moves()) << "and is still to be made";
  other = settings;
  other.compare_mode = Composition::Mode::difference;
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), other));
  other.wipe = 0.75;
  EXPECT_FALSE(moves()) << "a difference has none";
}

// Also where a selection worked for the source before: its picture would be taken for that of this source.
TEST(EngineTest, WhereNothingFitsASourceItIsShownWithoutAnEffect) {
  for (const bool compared : {false, true}) {
    HostEngine engine;
    auto settings = settings_for("host_serial", "haar"), too_wide = settings;
    settings.effect_values["haar"]["width"] = "16";
    if (compared) settings.compare = too_wide.compare = {true, "original", "result"};
    too_wide.effect_values["haar"]["width"] = "100";
    ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
    EXPECT_FALSE(engine.process(gray_frame({64, 64}), too_wide));
    EXPECT_TRUE(engine.has_substitute());
    EXPECT_TRUE(engine.failure() && !engine.failure()->plain);
    ASSERT_TRUE(engine.process(gray_frame({64, 64}), too_wide));
    EXPECT_EQ(engine.selection().effect_arguments.text("width"), "16");
    int attempts = 1;
    while (!engine.process(gray_frame({8, 8}), too_wide)) {
      ASSERT_TRUE(engine.has_substitute());
      ASSERT_LE(++attempts, 3);
    }
    EXPECT_EQ(attempts, 3);
    EXPECT_FALSE(engine.has_substitute());
    EXPECT_EQ(engine.selection().effect->name, "none");
    EXPECT_EQ(engine.pipeline().size(), (gpu::Size{8, 8}));
    EXPECT_EQ(engine.pipeline().picture().pixels(3, 3).g, 80);
    EXPECT_NE(engine.refusal().find("do not fit the frame's 8x8"), std::string::npos) << engine.refusal();
    EXPECT_TRUE(engine.process(gray_frame({8, 8}), too_wide)) << "what was refused is not tried again";
    EXPECT_TRUE(engine.process(gray_frame({200, 200}), too_wide));
    EXPECT_EQ(engine.selection().effect->name, "haar");
    EXPECT_TRUE(engine.refusal().empty()) << engine.refusal();
  }
}

TEST(EngineTest, WhatHasMadeAPictureOfThisSizeIsNotRefusedLater) {
  HostEngine engine;
  const auto settings = settings_for("host_serial", "box_blur");
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
  fail(engine, std::bad_alloc());
  EXPECT_TRUE(engine.failure());
  EXPECT_FALSE(engine.has_substitute());
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
  EXPECT_EQ(engine.selection().effect->name, "box_blur");
  EXPECT_TRUE(engine.refusal().empty()) << engine.refusal();
}

TEST(EngineTest, ThatTheEffectIsLeftOutIsSaidWhereTheCauseIsKnown) {
  HostEngine engine;
  const auto frame = gray_frame({64, 64}), smaller = gray_frame({32, 32});
  ASSERT_TRUE(engine.process(frame, settings_for("host_serial", "adaptive_threshold")));
  const auto fails_of = [&](const capture::Frame& of) {
    EXPECT_TRUE(engine.begin(of, settings_for("host_serial", "box_blur")));
    fail(engine, std::bad_alloc());
    while (!engine.finish(std::chrono::seconds(1))) {}
    return engine.failure();
  };
  const auto with_another = fails_of(frame);
  EXPECT_TRUE(with_another && !with_another->plain);
  const auto without_effect = fails_of(smaller);
  EXPECT_TRUE(without_effect && without_effect->plain);
}

TEST(EngineTest, TilesAreTracedByTheSubstituteOfARefusedPicture) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  HostEngine engine;
  auto settings = simulated_settings("1r1w_skss_lb", "haar");
  settings.effect_values["haar"]["width"] = "100";
  engine.trace_next();
  EXPECT_FALSE(engine.process(gray_frame({64, 64}), settings));
  ASSERT_TRUE(engine.has_substitute());
  EXPECT_TRUE(engine.trace_wanted());
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
  EXPECT_FALSE(engine.trace_wanted());
  EXPECT_TRUE(engine.take_trace());
}

// As on a GPU, where they arrive later than the picture.
TEST(EngineTest, TilesThatNobodyTookBeforeTheNextPictureAreUnderWay) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  HostEngine engine;
  const auto settings = simulated_settings("1r1w_skss_lb");
  for (int time = 0; time < 2; ++time) {
    engine.trace_next();
    for (int pictures = 0; pictures < 3; ++pictures) {
      ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
      EXPECT_TRUE(engine.traces()) << pictures;
    }
    EXPECT_TRUE(engine.take_trace());
    EXPECT_FALSE(engine.traces());
    ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings));
    EXPECT_FALSE(engine.traces()) << "it was taken";
  }
}

// Memory is kept from trace to trace: a smaller one has nothing of a larger one before it.
TEST(EngineTest, ATraceIsThatOfAFreshEngine) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  struct Case {
    const char* algorithm;
    gpu::Size size;
  };
  const Case cases[] = {{"1r1w_skss_lb", {200, 130}}, {"2r1w", {64, 64}}, {"1r1w_skss_lb", {40, 70}}, {"2r1w", {150, 100}}};
  const auto trace = [](Engine& engine, const Case& one) {
    engine.trace_next();
    EXPECT_TRUE(engine.process(gray_frame(one.size), simulated_settings(one.algorithm)));
    return engine.take_trace();
  };
  HostEngine engine;
  for (const auto& one : cases) {
    HostEngine other;
    const auto used = trace(engine, one), fresh = trace(other, one);
    ASSERT_TRUE(used && fresh);
    const auto parts = [](const auto& trace) {
      return std::tuple(trace->algorithm, trace->parameters, trace->image, trace->passes, trace->records.size(),
                        trace->recorded, trace->launches);
    };
    EXPECT_TRUE(parts(used) == parts(fresh)) << one.algorithm;
  }
}

// A picture as text: its pixels and its annotations.
std::string picture_of(Engine& engine, const capture::Frame& frame, const Settings& settings) {
  std::string text;
  const bool made = engine.process(frame, settings, [&](gpu::Context&, const Picture& picture) {
    for (int y = 0; y < picture.size().height; ++y)
      for (int x = 0; x < picture.size().width; ++x) {
        const auto pixel = picture.pixels(x, y);
        text.append({static_cast<char>(pixel.r), static_cast<char>(pixel.g), static_cast<char>(pixel.b)});
      }
    for (const auto& note : picture.annotations.list())
      text += '\n' + std::string(note.text) + ' ' + std::to_string(note.x0) + ' ' + std::to_string(note.y0) + ' ' +
              std::to_string(note.x1) + ' ' + std::to_string(note.y1) + ' ' + std::to_string(note.value);
  });
  return made ? text : "refused: " + engine.refusal();
}

// Whatever it made or refused before: every picture after every other, of one size after the other.
TEST(EngineTest, EveryPictureIsThatOfAFreshEngine) {
  const std::vector<Change> choices[] = {
      {},
      {{"effect", "haar"}, {"haar.width", "20"}, {"haar.height", "12"}, {"haar.type", "type-3-x"}},
      {{"effect", "haar"}, {"haar.width", "500"}},  // refused
      {{"effect", "box_blur"}, {"box_blur.window", "9x9"}, {"algorithm", "host_parallel"}},
      {{"effect", "box_blur"}, {"box_blur.window", "9x3"}, {"check", "on"}},
      {{"effect", "adaptive_threshold"}},
      {{"effect", "sat_view"}, {"sat_view.contours", "4"}},
      {{"effect", "box_blur"}, {"compare", "original,result"}, {"wipe", "0.3"}},
      {{"effect", "box_blur"}, {"compare", "haar,sat_view"}, {"compare_mode", "difference"}},
      {{"effect", "faces"}, {"faces.scale_factor", "1.5"}},
  };
  struct Case {
    Settings settings;
    capture::Frame frame;
    std::string picture;
  };
  std::vector<Case> cases;
  for (const auto& size : {gpu::Size{64, 48}, {33, 70}})
    for (const auto& changes : choices) {
      auto settings = settings_for("host_serial", "none");
      app::apply(settings, std::span(changes));
      HostEngine fresh;
      auto frame = noise_frame(size, static_cast<unsigned>(cases.size()));
      auto picture = picture_of(fresh, frame, settings);
      cases.push_back({std::move(settings), std::move(frame), std::move(picture)});
    }
  HostEngine engine;
  for (const auto& before : cases)
    for (const auto& one : cases) {
      picture_of(engine, before.frame, before.settings);
      const auto made = picture_of(engine, one.frame, one.settings);
      ASSERT_TRUE(made == one.picture || one.picture.starts_with("refused"))
          << one.settings.effect << " after " << before.settings.effect;
      if (one.picture.starts_with("refused")) {
        EXPECT_EQ(engine.refusal(), one.picture.substr(9));
      }
    }
}

// Each kernel takes until it is opened.
KernelLoader waiting_loader(const Gate& gate) {
  return {gpu::Device::simulated, [wait = gate.task()] { return [wait](const void*) { wait(); }; }};
}

// Kernels that are not loaded yet would stall the frame that launches them first.
TEST(EngineTest, PicturesGoOnWithTheChoiceBeforeUntilItsKernelsAreLoaded) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  Gate gate;
  Engine engine({{}, "no driver"}, waiting_loader(gate));
  auto settings = simulated_settings("2r2w");
  const auto frame = gray_frame({64, 48});
  ASSERT_TRUE(engine.process(frame, settings)) << "the first picture waits for nobody";
  EXPECT_EQ(engine.selection().algorithm->name, "2r2w");
  EXPECT_FALSE(engine.awaits_choice());

  settings.cuda_algorithm = "1r1w";
  EXPECT_TRUE(engine.follow(settings));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(engine.process(frame, settings));
    EXPECT_TRUE(engine.awaits_choice());
    EXPECT_EQ(engine.selection().algorithm->name, "2r2w");
    EXPECT_EQ(engine.refusal(), "");
    EXPECT_FALSE(engine.follow(settings));
  }
  const auto& said = engine.warnings().waiting;  // though no other picture begins
  EXPECT_TRUE(comes_true([&] { return engine.follow(settings), !said.empty(); }));
  EXPECT_EQ(said.substr(0, 35), "what was chosen is being compiled f");
  gate.open();
  EXPECT_TRUE(comes_true([&] { return engine.follow(settings); })) << "the same frame has another picture now";
  ASSERT_TRUE(engine.process(frame, settings));
  EXPECT_FALSE(engine.awaits_choice());
  EXPECT_EQ(engine.selection().algorithm->name, "1r1w");
}

TEST(EngineTest, WhereNoChoicesAreExpectedTheKernelsOfTheFirstAloneAreLoaded) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  std::atomic<std::size_t> loads = 0;
  std::promise<std::weak_ptr<int>> started;  // of what lives as long as the thread loads
  Engine engine({{}, "no driver"}, KernelLoader{gpu::Device::simulated, [&] {
                                                  const auto kept = std::make_shared<int>();
                                                  started.set_value(kept);
                                                  return [&, kept](const void*) { ++loads; };
                                                }});
  engine.expect_choices(false);
  auto settings = simulated_settings("2r2w");
  ASSERT_TRUE(engine.process(gray_frame({64, 48}), settings));
  const auto loading = started.get_future().get();
  EXPECT_TRUE(comes_true([&] { return loading.expired(); }));
  EXPECT_EQ(loads, kernels_of(engine.selection(), {1920, 1080}).size());
}

TEST(EngineTest, APictureThatMustNotDependOnTimeIsOfTheChoiceAtOnce) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  Gate gate;
  Engine engine({{}, "no driver"}, waiting_loader(gate));
  engine.keep_going(false);
  for (const auto* algorithm : {"2r2w", "1r1w"}) {
    ASSERT_TRUE(engine.process(gray_frame({64, 48}), simulated_settings(algorithm)));
    EXPECT_EQ(engine.selection().algorithm->name, algorithm);
  }
  gate.open();
}

// It takes longer than a frame; on the host no kernels are loaded ahead, whose list needs it too.
TEST(EngineTest, WhatEffectsBeginWithIsPreparedBeforeOneIsChosen) {
  const auto bundled = gpu::vision::find_shared_cascade(gpu::vision::bundled_cascade);
  const auto users = bundled.use_count();
  HostEngine engine;
  engine.follow(settings_for("host_serial", "none"));
  EXPECT_TRUE(comes_true([&] { return bundled.use_count() > users; }));
}

class EngineCascadeFileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(engine_.process(frame_, settings_)); }
  // A file with this text; its name.
  std::string chooses(const std::string& text = gpu::vision::new_format_text(gpu::vision::small_cascade())) {
    const auto file = (folder_.path() / "mine.xml").string();
    std::ofstream(file) << text;
    settings_.effect_values["faces"]["cascade"] = file;
    return file;
  }
  void go_on_until_it_is_read() {
    EXPECT_TRUE(engine_.follow(settings_));
    ASSERT_TRUE(engine_.process(frame_, settings_));
    EXPECT_TRUE(engine_.awaits_choice());
    EXPECT_EQ(cascade(), gpu::vision::bundled_cascade);
    EXPECT_EQ(engine_.refusal(), "");
    EXPECT_TRUE(comes_true([&] { return engine_.follow(settings_); })) << "the same frame has another picture now";
  }
  std::string cascade() const { return engine_.selection().effect_arguments.text("cascade"); }

  TemporaryFolder folder_;
  Engine engine_{{{}, "no driver"}};
  const capture::Frame frame_ = gray_frame({64, 48});
  Settings settings_ = settings_for("host_serial", "faces");
};

TEST_F(EngineCascadeFileTest, PicturesGoOnWithTheCascadeBeforeUntilItIsRead) {
  const auto file = chooses();
  go_on_until_it_is_read();
  ASSERT_TRUE(engine_.process(frame_, settings_));
  EXPECT_FALSE(engine_.awaits_choice());
  EXPECT_EQ(cascade(), file);
  settings_.effect_values["faces"]["min_neighbors"] = "1";
  ASSERT_TRUE(engine_.process(frame_, settings_));
  EXPECT_EQ(engine_.selection().effect_arguments.integer("min_neighbors"), 1) << "the file is there already";
}

TEST_F(EngineCascadeFileTest, TheWaitForTheNextBeginsAnew) {
  chooses();
  go_on_until_it_is_read();
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // longer than one may wait before that is said
  auto text = gpu::vision::new_format_text(gpu::vision::small_cascade());
  const auto other = (folder_.path() / "other.xml").string();
  std::ofstream(other) << text << std::string(20'000'000, ' ');  // it takes a moment to read
  settings_.effect_values["faces"]["cascade"] = other;
  ASSERT_TRUE(engine_.process(frame_, settings_));
  EXPECT_TRUE(engine_.awaits_choice());
  engine_.follow(settings_);
  EXPECT_EQ(engine_.warnings().waiting, "") << "it has not waited long";
}

TEST_F(EngineCascadeFileTest, OneThatIsExpectedIsThereWhenItIsChosen) {
  std::vector<std::string> files;
  for (int i = 0; i < 20; ++i) {  // more than are kept
    files.push_back((folder_.path() / (std::to_string(i) + ".xml")).string());
    std::ofstream(files.back()) << gpu::vision::new_format_text(gpu::vision::small_cascade());
    const Change changes[] = {{"zoom", "2"}, {i % 2 ? "cascade" : "faces.cascade", files.back()}, {"haar.cascade", "x"}};
    engine_.expect(changes);
  }
  for (std::size_t i = 0; i + 1 < files.size(); ++i) {
    const auto next_is_read = [&] {  // then this one is, too
      return engine_.process(frame_, settings_) && gpu::vision::find_shared_cascade(files[i + 1]).use_count() > 1;
    };
    ASSERT_TRUE(comes_true(next_is_read)) << i;
    settings_.effect_values["faces"]["cascade"] = files[i];
    ASSERT_TRUE(engine_.process(frame_, settings_));
    EXPECT_FALSE(engine_.awaits_choice()) << i;
    EXPECT_EQ(cascade(), files[i]);
  }
}

TEST_F(EngineCascadeFileTest, AMalformedOneIsRefusedOnceItIsRead) {
  const auto file = chooses("<opencv_storage>\n<cascade>");
  go_on_until_it_is_read();
  EXPECT_FALSE(engine_.failure());
  EXPECT_FALSE(engine_.process(frame_, settings_));
  const auto failure = engine_.failure();
  ASSERT_TRUE(failure);
  EXPECT_TRUE(failure->text.starts_with(file + ": line 2: ")) << failure->text;
  EXPECT_EQ(engine_.refusal(), failure->text);
  ASSERT_TRUE(engine_.process(frame_, settings_));
  EXPECT_EQ(cascade(), gpu::vision::bundled_cascade);
}

TEST_F(EngineCascadeFileTest, APictureThatMustNotDependOnTimeHasItAtOnce) {
  engine_.keep_going(false);
  const auto file = chooses();
  ASSERT_TRUE(engine_.process(frame_, settings_));
  EXPECT_EQ(cascade(), file);
}

TEST(EngineTest, TheHostWorksWhileTheCallerContinues) {
  HostEngine engine;
  const auto frame = gray_frame({2000, 1000});
  EXPECT_FALSE(engine.finish());
  ASSERT_TRUE(engine.begin(frame, settings_for("host_serial", "box_blur")));
  EXPECT_TRUE(engine.busy());
  EXPECT_FALSE(engine.frame_is_free());
  while (!engine.finish(std::chrono::milliseconds(100))) ASSERT_TRUE(engine.busy());
  EXPECT_FALSE(engine.busy());
  EXPECT_TRUE(engine.frame_is_free());
  EXPECT_FALSE(engine.finish());  // once
  EXPECT_EQ(engine.pipeline().size(), (gpu::Size{2000, 1000}));
}

TEST(EngineTest, ThePictureShownIsKeptWhileTheNextIsMade) {
  HostEngine engine;
  const auto settings = settings_for("host_serial", "none");
  ASSERT_TRUE(engine.process(gray_frame({300, 200}), settings));
  const auto brighter = gray_frame({300, 200}, 90);
  ASSERT_TRUE(engine.begin(brighter, settings));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(engine.pipeline().picture().pixels(299, 199).g, 80);
    ASSERT_EQ(engine.pipeline().picture().gray(299, 199), 80);
    ASSERT_EQ(engine.pipeline().picture().sat(299, 199), 300u * 200u * 80u);
  }
  while (!engine.finish(std::chrono::milliseconds(100))) {}
  EXPECT_EQ(engine.pipeline().picture().sat(299, 199), 300u * 200u * 90u);
}

TEST(EngineTest, EndsInTheMiddleOfAFrame) {
  const auto frame = gray_frame({3000, 2000});
  HostEngine engine;
  ASSERT_TRUE(engine.begin(frame, settings_for("host_serial", "box_blur")));
}

TEST(EngineTest, EveryFrameGetsItsOwnTimesOnEveryDevice) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  HostEngine engine;
  const auto host = settings_for("host_serial", "none"), simulated = simulated_settings("2r1w");
  const auto frame = gray_frame({40, 30});
  std::uint64_t id = 10;
  for (const auto& settings : {host, simulated, host}) {
    ASSERT_TRUE(engine.begin(frame, settings, ++id));
    while (!engine.finish(std::chrono::seconds(1))) ASSERT_TRUE(engine.busy());
  }
  EXPECT_EQ(engine.device(), gpu::Device::host);
  std::map<std::uint64_t, std::string> algorithms;
  while (const auto times = engine.take_times()) algorithms[times->id] = times->path(times->spans.at(1));
  EXPECT_EQ(algorithms, (std::map<std::uint64_t, std::string>{{11, "host_serial"}, {12, "2r1w"}, {13, "host_serial"}}));
}

// A GPU that is lost: every call of the driver fails, as without one.
class EngineOfALostGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu::probe_gpu().gpu) GTEST_SKIP() << "the GPU of this machine works";
    settings_.device = DeviceChoice::automatic;
    settings_.cuda_algorithm = "1r1w_skss_lb";
  }
  static KernelLoader loader() {
    return {gpu::Device::cuda, [] { return [](const void*) {}; }};
  }
  // The simulated GPU stands for the lost one until then.
  static std::unique_ptr<Pipeline> stand_in(gpu::Device device) {
    return std::make_unique<Pipeline>(device == gpu::Device::cuda ? gpu::Device::simulated : device);
  }
  // The same settings have pictures of the CPU from now on.
  void expect_the_cpu_goes_on(Engine& engine) {
    const auto failure = engine.failure();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, ExitCode::ok);
    EXPECT_TRUE(failure->text.starts_with("GPU error: ")) << failure->text;
    EXPECT_TRUE(failure->text.ends_with("; switched to the CPU")) << failure->text;
    EXPECT_FALSE(engine.probe().gpu);
    EXPECT_TRUE(engine.probe().reason.starts_with("it failed: ")) << engine.probe().reason;
    EXPECT_FALSE(engine.busy());
    EXPECT_TRUE(engine.frame_is_free());
    EXPECT_TRUE(engine.follow(settings_));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(engine.process(frame_, settings_));
    EXPECT_EQ(engine.device(), gpu::Device::host);
    EXPECT_EQ(engine.selection().algorithm->name, "host_serial");
    EXPECT_EQ(engine.pipeline().picture().pixels(3, 3).g, 80);
    EXPECT_FALSE(engine.failure());
  }

  const gpu::GpuProbe probe_{gpu::GpuInfo{.name = "a GPU"}, ""};
  const capture::Frame frame_ = gray_frame({64, 48});
  Settings settings_ = settings_for("host_serial", "none");
};

// What is asked of the engine next must not reach its pipeline.
TEST_F(EngineOfALostGpuTest, NothingUsesItsPipelineAndTheCpuGoesOn) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  Engine engine(probe_, loader(), stand_in);
  engine.trace_next();
  ASSERT_TRUE(engine.process(frame_, settings_));
  ASSERT_EQ(engine.selection().device, gpu::Device::cuda);
  ASSERT_TRUE(engine.has_picture() && engine.traces());
  const auto lost = [](gpu::Context&, const Picture&) { gpu::check(cudaErrorIllegalAddress); };
  try {
    engine.process(frame_, settings_, lost);
    ADD_FAILURE();
  } catch (const gpu::CudaError&) {
    engine.explain(std::current_exception());
  }
  EXPECT_FALSE(engine.has_picture());
  EXPECT_FALSE(engine.traces());
  EXPECT_EQ(engine.device(), gpu::Device::host);
  EXPECT_FALSE(engine.take_trace());
  EXPECT_FALSE(engine.take_times());
  expect_the_cpu_goes_on(engine);
}

// While another choice is under way, an error is of the picture that is shown.
TEST_F(EngineOfALostGpuTest, AChoiceThatIsUnderWayIsNotRefusedForThePictureBefore) {
  Engine engine(probe_, loader());
  settings_.device = DeviceChoice::host;
  ASSERT_TRUE(engine.process(frame_, settings_));
  for (const auto error : {cudaErrorMemoryAllocation, cudaErrorInvalidValue}) {
    settings_.effect = error == cudaErrorMemoryAllocation ? "sat_view" : "haar";
    ASSERT_TRUE(engine.begin(frame_, settings_));
    EXPECT_FALSE(engine.attempt([&] { gpu::check(error); }));
    EXPECT_EQ(engine.refusal(), "");
    while (engine.busy()) engine.finish(std::chrono::seconds(1));
    ASSERT_TRUE(engine.process(frame_, settings_));
    EXPECT_EQ(engine.refusal(), "");
    EXPECT_EQ(engine.selection().effect->name, settings_.effect);
  }
}

TEST_F(EngineOfALostGpuTest, ThatIsFoundAlsoWhereThePictureBegunLastWasTheCpus) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  Engine engine(probe_, loader(), stand_in);
  ASSERT_TRUE(engine.process(frame_, settings_));
  auto refused = settings_;
  refused.device = DeviceChoice::host;
  refused.effect = "haar";
  refused.effect_values["haar"]["width"] = "100";
  EXPECT_FALSE(engine.process(frame_, refused));
  ASSERT_TRUE(engine.has_picture() && engine.selection().device == gpu::Device::cuda);
  EXPECT_FALSE(engine.attempt([] { gpu::check(cudaErrorIllegalAddress); }));
  EXPECT_FALSE(engine.has_picture());
  expect_the_cpu_goes_on(engine);
}

TEST_F(EngineOfALostGpuTest, ThePictureOfTheCpuStaysWhereTheGpuMadeNone) {
  Engine engine(probe_, loader());
  engine.keep_going(false);  // no picture of before while kernels are loaded
  settings_.device = DeviceChoice::host;
  ASSERT_TRUE(engine.process(frame_, settings_));
  settings_.device = DeviceChoice::automatic;
  EXPECT_FALSE(engine.process(frame_, settings_));
  EXPECT_TRUE(engine.has_picture());
  expect_the_cpu_goes_on(engine);
}

TEST(EngineTaskThreadTest, PassesOnAnExceptionOnce) {
  TaskThread thread;
  EXPECT_TRUE(thread.wait({}));  // nothing was started
  thread.begin([] { throw std::runtime_error("broken"); });
  EXPECT_THROW(while (!thread.wait(std::chrono::seconds(1))){}, std::runtime_error);
  EXPECT_TRUE(thread.wait({}));
  int done = 0;
  thread.begin([&] { ++done; });
  while (!thread.wait(std::chrono::seconds(1))) {}
  EXPECT_EQ(done, 1);
}

TEST(EngineSameWorkTest, PositionsDoNotCountButOtherParametersDo) {
  auto settings = settings_for("host_serial", "haar");
  const auto selection = make_selection(settings, gpu::Device::host);
  settings.effect_values["haar"]["x"] = "7";
  EXPECT_TRUE(same_work(selection, make_selection(settings, gpu::Device::host)));
  settings.effect_values["haar"]["width"] = "30";
  EXPECT_FALSE(same_work(selection, make_selection(settings, gpu::Device::host)));
}

// Each warning, refusal and failure goes with its cause, whatever was set before.
TEST(EngineTest, WhatIsSaidIsThatOfAFreshEngine) {
  const std::vector<Change> choices[] = {
      {},
      {{"device", "cuda"}},
      {{"compare", "original,1r1w_skss_lb"}},
      {{"compare", "original,result"}},
      {{"device", "cuda"}, {"compare", "1r1w_skss_lb,2r1w"}},
      {{"effect", "haar"}, {"haar.width", "500"}},  // refused
      {{"effect", "adaptive_threshold"}},
  };
  const auto frame = noise_frame({64, 48});
  const auto said = [&](Engine& engine, const std::vector<Change>& changes) {
    auto settings = settings_for("host_serial", "none");
    app::apply(settings, std::span(changes));
    engine.process(frame, settings);
    if (!engine.refusal().empty()) engine.process(frame, settings);  // what there is instead
    const auto& [device, comparison, tables, waiting, trace] = engine.warnings();
    return device + '|' + comparison + '|' + tables + '|' + waiting + '|' + trace + '|' + engine.refusal() + '|' +
           (engine.failure() ? engine.failure()->text : "");
  };
  std::vector<std::string> expected;
  for (const auto& changes : choices) {
    HostEngine fresh;
    expected.push_back(said(fresh, changes));
  }
  EXPECT_NE(expected[1].find("no driver"), std::string::npos) << expected[1];
  EXPECT_NE(expected[2].find("nothing is compared"), std::string::npos) << expected[2];
  EXPECT_NE(expected[5].find("do not fit"), std::string::npos) << expected[5];
  HostEngine engine;
  for (const auto& before : choices)
    for (std::size_t i = 0; i < expected.size(); ++i) {
      said(engine, before);
      EXPECT_EQ(said(engine, choices[i]), expected[i]) << &before - choices << " before " << i;
    }
}

// The folder is empty at first; then whoever opens the library waits until somebody writes to it.
TEST(EngineTest, AMissingSimulatedGpuIsLookedForOncePerSecondWhilePicturesAreMade) {
  if (simulated_gpu_is_loaded()) GTEST_SKIP() << "another test has loaded it";
  using namespace std::chrono_literals;
  const TemporaryFolder folder;
  setenv("SATSCOPE_SIMULATED", folder.path().c_str(), 1);
  HostEngine engine;
  auto settings = simulated_settings(Settings().cuda_algorithm);
  ASSERT_TRUE(engine.is_ready(settings, 20s));
  const auto failed = std::chrono::steady_clock::now();
  ASSERT_TRUE(engine.process(gray_frame({8, 8}), settings));
  EXPECT_EQ(engine.device(), gpu::Device::host);
  EXPECT_NE(engine.warnings().device, "");
  const auto library = folder.path() / gpu::simulated::library_name(gpu::simulated::Build::plain);
  ASSERT_EQ(::mkfifo(library.c_str(), 0600), 0);
  const auto writer = [&] { return ::open(library.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); };
  const auto change = [&] {
    settings.pointer = Pointer{static_cast<int>(++settings.zoom), 0};
    EXPECT_TRUE(engine.is_ready(settings, 0s));
    EXPECT_TRUE(engine.process(gray_frame({8, 8}), settings));
    EXPECT_FALSE(engine.failure());
  };
  for (int i = 0; i < 10; ++i) change();
  EXPECT_EQ(writer(), -1) << "it was opened";
  std::this_thread::sleep_until(failed + 1100ms);
  for (int i = 0; i < 10; ++i) change();
  int opened = -1;
  for (int wait = 0; wait < 2000 && opened < 0; ++wait) std::this_thread::sleep_for(10ms), opened = writer();
  EXPECT_GE(opened, 0) << "it was not looked for again";
  ::close(opened);  // it is empty
  EXPECT_TRUE(wait_for_detached(20s));
  unsetenv("SATSCOPE_SIMULATED");
}

TEST(EngineTest, AnErrorOfTheSinkIsAFailureUntilThereIsAPictureAgain) {
  HostEngine engine;
  const auto settings = settings_for("host_serial", "none");
  const auto failing = [](gpu::Context&, const Picture&) { throw std::runtime_error("no texture"); };
  EXPECT_THROW(engine.process(gray_frame({8, 8}), settings, failing), std::runtime_error);
  fail(engine, std::runtime_error("no texture"));
  EXPECT_TRUE(engine.failure());
  EXPECT_TRUE(engine.process(gray_frame({8, 8}), settings));
  EXPECT_FALSE(engine.failure());
}

}  // namespace
}  // namespace app
