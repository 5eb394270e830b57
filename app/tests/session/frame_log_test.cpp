// The history of frames: when a frame is complete, and which frames the figures are about.
#include "app/session/frame_log.h"

#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "app/control/change.h"
#include "app/control/fields.h"
#include "app/session/frame_history.h"
#include "gpu/execution/timeline.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

gpu::TimelineFrame times_of(std::uint64_t id, double microseconds) {
  static const auto paths = std::make_shared<std::vector<std::string>>(
      std::initializer_list<std::string>{"table", "table/sums"});
  gpu::TimelineFrame times;
  times.id = id;
  times.timed = true;
  times.paths = paths;
  times.spans = {{0, -1, 0, 0, microseconds, true}, {1, 0, 0, 0, microseconds / 3, true}};
  return times;
}

class FrameLogTest : public testing::Test {
 protected:
  FrameRecord record_of(std::uint64_t id) const {
    FrameRecord record;
    record.id = id;
    record.source = source;
    return record;
  }
  static Selection selection(const std::string& effect, gpu::Device device = gpu::Device::host) {
    Settings settings;
    settings.effect = effect;
    return make_selection(settings, device);
  }
  void made(std::uint64_t id, const std::string& effect = "none", gpu::Size size = {64, 48}) {
    made(id, selection(effect), size);
  }
  void made(std::uint64_t id, const Selection& selection, gpu::Size size = {64, 48}) {
    auto record = record_of(id);
    record.captured = record.taken = record.enqueued = FrameLog::Clock::now();
    log.begin_turn();
    log.begin(std::move(record));
    log.made(selection, size);
  }
  void frame(std::uint64_t id, const std::string& effect = "none") {
    made(id, effect);
    log.drawn();
  }
  void timed_frame(std::uint64_t id, double microseconds, const std::string& effect = "none") {
    frame(id, effect);
    log.take(times_of(id, microseconds));
  }
  void frame_again(std::uint64_t id) {
    auto record = record_of(id);
    record.again = true;
    log.begin(std::move(record));
    log.made(selection("none"), {64, 48});
    log.drawn();
  }

  // What the mark at the `i`-th frame says.
  std::string changed(std::size_t i) const {
    const auto frames = log.history().frames();
    return what_changed(*log.history().work(frames[i - 1].work), *log.history().work(frames[i].work));
  }

  std::shared_ptr<const std::string> source = std::make_shared<const std::string>("clip.mp4, 64x48");
  std::vector<FrameRecord> complete;
  std::function<void(const FrameRecord&)> also;
  FrameLog log{[this](const FrameRecord& record) {
    complete.push_back(record);
    if (also) also(record);
  }};
};

using namespace std::chrono_literals;

TEST_F(FrameLogTest, AFrameIsCompleteWhenItIsPresentedAndItsTimesHaveArrived) {
  frame(1);
  EXPECT_EQ(log.latest().size(), 1u);
  EXPECT_EQ(log.figures().frames, 0u);
  log.take(times_of(1, 30));
  ASSERT_EQ(complete.size(), 1u);
  EXPECT_EQ(complete[0].times.spans.size(), 2u);
  EXPECT_EQ(log.figures().frames, 1u);
  EXPECT_EQ(log.figures().stages.total().last, 30);
  log.take(times_of(2, 40));  // times of the host arrive before the picture is drawn
  made(2);
  EXPECT_EQ(complete.size(), 1u);
  log.drawn();
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[1].times.spans[0].ended, 40) << "not those of another frame";
}

// The first use of a kernel takes as long as loading it.
TEST_F(FrameLogTest, AFirstLaunchIsInNoFigure) {
  for (std::uint64_t id = 1; id <= 3; ++id) {
    frame(id);
    auto times = id == 1 ? gpu::TimelineFrame() : times_of(id, 30);
    times.id = id;
    times.first_launches = id == 1;
    log.take(std::move(times));
  }
  log.select(FrameRange{1, 3});
  for (const auto* figures : {&log.figures(), &log.shown()}) {
    EXPECT_EQ(figures->frames, 3u);
    EXPECT_EQ(figures->first_launches, 1u);
    EXPECT_EQ(figures->untimed, 0u) << "it is no frame that could not be timed";
    EXPECT_EQ(figures->stages.frames(), 2u);
    EXPECT_EQ(figures->stages.total().max, 30);
    EXPECT_EQ(figures->stages.total().mean, 30);
  }
}

