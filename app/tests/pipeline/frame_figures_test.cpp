// Statistics over frames: what a mix of timed and untimed ones gives; and the rates of kernels.
#include "app/pipeline/frame_figures.h"

#include <gtest/gtest.h>
#include <tuple>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "app/control/change.h"
#include "gpu/choice/meter.h"
#include "gpu/execution/timeline.h"
#include "gpu/tables/tables.h"

namespace app {
namespace {

auto paths_of(std::initializer_list<std::string> paths) { return std::make_shared<std::vector<std::string>>(paths); }

FrameRecord frame_of(std::uint64_t id, bool timed) {
  FrameRecord record;
  record.id = id;
  record.interval_us = 100;
  record.work_us = 20;
  record.times.timed = timed;
  record.times.timing_us = 10;
  record.times.points = 4;
  record.times.paths = paths_of({"luma"});
  if (timed) record.times.spans = {{0, -1, 0, 0, 50, true}};
  return record;
}

TEST(FrameFiguresTest, UntimedFramesCountButHaveNoTimesOfStages) {
  FrameFigures figures;
  for (std::uint64_t id = 3; id < 11; ++id) figures.add(frame_of(id, id < 5));
  EXPECT_EQ(std::tuple(figures.frames, figures.first, figures.last, figures.untimed, figures.points),
            std::tuple(8, 3, 10, 6, 8));
  EXPECT_EQ(figures.stages.frames(), 2u);
  EXPECT_EQ(figures.interval_us.count(), 8u);
  EXPECT_DOUBLE_EQ(figures.fps(), 1e4);
}

// A group with two kernels; in one frame the second lost 300 of its 366 us.
FrameRecord frame_of_group(std::uint64_t id, double lost) {
  auto record = frame_of(id, true);
  record.times.paths = paths_of({"upload", "tables", "tables/luma", "tables/channels"});
  record.times.spans = {{0, -1, 0, 0, 10, true, gpu::SpanKind::transfer},
                        {1, -1, 0, 10, 106 + lost, true},
                        {2, 1, 0, 10, 40, true},
                        {3, 1, 0, 40, 106 + lost, true}};
  for (const std::size_t i : {1u, 3u}) record.times.spans[i].lost = lost;
  return record;
}

TEST(FrameFiguresTest, TimesThatWereInterruptedAreLeftOutAndCounted) {
  FrameFigures figures, without;
  for (std::uint64_t id = 1; id <= 10; ++id) {
    figures.add(frame_of_group(id, id == 4 ? 300 : 0));
    if (id != 4) without.add(frame_of_group(id, 0));
  }
  EXPECT_EQ(figures.lost_us.count(), 1u);
  EXPECT_EQ(figures.lost_us.max(), 300);
  const auto rows = figures.stages.rows(), expected = without.stages.rows();
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].name);
    const bool interrupted = i == 1 || i == 3;
    EXPECT_EQ(rows[i].frames, interrupted ? 9u : 10u);
    EXPECT_EQ(rows[i].lost_frames, interrupted ? 1u : 0u);
    EXPECT_EQ(rows[i].lost_us, interrupted ? 300 : 0);
    EXPECT_EQ(rows[i].max, expected[i].max);
    EXPECT_EQ(rows[i].mean, expected[i].mean);
    EXPECT_EQ(rows[i].launches, 1);
    EXPECT_DOUBLE_EQ(rows[i].share, expected[i].share);
    EXPECT_EQ(rows[i].recent.size(), rows[i].frames);
  }
  EXPECT_EQ(figures.stages.computing().max(), 96) << "it did not compute while something else was drawn";
  EXPECT_EQ(figures.stages.waiting().max(), 300);
  EXPECT_EQ(figures.stages.transfers().max(), 10);
}

TEST(FrameFiguresTest, AStageThatAlwaysLosesTimeHasNoFigures) {
  FrameFigures figures;
  for (std::uint64_t id = 1; id <= 3; ++id) figures.add(frame_of_group(id, 300));
  const auto rows = figures.stages.rows();
  EXPECT_EQ(std::tuple(rows[3].frames, rows[3].lost_frames, rows[3].mean, rows[3].launches, rows[3].share),
            std::tuple(0, 3, 0, 0, 0));
  EXPECT_EQ(rows[2].share, 1);
}

