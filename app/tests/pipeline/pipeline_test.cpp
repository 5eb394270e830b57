// The pipeline on the host compared with OpenCV, what it keeps when something fails, and which frames are timed.
#include "app/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "app/pipeline/frame_figures.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/execution/timeline.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

template <class T>
cv::Mat as_mat(gpu::ImageView<T> view, int type) {
  return {view.height, view.width, type, const_cast<std::remove_const_t<T>*>(view.data),
          static_cast<std::size_t>(view.stride) * sizeof(T)};
}
cv::Mat as_mat(const capture::Frame& frame) { return as_mat(frame.view(), CV_8UC3); }
cv::Mat as_rgba(const capture::Frame& frame) {
  cv::Mat rgba;
  cv::cvtColor(as_mat(frame), rgba, cv::COLOR_BGR2RGBA);
  return rgba;
}
cv::Mat picture(const Pipeline& pipeline) { return as_mat(pipeline.picture().pixels.left, CV_8UC4); }

bool same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

Selection selection_for(const std::string& effect, Values effect_values = {}) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.effect = effect;
  settings.effect_values = std::move(effect_values);
  return make_selection(settings, gpu::Device::host);
}

void fill(const gpu::Canvas& canvas, std::uint8_t level) {
  for (int y = 0; y < canvas.size().height; ++y)
    for (int x = 0; x < canvas.size().width; ++x) canvas.put(x, y, level);
}
// With an effect of its own.
Selection selection_with(const gpu::Effect& effect) {
  auto selection = selection_for("none");
  selection.effect = &effect;
  selection.effect_arguments = {};
  return selection;
}
constexpr gpu::Effect effect_by(std::string_view name, decltype(gpu::Effect::run) run) {
  return {.name = name,
          .title = {},
          .idea = {},
          .parameters = {},
          .channels = [](const gpu::Arguments&) { return 1; },
          .traffic = {},
          .run = run};
}

// An effect that draws half of a picture and then fails, on request.
bool fail_now = false;
constexpr auto fragile = effect_by(
    "fragile", [](gpu::Context& context, const gpu::EffectInput&, const gpu::EffectOutput& output, const gpu::Arguments&) {
      context.parallel("draw", 1, [&](int) {
        output.canvas.put(0, 0, std::uint8_t{123});
        if (fail_now) throw std::runtime_error("broken half way");
        fill(output.canvas, 7);
      });
    });

// An effect that refuses frames narrower than 8 pixels, like one whose window does not fit.
constexpr auto picky = effect_by(
    "picky", [](gpu::Context& context, const gpu::EffectInput&, const gpu::EffectOutput& output, const gpu::Arguments&) {
      if (output.canvas.size().width < 8) throw gpu::ArgumentError("the frame is too narrow");
      context.parallel("draw", 1, [&](int) { fill(output.canvas, 9); });
    });

// An algorithm of many launches.
void many_run(gpu::Context& context, gpu::AnyConstImageView, gpu::AnyImageView, const gpu::Arguments&) {
  for (int i = 0; i < 20; ++i) context.parallel("step", 1, [](int) {});
}
constexpr gpu::SatAlgorithm many{.name = "many",
                                 .year = 2000,
                                 .paper = {},
                                 .idea = {},
                                 .device = gpu::Device::host,
                                 .reads = "1",
                                 .writes = "1",
                                 .parameters = {},
                                 .types = gpu::all_sat_types,
                                 .types_note = {},
                                 .run = many_run};

TEST(PipelineOnHostTest, GrayAndTableEqualOpenCvs) {
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 400}, {400, 1}, {127, 65}, {640, 360}}) {
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
    const auto frame = noise_frame(size);
    Pipeline pipeline(gpu::Device::host);
    pipeline.process(frame, selection_for("none"));
    cv::Mat gray, sum;
    cv::cvtColor(as_mat(frame), gray, cv::COLOR_BGR2GRAY);
    EXPECT_TRUE(same(as_mat(pipeline.picture().gray, CV_8U), gray));
    cv::integral(gray, sum, CV_32S);
    EXPECT_TRUE(same(as_mat(pipeline.picture().sat, CV_32S), sum(cv::Rect(1, 1, size.width, size.height))));
  }
}

TEST(PipelineOnHostTest, BoxBlurEqualsOpenCvs) {
  if (!gpu::find_effect("box_blur")) GTEST_SKIP() << "box_blur is not built";
  const auto frame = noise_frame({320, 181});
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(frame, selection_for("box_blur", {{"box_blur", {{"window", "15x15"}, {"colour", "off"}}}}));
  cv::Mat gray, blurred, shown;
  cv::cvtColor(as_mat(frame), gray, cv::COLOR_BGR2GRAY);
  cv::blur(gray, blurred, {15, 15});
  cv::extractChannel(picture(pipeline), shown, 0);
  EXPECT_TRUE(same(shown, blurred));
}