// Only where OpenGL draws on the GPU that computes; in the figures of the work, of a range, and in the rows.
TEST_F(FrameLogTest, TimeLostToDrawingIsInNoFigure) {
  const auto run = [&](bool draws, gpu::Device device) {
    FrameLog own([this](const FrameRecord& record) { complete.push_back(record); });
    own.draws_on_gpu(draws);
    complete.clear();
    for (std::uint64_t id = 1; id <= 20; ++id) {
      own.begin_turn();
      own.begin(record_of(id));
      own.made(make_selection(Settings(), device), {64, 48});
      own.drawn();
      own.take(times_of(id, id == 15 ? 630 : 30));
    }
    own.select(FrameRange{1, 20});
    for (const auto* figures : {&own.figures(), &own.shown()}) {
      const bool lost = draws && device == gpu::Device::cuda;
      EXPECT_EQ(figures->frames, 20u);
      EXPECT_EQ(figures->lost_us.count(), lost ? 1u : 0u);
      EXPECT_EQ(figures->stages.rows().front().max, lost ? 30 : 630);
      EXPECT_EQ(figures->stages.rows().back().lost_frames, lost ? 1u : 0u);
      EXPECT_EQ(figures->stages.rows().back().frames, lost ? 19u : 20u);
    }
    ASSERT_EQ(complete.size(), 20u);
    EXPECT_EQ(complete[14].times.spans[1].lost > 0, draws && device == gpu::Device::cuda);
  };
  run(true, gpu::Device::cuda);
  run(false, gpu::Device::cuda);
  run(true, gpu::Device::host);
}

// A change of the work changes times, which is no time lost.
TEST_F(FrameLogTest, OtherWorkLosesNoTime) {
  log.draws_on_gpu(true);
  std::uint64_t id = 0;
  for (const double microseconds : {30, 900, 30, 900})
    for (int i = 0; i < 12; ++i) {
      made(++id, selection(microseconds > 100 ? "box_blur" : "none", gpu::Device::cuda));
      log.drawn();
      log.take(times_of(id, microseconds));
      EXPECT_EQ(log.figures().lost_us.count(), 0u);
    }
}

TEST_F(FrameLogTest, EveryFrameGetsItsOwnTimesInAnyOrderOfArrival) {
  for (std::uint64_t id = 1; id <= 4; ++id) frame(id);
  for (const std::uint64_t id : {3u, 1u, 4u, 2u}) log.take(times_of(id, static_cast<double>(id)));
  ASSERT_EQ(complete.size(), 4u);
  for (std::uint64_t id = 1; id <= 4; ++id) {
    EXPECT_EQ(complete[id - 1].id, id);
    EXPECT_EQ(complete[id - 1].times.spans[0].ended, static_cast<double>(id));
    EXPECT_EQ(log.latest()[id - 1].times.id, id);
  }
}

TEST_F(FrameLogTest, TimesThatNeverArriveDelayAFrameOnlyBriefly) {
  for (std::uint64_t id = 1; id <= FrameLog::frames_awaited + 5; ++id) frame(id);
  EXPECT_EQ(complete.size(), 5u);
  EXPECT_EQ(log.figures().untimed, 5u);
  log.flush();
  EXPECT_EQ(complete.size(), FrameLog::frames_awaited + 5);
  EXPECT_EQ(log.figures().stages.frames(), 0u);
}

// More frames were never drawn than are awaited.
TEST_F(FrameLogTest, TheLatestTimesAreKept) {
  for (std::uint64_t id = 1; id <= 40; ++id) log.take(times_of(id, static_cast<double>(id)));
  for (std::uint64_t id = 36; id <= 40; ++id) frame(id);
  EXPECT_EQ(log.figures().frames, 5u);
  EXPECT_EQ(log.figures().untimed, 0u);
  EXPECT_EQ(log.figures().stages.total().max, 40);
}