TEST(FrameFiguresTest, TheShareOfTheTimingIsOfAllFrames) {
  FrameFigures figures;
  EXPECT_EQ(figures.timing_share(), 0);
  for (const bool timed : {true, true}) figures.add(frame_of(figures.frames, timed));
  EXPECT_DOUBLE_EQ(figures.timing_share(), 0.1);
  for (int untimed = 0; untimed < 6; ++untimed) figures.add(frame_of(figures.frames, false));
  EXPECT_DOUBLE_EQ(figures.timing_share(), 0.025) << "10 of 100 us, in a quarter of the frames";
}

// Each of a frame's properties is counted by itself.
TEST(FrameFiguresTest, EveryPropertyOfFramesIsCountedByItself) {
  auto dropped = frame_of(1, true), right = frame_of(2, true), wrong = frame_of(3, true), first = frame_of(4, false),
       untimed = frame_of(5, false), full = frame_of(6, true), still = frame_of(7, true);
  dropped.dropped_before = 3;
  right.table_right = true;
  wrong.table_right = false;
  first.times.first_launches = 2;
  full.times.dropped = 4;
  still.interval_us = 0;
  still.drawn_bytes = 8;
  first.drawn_bytes = 4;
  const auto figures_of = [](const std::vector<FrameRecord>& frames) {
    FrameFigures figures;
    for (const auto& frame : frames) figures.add(frame);
    return figures;
  };
  const auto all = figures_of({dropped, right, wrong, first, untimed, full, still});
  EXPECT_EQ(std::tuple(all.frames, all.dropped, all.checked, all.wrong, all.first_launches), std::tuple(7, 3, 2, 1, 1));
  EXPECT_EQ(all.untimed, 1u) << "not the one whose kernels ran for the first time";
  EXPECT_EQ(std::tuple(all.dropped_spans, all.interval_us.count(), all.work_us.count(), all.points, all.timing_us.count()),
            std::tuple(4, 6, 7, 20, 5));
  EXPECT_EQ(all.drawn_bytes, 8u) << "of timed frames";
  const auto two = figures_of({dropped, dropped});
  EXPECT_EQ(two.dropped, 6u);
  EXPECT_EQ(two.first, 1u);
  EXPECT_EQ(figures_of({wrong, wrong, right}).wrong, 2u);
}

// A frame takes the longest of its interval, its work and its time on the device.
TEST(FrameFiguresTest, TheTimingsShareIsOfWhateverTakesLongest) {
  for (const int longest : {0, 1, 2}) {
    auto frame = frame_of(1, true);
    frame.interval_us = longest == 0 ? 1000 : 40;
    frame.work_us = longest == 1 ? 1000 : 40;
    frame.times.spans[0].ended = longest == 2 ? 1000 : 40;
    FrameFigures figures;
    figures.add(frame);
    EXPECT_DOUBLE_EQ(figures.timing_share(), 0.01) << longest;
  }
}

TEST(FrameFiguresTest, TheLowRateIsThatOfTheSlowestIntervals) {
  FrameFigures figures;
  for (int i = 0; i < 99; ++i) figures.add(frame_of(static_cast<std::uint64_t>(i), false));
  auto slow = frame_of(99, false);
  slow.interval_us = 1000;
  figures.add(slow);
  EXPECT_DOUBLE_EQ(figures.low_fps(10), 1e3);
  EXPECT_DOUBLE_EQ(figures.low_fps(20), 2e6 / 1100);
}

// The whole loss is that of the outermost stages, which contains what is within them.
TEST(FrameFiguresTest, WhatAFrameTookIsThereForTheLog) {
  auto record = frame_of_group(9, 300);
  record.dropped_before = 2;
  record.times.dropped = 1;
  std::vector<StageTime> stages;
  auto times = frame_times(record, stages);
  EXPECT_EQ(std::tuple(times.id, times.dropped_before, times.interval_us, times.work_us, times.dropped_spans, times.points),
            std::tuple(9, 2, 100, 20, 1, 4));
  EXPECT_EQ(std::tuple(times.timing_us, times.lost_us(), times.stages.size(), times.device.computing),
            std::tuple(10, 300, 4, 96));
  record.times.timed = false;
  times = frame_times(record, stages);  // the same memory, used again
  EXPECT_FALSE(times.timed);
  EXPECT_TRUE(times.stages.empty());
  EXPECT_EQ(times.points, 0u);
  EXPECT_EQ(times.lost_us(), 0);
}