TEST(PipelineOnHostTest, AFailureHalfWayKeepsTheLastPicture) {
  const auto selection = selection_with(fragile);
  Pipeline pipeline(gpu::Device::host);
  fail_now = false;
  pipeline.process(noise_frame({20, 10}), selection);
  const auto before = picture(pipeline).clone();
  fail_now = true;
  EXPECT_THROW(pipeline.process(noise_frame({20, 10}, 2), selection), std::runtime_error);
  EXPECT_TRUE(same(picture(pipeline), before));
  EXPECT_THROW(pipeline.process(noise_frame({30, 15}, 2), selection), std::runtime_error);  // also with another size
  EXPECT_EQ(pipeline.size(), (gpu::Size{20, 10}));
  EXPECT_TRUE(same(picture(pipeline), before));
  fail_now = false;
  const auto next = noise_frame({20, 10}, 3);
  pipeline.process(next, selection_for("none"));
  EXPECT_TRUE(same(picture(pipeline), as_rgba(next)));
}

TEST(PipelineOnHostTest, ArgumentsThatDoNotFitAreRefusedBeforeAnythingIsTouched) {
  const auto selection = selection_with(picky);
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(noise_frame({20, 10}), selection);
  const auto gray = as_mat(pipeline.picture().gray, CV_8U).clone();
  EXPECT_THROW(pipeline.process(noise_frame({7, 10}), selection), gpu::ArgumentError);
  EXPECT_EQ(pipeline.size(), (gpu::Size{20, 10}));
  EXPECT_TRUE(same(as_mat(pipeline.picture().gray, CV_8U), gray));
  EXPECT_EQ(picture(pipeline).at<cv::Vec4b>(9, 19), cv::Vec4b(9, 9, 9, 255));
}

TEST(PipelineOnHostTest, FollowsAFrameSizeThatChangesInTheMiddle) {
  Pipeline pipeline(gpu::Device::host);
  for (const gpu::Size size : {gpu::Size{64, 48}, {17, 200}, {1, 1}, {64, 48}, {200, 3}}) {
    const auto frame = noise_frame(size, static_cast<unsigned>(size.width));
    pipeline.process(frame, selection_for("none"));
    ASSERT_EQ(pipeline.size(), size);
    ASSERT_TRUE(same(picture(pipeline), as_rgba(frame))) << "none shows the frame itself";
  }
  EXPECT_THROW(pipeline.process(capture::Frame{}, selection_for("none")), std::invalid_argument);
}

TEST(PipelineOnHostTest, ManyLaunchesAreOneRowUnlessEveryLaunchIsTimed) {
  auto selection = selection_for("none");
  selection.algorithm = &many;
  selection.algorithm_arguments = {};
  const auto names = [&] {
    Pipeline pipeline(gpu::Device::host);
    pipeline.process(noise_frame({20, 10}), selection);
    const auto frame = pipeline.take_times();
    EXPECT_EQ(frame->spans.size(), 23u) << "their structure is recorded";
    std::string all;
    for (const auto& time : stage_times(*frame)) all += *time.path + (time.leaf ? " " : "(" + std::string("group) "));
    return all;
  };
  EXPECT_EQ(names(), "luma many none ");
  selection.timing = TimingChoice::every;
  EXPECT_EQ(names(), "luma many(group) many/step none ");
}

TEST(PipelineOnHostTest, WhatIsTimedIsTheSelectionsChoice) {
  auto selection = selection_for("none");
  const auto names = [&](TimingChoice timing) {
    selection.timing = timing;
    Pipeline pipeline(gpu::Device::host);
    pipeline.process(noise_frame({64, 50}), selection, [](gpu::Context& context, const Picture&) {
      context.call({"copy", gpu::SpanKind::transfer}, [](cudaStream_t) {});
    });
    const auto frame = pipeline.take_times();
    std::string all = frame->timed ? "" : "untimed";
    for (const auto& time : stage_times(*frame)) all += *time.path + ' ';
    EXPECT_EQ(frame->points > 0, frame->timed);
    return all;
  };
  const auto algorithm = std::string(selection.algorithm->name);
  EXPECT_EQ(names(TimingChoice::off), "untimed");
  EXPECT_EQ(names(TimingChoice::frame), "luma " + algorithm + " none ") << "no kernels, no copies";
  const auto kernels = names(TimingChoice::kernels);
  EXPECT_TRUE(kernels.starts_with("luma " + algorithm + ' ' + algorithm + '/')) << kernels;
  EXPECT_TRUE(kernels.ends_with(" none copy ")) << kernels;
  EXPECT_EQ(names(TimingChoice::every), kernels);
}