TEST_F(FrameLogTest, AFrameThatIsNeverDrawnIsNotLogged) {
  made(1);
  made(2);
  log.drawn();
  log.flush();
  ASSERT_EQ(complete.size(), 1u);
  EXPECT_EQ(complete[0].id, 2u);
}

TEST_F(FrameLogTest, ARecordSaysWhatItsPictureWas) {
  const PictureCheck none, right = CheckAnswer{}, wrong = CheckAnswer{gpu::WrongTable{4, 3, 2, 110, 120}};
  log.add_check(wrong);  // of no frame: its picture was not begun here
  const struct {
    const PictureCheck &first, &second;
    std::optional<bool> right;
  } cases[] = {{wrong, right, false}, {none, none, {}}, {right, wrong, false}, {right, none, true}, {right, right, true}};
  std::uint64_t id = 0;
  for (const auto& one : cases) {
    const gpu::Size size{64, 48 + static_cast<int>(id)};
    log.begin_turn();
    log.begin(record_of(++id));
    log.add_check(one.first);
    log.add_check(one.second);
    log.made(make_selection(Settings(), gpu::Device::host), size, static_cast<int>(id));
    log.drawn();
    log.take(times_of(id, 5));
    ASSERT_EQ(complete.size(), id);
    EXPECT_EQ(complete.back().size, size);
    EXPECT_EQ(complete.back().drawn_bytes, static_cast<int>(id));
    EXPECT_EQ(complete.back().table_right, one.right) << id;
    EXPECT_TRUE(complete.back().checks.empty()) << "their memory";
    EXPECT_EQ(log.history().frames().back().table_right, one.right);
  }
}

// A window that was not drawn has shown nothing; its pictures are logged all the same.
TEST_F(FrameLogTest, WhatIsNotOnTheScreenHasNoAgeAndNoRateOfDrawing) {
  for (std::uint64_t id = 1; id <= 3; ++id) made(id), log.drawn(false), std::this_thread::sleep_for(2ms);
  log.flush();
  EXPECT_EQ(complete.size(), 3u);
  EXPECT_EQ(log.drawn_per_second(), 0);
  EXPECT_GT(log.pictures_per_second(), 0);
  EXPECT_EQ(log.age_us(), 0);
  frame(4);
  const auto age = log.age_us();
  EXPECT_GT(age, 0);
  frame_again(4);
  EXPECT_EQ(log.age_us(), age) << "no new frame";
}

// Each turn has its own waiting.
TEST_F(FrameLogTest, WhatTheTurnBeforeWaitedIsNotTakenFromTheNext) {
  made(1);
  log.waited(5s);
  log.drawn();
  made(2);
  log.drawn();
  log.flush();
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_LT(complete[0].work_us, 0);
  EXPECT_GE(complete[1].work_us, 0);
}