// Percentiles compared with sorting all values.

TEST(FrameFiguresDistributionNearestRankTest, RoundsTheRankUp) {
  const std::size_t table[][3] = {
      {1, 50, 0},     {2, 50, 0},   {3, 50, 1}, {100, 99, 98}, {101, 99, 99},
      {700, 99, 692}, {10, 100, 9}, {10, 0, 0}, {0, 50, 0}};  // 693 of 700, without rounding errors
  for (const auto& [count, percent, rank] : table)
    EXPECT_EQ(gpu::nearest_rank(count, static_cast<unsigned>(percent)), rank) << count << ' ' << percent;
}

TEST(FrameFiguresDistributionTest, WithoutValuesEverythingIsZero) {
  const Distribution none;
  EXPECT_EQ(none.percentile(50), 0);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.max(), 0);
  EXPECT_EQ(none.share_above(1), 0);
}

TEST(FrameFiguresDistributionTest, IsExactForAnyNumberOfValuesAndQueries) {
  std::mt19937 random(5);
  Distribution distribution;
  std::vector<double> all;
  for (int i = 0; i < 60'000; ++i) {
    const double value = random() % (i % 3 ? 100'000 : 50);  // many equal ones
    distribution.add(value);
    all.push_back(value);
    if (random() % 1500 && i > 40) continue;
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (const unsigned permille : {1u, 10u, 999u})
      ASSERT_EQ(distribution.permille(permille), sorted[gpu::nearest_rank_permille(sorted.size(), permille)]);
    for (const unsigned permille : {1u, 10u}) {
      const auto largest = (sorted.size() * permille + 999) / 1000;
      const auto sum = distribution.largest(permille);
      ASSERT_EQ(sum.count, largest);
      ASSERT_EQ(sum.nanoseconds, std::accumulate(sorted.end() - static_cast<std::ptrdiff_t>(largest), sorted.end(), 0ll,
                                                 [](auto a, double b) { return a + std::llround(b * 1000); }));
    }
    for (const unsigned percent : {0u, 1u, 50u, 90u, 99u, 100u})
      ASSERT_EQ(distribution.percentile(percent), sorted[gpu::nearest_rank(sorted.size(), percent)]) << i << ' ' << percent;
    ASSERT_EQ(distribution.max(), sorted.back());
    ASSERT_EQ(distribution.last(), value);
    const auto above = std::count_if(all.begin(), all.end(), [](double v) { return v > 30'000; });
    ASSERT_DOUBLE_EQ(distribution.share_above(30'000), static_cast<double>(above) / static_cast<double>(all.size()));
  }
  EXPECT_EQ(distribution.count(), all.size());
}

// A sum of floating-point numbers would depend on their order.
TEST(FrameFiguresDistributionTest, TheMeanIsThatOfWholeNanosecondsInAnyOrder) {
  Distribution up, down;
  for (int i = 0; i < 100'000; ++i)
    up.add(0.001 * (i % 7) + 1e6 * (i % 2)), down.add(0.001 * ((99'999 - i) % 7) + 1e6 * (i % 2));
  EXPECT_EQ(up.sum().nanoseconds, down.sum().nanoseconds);
  EXPECT_EQ(up.mean(), down.mean());
  Distribution half;
  half.add(0.001);
  half.add(0.002);
  EXPECT_EQ(half.mean(), 0.002) << "halves are rounded up";
}

TEST(FrameFiguresDistributionTest, OfTheLargestThereIsAtLeastOne) {
  Distribution values;
  EXPECT_EQ(values.largest(1).per_second(), 0);
  for (const double value : {3.0, 1.0, 2.0}) values.add(value * 1000);
  EXPECT_EQ(values.largest(1).count, 1u);
  EXPECT_DOUBLE_EQ(values.largest(1).per_second(), 1 / 0.003);
  EXPECT_EQ(values.largest(1000).count, 3u);
}

// The times of stages, for frames with known spans.

// Spans one after another, given by path, parent and microseconds; those with a parent begin with it.
struct Given {
  int path, parent;
  double microseconds;
  bool timed = true;
  gpu::SpanKind kind = gpu::SpanKind::compute;
};

gpu::TimelineFrame frame_of(std::vector<std::string> paths, std::initializer_list<Given> spans) {
  gpu::TimelineFrame frame;
  frame.timed = true;
  frame.paths = std::make_shared<std::vector<std::string>>(std::move(paths));
  double now = 0;
  int index = 0;
  for (const auto& given : spans) {
    gpu::TimelineSpan span;
    span.path = given.path;
    span.parent = given.parent;
    span.started = now;
    span.ended = now + given.microseconds;
    span.timed = given.timed;
    span.kind = given.kind;
    frame.spans.push_back(span);
    const bool group = std::ranges::any_of(spans, [&](const Given& other) { return other.parent == index; });
    if (!group) now = span.ended;
    ++index;
  }
  return frame;
}

gpu::TimelineFrame example(double kernel) {
  return frame_of({"luma", "2r1w", "2r1w/sums"}, {{0, -1, 10}, {1, -1, kernel * 2}, {2, 1, kernel}, {2, 1, kernel}});
}

TEST(FrameFiguresStagesTest, IsEmptyBeforeTheFirstFrameThatHasTimes) {
  StageStatistics statistics;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(statistics.rows().empty());
    EXPECT_EQ(statistics.frames(), 0u);
    EXPECT_EQ(statistics.total().mean, 0);
    statistics.add(gpu::TimelineFrame{.first_launches = 1, .spans = {}, .paths = {}});
  }
}

TEST(FrameFiguresStagesTest, RowsAreKeyedByPathAndGroupsAreNotLeaves) {
  StageStatistics statistics;
  statistics.add(example(5));
  statistics.add(example(15));
  const auto rows = statistics.rows();
  ASSERT_EQ(rows.size(), 3u);
  const auto parts = [&](std::size_t i) { return std::tuple(rows[i].name, rows[i].leaf, rows[i].depth); };
  EXPECT_EQ(parts(0), std::tuple("luma", true, 0));
  EXPECT_EQ(parts(1), std::tuple("2r1w", false, 0));
  EXPECT_EQ(rows[1].mean, 20);
  EXPECT_DOUBLE_EQ(rows[1].share, 2.0 / 3);
  EXPECT_EQ(parts(2), std::tuple("2r1w/sums", true, 1));
  EXPECT_EQ(std::tuple(rows[2].launches, rows[2].last, rows[2].p50, rows[2].max), std::tuple(2, 30, 10, 30))
      << "both launches of the path";
  EXPECT_EQ(statistics.total().last, 40);
  EXPECT_EQ(statistics.frames(), 2u);
}

TEST(FrameFiguresStagesTest, SharesAreOfComputing) {
  using enum gpu::SpanKind;
  StageStatistics statistics;
  statistics.add(
      frame_of({"upload", "wait", "luma", "2r1w", "2r1w/sums", "2r1w/tables"},
               {{0, -1, 100, true, transfer}, {1, -1, 50, true, wait}, {2, -1, 10}, {3, -1, 45}, {4, 3, 10}, {5, 3, 20}}));
  const auto rows = statistics.rows();
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].kind, transfer);
  EXPECT_EQ(rows[1].kind, wait);
  EXPECT_EQ(rows[2].kind, compute);
  const double shares[] = {0, 0, 0.25, 0.75, 0.25, 0.5};
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_DOUBLE_EQ(rows[i].share, shares[i]) << rows[i].name;
  EXPECT_EQ(statistics.computing().last(), 55) << "with the gap between the algorithm's kernels";
  EXPECT_EQ(statistics.transfers().last(), 100);
  EXPECT_EQ(statistics.waiting().last(), 50);
}

// "lane 1" is no part of "lane 10", though its name begins it.
TEST(FrameFiguresStagesTest, APartIsWithinItsGroupByWholeNames) {
  StageStatistics statistics;
  statistics.add(
      frame_of({"lane 1", "lane 1/sums", "lane 10", "lane 10/sums"}, {{0, -1, 10}, {1, 0, 10}, {2, -1, 30}, {3, 2, 30}}));
  const auto rows = statistics.rows();
  ASSERT_EQ(rows.size(), 4u);
  const double shares[] = {0.25, 0.25, 0.75, 0.75};
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_DOUBLE_EQ(rows[i].share, shares[i]) << rows[i].name;
}

TEST(FrameFiguresStagesTest, TheLatestFramesAreKeptInTheirOrder) {
  StageStatistics statistics;
  for (const int frames : {100, 150, 190}) {  // the ring has wrapped around up to three times
    while (statistics.frames() < static_cast<std::uint64_t>(frames))
      statistics.add(example(static_cast<double>(statistics.frames())));
    const auto recent = statistics.rows().at(0).recent;
    ASSERT_EQ(recent.size(), StageStatistics::recent_frames);
    EXPECT_EQ(recent.back(), 10);
    const auto kernel = statistics.rows().at(2).recent;
    for (std::size_t i = 0; i < kernel.size(); ++i)
      EXPECT_EQ(kernel[i], 2 * static_cast<float>(static_cast<std::size_t>(frames) - kernel.size() + i)) << "two launches";
  }
}

TEST(FrameFiguresStagesTest, SpansWithoutTimesHaveNoRow) {
  StageStatistics statistics;
  statistics.add(frame_of({"2r1w", "2r1w/sums"}, {{0, -1, 7}, {1, 0, 0, false}}));
  ASSERT_EQ(statistics.rows().size(), 1u);
  EXPECT_TRUE(statistics.rows()[0].leaf);
}

TEST(FrameFiguresStagesTest, TheOrderIsThatOfTheLatestFrame) {
  StageStatistics statistics;
  statistics.add(frame_of({"a", "b"}, {{0, -1, 1}, {1, -1, 1}}));
  statistics.add(frame_of({"c", "a"}, {{0, -1, 1}, {1, -1, 1}}));
  std::string names;
  for (const auto& row : statistics.rows()) names += row.name;
  EXPECT_EQ(names, "cab");
}

// When a span begins and ends, and what it is.
void move_span(gpu::TimelineSpan& span, double started, double ended, gpu::SpanKind kind = gpu::SpanKind::compute) {
  span.started = started;
  span.ended = ended;
  span.kind = kind;
}

// On the CPU the picture waits for the window before it is copied; on a GPU kernels wait for OpenGL in a span of its own.
TEST(FrameFiguresStagesTest, ComputingIsOneThingTransfersAndWaitingAreOthers) {
  StageStatistics statistics;
  auto frame = frame_of({"luma", "copy to texture"}, {{0, -1, 100}, {1, -1, 30}});
  move_span(frame.spans[1], 5000, 5030, gpu::SpanKind::transfer);
  statistics.add(frame);
  EXPECT_EQ(statistics.total().last, 100);
  EXPECT_EQ(statistics.transfers().last(), 30);
  EXPECT_EQ(statistics.waiting().last(), 4900);
  auto gpu_frame = frame_of({"luma", "wait for the GPU"}, {{0, -1, 10}, {1, -1, 500}, {0, -1, 7}});
  move_span(gpu_frame.spans[1], 10, 510, gpu::SpanKind::wait);
  move_span(gpu_frame.spans[2], 515, 522);
  statistics.add(gpu_frame);
  EXPECT_EQ(statistics.total().last, 17);
  EXPECT_EQ(statistics.transfers().last(), 0);
  EXPECT_EQ(statistics.waiting().last(), 505);
}

TEST(FrameFiguresStagesTest, TimeThatOutermostSpansShareCountsOnce) {
  StageStatistics statistics;
  auto frame = frame_of({"luma", "upload"}, {{0, -1, 100}, {1, -1, 0}, {0, -1, 0}});
  move_span(frame.spans[1], 60, 130, gpu::SpanKind::transfer);  // overlaps the first
  move_span(frame.spans[2], 110, 120);                          // ends within the one before
  statistics.add(frame);
  EXPECT_EQ(statistics.computing().last(), 100);
  EXPECT_EQ(statistics.transfers().last(), 30);
  EXPECT_EQ(statistics.waiting().last(), 0);
}

TEST(FrameFiguresStagesTest, TimesAreRoundedToNanoseconds) {
  const auto times = stage_times(frame_of({"a"}, {{0, -1, 1.23456}}));
  EXPECT_EQ(times.at(0).microseconds, 1.235);
}

// Which rows have a rate, and of what.
constexpr gpu::Size image_size{640, 480};
constexpr double pixels = 640 * 480;

Selection on_host(const std::string& compare = "off") {
  Settings settings;
  settings.host_algorithm = "host_parallel";
  settings.effect = "none";
  apply(settings, {"compare", compare});
  return make_selection(settings, gpu::Device::host);
}

// A frame whose spans last 10 us each.
FrameFigures figures_of(std::vector<std::string> paths, std::vector<int> parents) {
  FrameRecord record;
  record.id = record.times.id = 1;
  record.times.timed = true;
  for (int path = 0; path < static_cast<int>(paths.size()); ++path)
    record.times.spans.push_back({path, parents[static_cast<std::size_t>(path)], 0, path * 10.0, path * 10.0 + 10, true});
  record.times.paths = std::make_shared<std::vector<std::string>>(std::move(paths));
  FrameFigures figures;
  figures.add(record);
  return figures;
}

std::vector<KernelRates> rates_of(const FrameFigures& figures, const Selection& selection) {
  return kernel_rates(figures.stages.rows(), figures, selection, image_size, 5);
}

TEST(FrameFiguresRatesTest, AnAlgorithmOfTheHostHasThatOfImageAndTable) {
  const auto rates = rates_of(figures_of({"luma", "host_parallel", "none"}, {-1, -1, -1}), on_host());
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_DOUBLE_EQ(rates[1].gb_per_s.value(), pixels * (1 + 4) / 10e-6 / 1e9);
  EXPECT_EQ(rates[1].of_bound, 0.5);
  for (const auto i : {0u, 2u}) EXPECT_FALSE(rates[i].gb_per_s || rates[i].of_bound) << "nobody counts these";
}

TEST(FrameFiguresRatesTest, EachSideOfAComparisonHasItsOwn) {
  const auto figures = figures_of(
      {"A: host_parallel", "A: host_parallel/host_parallel", "B: host_serial", "B: host_serial/host_serial"},
      {-1, 0, -1, 2});
  const auto rates = rates_of(figures, on_host("host_parallel,host_serial"));
  ASSERT_EQ(rates.size(), 4u);
  for (const auto i : {0u, 2u}) EXPECT_FALSE(rates[i].gb_per_s);
  for (const auto i : {1u, 3u}) EXPECT_TRUE(rates[i].gb_per_s && rates[i].of_bound);
}

// What its threads request is counted there: luma's launch, the algorithm's, and those of an effect that states them.
TEST(FrameFiguresRatesTest, OnAGpuEveryLaunchThatIsCountedHasItsOwn) {
  Settings settings;
  settings.cuda_algorithm = "2r1w";
  settings.effect = "none";
  auto selection = make_selection(settings, gpu::Device::cuda);
  const auto figures = figures_of({"luma", "2r1w", "2r1w/2r1w", "upload"}, {-1, -1, 1, -1});
  auto rates = rates_of(figures, selection);
  ASSERT_EQ(rates.size(), 4u);
  EXPECT_DOUBLE_EQ(rates[0].gb_per_s.value(), static_cast<double>(gpu::luma_traffic(image_size).bytes()) / 10e-6 / 1e9);
  EXPECT_FALSE(rates[0].of_bound) << "the bound is the algorithm's";
  EXPECT_DOUBLE_EQ(
      rates[1].gb_per_s.value(),
      static_cast<double>(bytes_of(*selection.algorithm, image_size, gpu::SatType::u8_u32, selection.algorithm_arguments)) /
          10e-6 / 1e9);
  EXPECT_EQ(rates[1].of_bound, 0.5);
  EXPECT_FALSE(rates[2].gb_per_s || rates[2].of_bound) << "its kernel of the same name";
  EXPECT_FALSE(rates[3].gb_per_s);
  rates = kernel_rates(figures.stages.rows(), figures, selection, image_size, {});
  EXPECT_TRUE(rates[1].gb_per_s && !rates[1].of_bound) << "the bound was not measured";
  selection.device = gpu::Device::simulated;
  for (const auto& rate : rates_of(figures, selection)) EXPECT_FALSE(rate.gb_per_s || rate.of_bound);
}

}  // namespace

}  // namespace app