TEST(PipelineOnHostTest, ASinkGetsThePictureWithinItsFrame) {
  Pipeline pipeline(gpu::Device::host);
  EXPECT_EQ(pipeline.picture().size(), (gpu::Size{0, 0}));
  gpu::Size seen;
  pipeline.process(noise_frame({20, 10}), selection_for("none"), [&](gpu::Context& context, const Picture& picture) {
    seen = picture.size();
    context.parallel("to the sink", 1, [](int) {});
  });
  EXPECT_EQ(seen, (gpu::Size{20, 10}));
  const auto frame = pipeline.take_times();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->path(frame->spans.back()), "to the sink");
}

TEST(PipelineOnHostTest, ASinkThatThrowsLosesOnlyThatPicture) {
  Pipeline pipeline(gpu::Device::host);
  const PictureSink broken = [](auto&, auto&) { throw std::runtime_error("the disk is full"); };
  EXPECT_THROW(pipeline.process(noise_frame({20, 10}), selection_for("none"), broken), std::runtime_error);
  EXPECT_EQ(pipeline.size(), (gpu::Size{20, 10}));
  pipeline.process(noise_frame({20, 10}), selection_for("none"));
  EXPECT_TRUE(pipeline.take_times());
  EXPECT_TRUE(pipeline.take_times());
}

TEST(PipelineMakeSelectionTest, SuggestsTheNearestName) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.effect = "nonee";
  const auto why = gpu::test::refusal_of([&] { make_selection(settings, gpu::Device::host); });
  EXPECT_NE(why.find("'none'"), std::string::npos) << why;
}

using namespace std::chrono_literals;
constexpr TimingBudget::Clock::time_point start{};

// How many of `frames` frames are timed if timing one takes `cost` microseconds and frames begin every `interval`.
int timed(TimingBudget& budget, int frames, double cost, std::chrono::microseconds interval) {
  int count = 0;
  for (int i = 0; i < frames; ++i) {
    if (!budget.affords(start + i * interval)) continue;
    budget.spend(cost);
    ++count;
  }
  return count;
}

TEST(TimingBudgetTest, TimesEveryFrameIfThatCostsLessThanTheShareAndTheFirstOfARun) {
  TimingBudget cheap(0.03), dear(0.03);
  EXPECT_EQ(timed(cheap, 10'000, 20, 700us), 10'000);
  EXPECT_EQ(timed(dear, 50, 40, 1us), 50);
}

TEST(TimingBudgetTest, IdleTimeDoesNotAddUpAndOneInterruptionIsNotPaidForLong) {
  TimingBudget idle(0.03), interrupted(0.03);
  for (const auto now : {1h, 2h}) EXPECT_TRUE(idle.affords(start + now));
  idle.spend(2000);
  EXPECT_FALSE(idle.affords(start + 2h));
  EXPECT_TRUE(interrupted.affords(start));
  interrupted.spend(1e6);
  EXPECT_FALSE(interrupted.affords(start + 1ms));
  EXPECT_TRUE(interrupted.affords(start + 100ms));
}

TEST(TimingBudgetTest, LeavesOutAsManyFramesAsNeeded) {
  TimingBudget budget(0.03);
  constexpr int frames = 10'000, cost = 42, interval = 700, first = 2000;
  const auto spent = timed(budget, frames, cost, std::chrono::microseconds(interval)) * cost;
  EXPECT_LE(spent, 0.03 * frames * interval + first + cost);
  EXPECT_GE(spent, 0.03 * frames * interval) << "and no more";
}

TEST(TimingBudgetTest, EveryLaunchIsTimedWhateverItCosts) {
  TimingBudget budget(0.03), unlimited(1);
  for (auto* each : {&budget, &unlimited}) {
    EXPECT_EQ(each->detail(TimingChoice::off, start), gpu::TimingDetail::off);
    EXPECT_EQ(each->detail(TimingChoice::frame, start), gpu::TimingDetail::frame);
    EXPECT_EQ(each->detail(TimingChoice::kernels, start), gpu::TimingDetail::launches);
    each->spend(1e6);
    EXPECT_EQ(each->detail(TimingChoice::every, start), gpu::TimingDetail::launches);
  }
  EXPECT_EQ(budget.detail(TimingChoice::kernels, start), gpu::TimingDetail::off);
  EXPECT_EQ(unlimited.detail(TimingChoice::kernels, start), gpu::TimingDetail::launches);
}

}  // namespace
}  // namespace app