// Turns without a picture count, those that sleep do not.
TEST_F(FrameLogTest, CpuTimeIsThatOfTheLongestTurnSinceTheFrameBefore) {
  const auto compute_for = [](std::chrono::nanoseconds time) {
    timespec now{};
    const auto cpu = [&] {
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    };
    for (const auto begin = cpu(); cpu() - begin < time;) {}
  };
  for (std::uint64_t id = 1; id <= 3; ++id) {
    log.begin_turn();
    if (id == 2) compute_for(30ms);
    log.begin_turn();
    std::this_thread::sleep_for(30ms);
    frame(id);
  }
  log.flush();
  ASSERT_EQ(complete.size(), 3u);
  EXPECT_GE(complete[1].cpu_us, 30'000);
  EXPECT_LT(complete[0].cpu_us, 30'000);
  EXPECT_LT(complete[2].cpu_us, 30'000);
}

TEST_F(FrameLogTest, FiguresCoverTheFramesSinceTheWorkChanged) {
  for (std::uint64_t id = 1; id <= 3; ++id) timed_frame(id, 100);
  frame(4);  // its times are still missing
  frame(5, "box_blur");
  log.take(times_of(4, 100));
  log.take(times_of(5, 7));
  ASSERT_EQ(complete.size(), 5u);
  EXPECT_EQ(complete[3].selection->effect->name, "none");
  EXPECT_EQ(complete[3].of_work, 4u);
  EXPECT_EQ(complete[4].of_work, 1u);
  EXPECT_EQ(log.figures().frames, 1u);
  EXPECT_EQ(log.figures().stages.total().max, 7);
  EXPECT_EQ(log.figures().interval_us.count(), 0u) << "the interval is between two selections";
  made(6, "box_blur", {32, 24});
  EXPECT_EQ(log.figures().frames, 0u);
  log.drawn();
  source = std::make_shared<const std::string>("another");
  made(7, "box_blur", {32, 24});
  EXPECT_EQ(log.made_of_work(), 1u);
}

TEST_F(FrameLogTest, AResetAlsoDiscardsFramesInFlight) {
  timed_frame(1, 100);
  frame(2);
  log.reset();
  EXPECT_EQ(log.figures().frames, 0u) << "at once";
  EXPECT_EQ(log.made_of_work(), 0u);
  log.take(times_of(2, 100));
  EXPECT_EQ(log.figures().frames, 0u);
  EXPECT_EQ(complete.size(), 2u);
  timed_frame(3, 5);
  EXPECT_EQ(log.figures().frames, 1u);
  EXPECT_EQ(log.figures().stages.total().max, 5);
}

// With the next frame, which is of other work anyhow: one begins, not two.
TEST_F(FrameLogTest, AResetBeforeOtherWorkIsOneBeginning) {
  for (const char* effect : {"none", "box_blur", "none"}) {
    log.reset();
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto id = 1 + complete.size();
      timed_frame(id, 5, effect);
      EXPECT_EQ(log.figures().frames, i + 1) << effect;
      EXPECT_EQ(log.made_of_work(), i + 1) << effect;
      EXPECT_EQ(log.shown_indices().count(), i + 1) << effect;
    }
  }
  EXPECT_EQ(log.shown_work()->number, 3u);
}

TEST_F(FrameLogTest, IdleTimeOfTheWindowBelongsToNoFrame) {
  for (std::uint64_t id = 1; id <= 3; ++id) frame(id), std::this_thread::sleep_for(2ms);
  std::this_thread::sleep_for(400ms);
  log.begin_turn();
  log.idle();
  frame(4);
  frame(5);
  log.flush();
  ASSERT_EQ(complete.size(), 5u);
  EXPECT_EQ(complete[3].interval_us, 0);
  EXPECT_EQ(log.figures().interval_us.count(), 3u);
  EXPECT_LT(log.figures().interval_us.max(), 300'000);
}

TEST_F(FrameLogTest, WaitingIsNotCountedAsWork) {
  const auto start = FrameLog::Clock::now();
  made(1);
  std::this_thread::sleep_for(200ms);
  log.waited(200ms);
  log.drawn();
  const std::chrono::duration<double, std::micro> all = FrameLog::Clock::now() - start;
  log.flush();
  ASSERT_EQ(complete.size(), 1u);
  EXPECT_LE(complete[0].work_us, all.count() - 200'000);
  EXPECT_GE(complete[0].age_us(), 200'000);
}

// A paused video that is computed again has no rate.
TEST_F(FrameLogTest, IntervalsAreThoseOfNewFrames) {
  frame(1), std::this_thread::sleep_for(2ms), frame(2);
  for (int i = 0; i < 3; ++i) frame_again(2);
  std::this_thread::sleep_for(2ms), frame(3), std::this_thread::sleep_for(2ms), frame(4);
  log.flush();
  std::vector<bool> has;
  for (const auto& record : complete) has.push_back(record.interval_us > 0);
  EXPECT_EQ(has, (std::vector<bool>{false, true, false, false, false, false, true}));
}

TEST_F(FrameLogTest, RatesFallToZeroIfNoFramesArrive) {
  for (std::uint64_t id = 1; id <= 5; ++id) frame(id), std::this_thread::sleep_for(2ms);
  const auto pictures = log.pictures_per_second();
  EXPECT_GT(pictures, 0);
  for (std::uint64_t id = 100; id < 110; ++id) frame_again(id);
  EXPECT_EQ(log.pictures_per_second(), pictures) << "no new frame of the source";
  const auto end = FrameLog::Clock::now() + 1100ms;
  while (FrameLog::Clock::now() < end) std::this_thread::sleep_for(10ms), log.begin_turn(), log.drawn();
  EXPECT_EQ(log.pictures_per_second(), 0);
  EXPECT_GT(log.drawn_per_second(), 0);
}

TEST_F(FrameLogTest, KeepsTheLatestFrames) {
  for (std::uint64_t id = 1; id <= 3 * FrameLog::frames_kept; ++id) timed_frame(id, 1);
  EXPECT_EQ(log.latest().size(), FrameLog::frames_kept);
  EXPECT_EQ(log.latest().back().id, 3 * FrameLog::frames_kept);
  EXPECT_EQ(log.latest().front().id, 2 * FrameLog::frames_kept + 1);
  EXPECT_EQ(log.figures().frames, 3 * FrameLog::frames_kept) << "the figures cover all of them";
}

TEST_F(FrameLogTest, ARangeHasTheFiguresOfItsFrames) {
  for (std::uint64_t id = 1; id <= 9; ++id) timed_frame(id, static_cast<double>(id));
  log.select(FrameRange{4, 6});
  EXPECT_EQ(log.shown().frames, 3u);
  EXPECT_EQ(log.shown().first, 4u);
  EXPECT_EQ(log.shown().last, 6u);
  EXPECT_EQ(log.shown().stages.total().max, 6);
  EXPECT_EQ(log.figures().frames, 9u) << "those of the work go on";
  FrameFigures expected;
  for (std::size_t i = 3; i < 6; ++i) expected.add(complete[i]);
  EXPECT_EQ(log.shown().work_us.sum().nanoseconds, expected.work_us.sum().nanoseconds);
  EXPECT_EQ(log.shown().interval_us.sum().nanoseconds, expected.interval_us.sum().nanoseconds);
  const auto rows = log.shown().stages.rows(), expected_rows = expected.stages.rows();
  ASSERT_EQ(rows.size(), expected_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto numbers = [](const auto& row) {
      return std::tuple(row.name, row.depth, row.leaf, row.launches, row.mean, row.p999, row.frames);
    };
    EXPECT_EQ(numbers(rows[i]), numbers(expected_rows[i]));
    EXPECT_EQ(rows[i].frames, 3u);
  }
  log.select({});
  EXPECT_EQ(log.shown().frames, 9u);
}

TEST_F(FrameLogTest, ARangeOverTwoWorksIsOfTheLatterAlone) {
  for (std::uint64_t id = 1; id <= 4; ++id) timed_frame(id, 100);
  for (std::uint64_t id = 5; id <= 9; ++id) timed_frame(id, 7, "box_blur");
  log.select(FrameRange{2, 6});
  EXPECT_EQ(log.shown().frames, 2u);
  EXPECT_EQ(log.shown().first, 5u);
  EXPECT_EQ(log.shown().stages.total().max, 7);
  EXPECT_EQ(log.shown_work()->selection->effect->name, "box_blur");
  log.select(FrameRange{2, 4});
  EXPECT_EQ(log.shown().frames, 3u);
  EXPECT_EQ(log.shown_work()->selection->effect->name, "none");
  log.select(FrameRange{100, 200});
  EXPECT_EQ(log.shown().frames, 0u);
  EXPECT_EQ(log.shown_work(), nullptr);
  for (std::uint64_t id = 10; id <= 12; ++id) frame(id);
  log.select(FrameRange{10, 12});
  for (std::uint64_t id = 10; id <= 12; ++id) {
    EXPECT_EQ(log.shown().frames, id - 10) << "it grows while times of its frames arrive";
    log.take(times_of(id, 5));
  }
  EXPECT_EQ(log.shown().frames, 3u);
}

TEST_F(FrameLogTest, RangesInTurnHaveTheFiguresOfAFreshOne) {
  const auto ids = [](const std::vector<FrameRecord>& records) {
    std::vector<std::uint64_t> all;
    for (const auto& record : records) all.push_back(record.id);
    return all;
  };
  for (std::uint64_t id = 1; id <= 9; ++id) timed_frame(id, static_cast<double>(id));
  for (std::uint64_t id = 10; id <= 16; ++id) timed_frame(id, static_cast<double>(id), "box_blur");
  const std::optional<FrameRange> none;
  // As many frames as before, fewer, more, of another work, of none.
  for (const auto& range : {std::optional(FrameRange{1, 3}),
                            {FrameRange{4, 6}},
                            {FrameRange{5, 5}},
                            none,
                            {FrameRange{5, 5}},
                            {FrameRange{12, 12}},
                            {FrameRange{8, 11}},
                            {FrameRange{90, 95}},
                            {FrameRange{2, 9}},
                            none,
                            {FrameRange{10, 16}}}) {
    log.select(range);
    const auto& shown = log.shown();
    const auto indices = range ? log.history().find(*range) : FrameHistory::Indices{9, 16};
    const auto fresh = log.history().figures(indices);
    const auto text = range ? text_of(*range) : std::string();
    const auto numbers = [](const FrameFigures& f, const FrameHistory::Indices& i) {
      return std::tuple(f.frames, f.first, f.last, f.stages.total().max, f.work_us.sum().nanoseconds, i.first, i.end);
    };
    EXPECT_EQ(numbers(shown, log.shown_indices()), numbers(fresh, indices)) << text;
    const auto records = ids(log.shown_records());
    ASSERT_EQ(records.size(), indices.count()) << text;
    if (records.empty()) continue;
    EXPECT_EQ(records.front(), fresh.first) << text;
    EXPECT_EQ(log.shown_work()->number, log.history().frames()[indices.first].work) << text;
  }
}

// Each use of what a history keeps beyond its room.
TEST_F(FrameLogTest, AHistoryHasRoomForSoManyPathsAndSoLongTimes) {
  FrameHistory history;
  Work work;
  work.number = 1;
  history.begin(work);
  std::uint64_t id = 0;
  const auto add = [&](std::span<const StageTime> stages) {
    FrameRecord record;
    record.work_number = 1;
    record.id = ++id;
    history.add(record);
    FrameTimes times;
    times.id = id;
    times.timed = true;
    times.stages = stages;
    history.complete(times);
  };
  const std::string known = "known", last = "last";
  for (int i = 0; i < 600; ++i) {
    const auto own = "path " + std::to_string(i);
    const StageTime stages[] = {{&known, 0, true, 1, 5.0 + i}, {&own, 0, true, 1, 7}, {&last, 0, true, 3, 9}};
    add(stages);
  }
  EXPECT_EQ(history.paths().size(), 512u);
  for (std::size_t i = 0; i < history.frames().size(); ++i) {
    std::vector<StageTime> stages;
    history.times(history.frames()[i], stages);
    ASSERT_EQ(stages.size(), i < 510 ? 3u : 2u) << i;
    EXPECT_EQ(*stages.front().path, known);
    EXPECT_EQ(stages.front().microseconds, 5.0 + static_cast<double>(i));
    EXPECT_EQ(*stages.back().path, last);
    EXPECT_EQ(stages.back().launches, 3);
    if (i < 510) {
      EXPECT_EQ(*stages[1].path, "path " + std::to_string(i));
    }
  }
  const StageTime large[] = {{&known, 0, true, 100'000, 1e12}, {&last, 1, true, 2, 3}};
  add(large);
  std::vector<StageTime> stages;
  history.times(history.frames().back(), stages);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].launches, 2047) << "the most that there is room for";
  EXPECT_GT(stages[0].microseconds, 1e9);
  EXPECT_EQ(stages[1].launches, 2);
  EXPECT_EQ(stages[1].microseconds, 3);
}

TEST_F(FrameLogTest, TheHistoryHasManyMoreFramesAndForgetsTheOldest) {
  constexpr auto kept = FrameHistory::frames_kept;
  constexpr std::uint64_t all = 2 * kept + 100;
  FrameRecord record;
  FrameHistory history;
  Work work;
  std::vector<StageTime> stages;
  for (std::uint64_t id = 1; id <= all; ++id) {
    if (id % 5000 == 1) {
      ++work.number;
      history.begin(work);
    }
    record.id = id;
    record.work_number = work.number;
    record.work_us = static_cast<double>(id);
    record.times = times_of(id, static_cast<double>(id % 1000));
    history.add(record);
    history.complete(frame_times(record, stages));
  }
  const auto frames = history.frames();
  ASSERT_EQ(frames.size(), kept);
  EXPECT_EQ(history.added(), all);
  EXPECT_EQ(frames.back().id, all);
  EXPECT_EQ(frames.front().id, all - kept + 1);
  for (const auto& frame : frames) {
    ASSERT_EQ(history.stages(frame).size(), 2u);
    ASSERT_EQ(history.stages(frame)[0].nanoseconds, frame.id % 1000 * 1000) << frame.id;
  }
  EXPECT_EQ(history.stages(frames.back()).data() - history.stages(frames.front()).data(),
            2 * (static_cast<std::ptrdiff_t>(kept) - 1))
      << "one piece of memory, not beyond its end";
  ASSERT_NE(history.work(frames.front().work), nullptr);
  EXPECT_EQ(history.work(frames.front().work - 1), nullptr) << "its frames are gone";
  const auto found = history.find({all - kept, all});
  EXPECT_EQ(history.figures(found).frames, (all - 1) % 5000 + 1) << "those of the last work";
}

Rate::Clock::time_point at(double seconds) {
  return Rate::Clock::time_point() + std::chrono::milliseconds(std::lround(seconds * 1000));
}
// The rate of something that happens at these times.
Rate rate_of(std::initializer_list<double> times) {
  Rate rate;
  for (const auto seconds : times) rate.count(at(seconds));
  return rate;
}

TEST(FrameLogRateTest, ASlowRateComesFromItsIntervals) {
  EXPECT_NEAR(rate_of({0, 1.25}).now(at(2.4)), 0.8, 1e-9);
  const auto uneven = rate_of({0, 1.4, 2, 3.4, 4});
  for (const double now : {4.0, 4.5, 5.3}) EXPECT_NEAR(uneven.now(at(now)), 3 / 2.6, 1e-9) << now;
  EXPECT_EQ(uneven.now(at(6)), 0) << "nothing has come for more than two intervals";
  EXPECT_EQ(rate_of({0}).now(at(0)), 0);
}

TEST(FrameLogRateTest, APauseIsNoSlowRateAndAFastOneIsThatOfTheLastSecond) {
  EXPECT_EQ(rate_of({0, 0.1, 20}).now(at(20)), 0);
  EXPECT_NEAR(rate_of({0, 0.1, 20, 20.1}).now(at(20.1)), 10, 1e-9);
  EXPECT_NEAR(rate_of({0, 1, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3, 3.1}).now(at(3.1)), 10, 1e-9);
}

// What frames have in common whose figures belong together, and what a mark says where it changes.
using FrameHistoryWorkFrameLogTest = FrameLogTest;

TEST_F(FrameHistoryWorkFrameLogTest, WhateverElseTheCostDependsOnStartsTheFiguresAnew) {
  log.set_circumstance("path to the window", "interop");
  frame(1);
  log.set_circumstance("path to the window", "interop");
  frame(2);
  EXPECT_EQ(log.made_of_work(), 2u);
  log.set_circumstance("path to the window", "staged");
  frame(3);
  EXPECT_EQ(log.made_of_work(), 1u);
  const auto frames = log.history().frames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].work, frames[1].work);
  EXPECT_EQ(changed(2), "path to the window: staged, before interop");
}

TEST_F(FrameHistoryWorkFrameLogTest, TheFiguresStayUntilTheNextFrame) {
  log.set_circumstance("speed", "1x");
  for (std::uint64_t id = 1; id <= 3; ++id) timed_frame(id, 5);
  log.set_circumstance("speed", "2x");
  EXPECT_EQ(log.figures().frames, 3u);
  EXPECT_EQ(log.shown_indices().count(), 3u);
  EXPECT_EQ(log.shown_work()->circumstances[0].value, "1x");
  log.set_circumstance("speed", "1x");
  frame(4);
  EXPECT_EQ(log.made_of_work(), 4u) << "nothing has changed";
  log.set_circumstance("speed", "2x");
  frame(5);
  EXPECT_EQ(log.made_of_work(), 1u);
  EXPECT_EQ(changed(4), "speed: 2x, before 1x");
}

TEST_F(FrameHistoryWorkFrameLogTest, AMarkSaysWhatChanged) {
  frame(1);
  log.set_circumstance("path to the window", "staged");  // known only after the first frame: no change of the second
  frame(2, "box_blur");
  source = std::make_shared<const std::string>("another");
  made(3, "box_blur", {32, 24});
  log.drawn();
  log.reset();
  made(4, "box_blur", {32, 24});
  log.drawn();
  EXPECT_EQ(changed(1), "effect: Box blur, before None");
  EXPECT_EQ(changed(2), "source: another, before clip.mp4, 64x48\nsize: 32x24, before 64x48");
  EXPECT_EQ(changed(3), "statistics reset");
}

TEST_F(FrameHistoryWorkFrameLogTest, AMarkSaysWhichVersionOfAUsersKernelFollows) {
  std::array<gpu::KernelVersion, 3> versions;
  std::array<gpu::SatAlgorithm, 3> algorithms;
  std::array<gpu::Effect, 3> effects;
  Settings settings;
  settings.host_algorithm = "host_serial";  // which has no parameters
  settings.effect = "none";
  for (std::size_t i = 0; i < versions.size(); ++i) {
    auto chosen = make_selection(settings, gpu::Device::host);
    versions[i].name = "mine";
    versions[i].number = static_cast<int>(i) + 2;
    algorithms[i] = *chosen.algorithm;
    effects[i] = *chosen.effect;
    algorithms[i].name = effects[i].name = versions[i].name;
    algorithms[i].version = effects[i].version = &versions[i];
    chosen.algorithm = &algorithms[i];
    if (i == 2) chosen.effect = &effects[i];
    made(i + 1, chosen);
    log.drawn();
  }
  EXPECT_EQ(changed(1), "algorithm: mine.3, before mine.2");
  EXPECT_EQ(changed(2), "algorithm: mine.4, before mine.3\neffect: mine.4, before None");
}

TEST_F(FrameHistoryWorkFrameLogTest, AMarkNamesEverySettingThatStartsTheFiguresAnew) {
  const std::pair<std::vector<Change>, std::string> all[] = {
      {{{"check", "on"}}, "check: on, before off"},
      {{{"effect", "box_blur"}}, "effect: Box blur, before None"},
      {{{"window", "31x31"}, {"border", "replicate"}},
       "Box blur, Window: 31x31, before 15x15\nBox blur, Border: Repeat the edge, before Reflect (edge once)"},
      {{{"effect", "none"}}, "effect: None, before Box blur"},
      {{{"timing", "frame"}}, "timing: Frame, before Each kernel"},
      {{{"compare", "result,host_parallel"}, {"host_parallel.threads", "1"}},
       "comparison: host_serial and host_parallel threads=1, before off"},
      {{{"host_parallel.threads", "2"}},
       "comparison: host_serial and host_parallel threads=2, before host_serial and host_parallel threads=1"},
      {{{"compare", "sat_view,original"}, {"sat_view.scale", "modulo"}},
       "comparison: The table (Scale: Lower bits, Map: Viridis, Contours: 16, Bits: 22) and Original, before host_serial "
       "and host_parallel threads=2"},
      {{{"compare_mode", "difference"}}, "comparison mode: Difference, before Wipe"},
      {{{"amplification", "9"}}, "amplification: 9, before 8"},
  };
  Settings settings;
  settings.effect = "none";
  settings.host_algorithm = "host_serial";
  std::uint64_t id = 0;
  const auto next = [&] { made(++id, make_selection(settings, gpu::Device::host)), log.drawn(); };
  next();
  for (const auto& [changes, text] : all) {
    for (const auto& change : changes) apply(settings, change);
    next();
    EXPECT_EQ(log.made_of_work(), 1u) << text;
    EXPECT_EQ(changed(id - 1), text);
  }
}

}  // namespace
}  // namespace app
