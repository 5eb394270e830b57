// What a history keeps of frames.
#include "app/session/frame_history.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace app {
namespace {

class FrameHistoryTest : public testing::Test {
 protected:
  struct Kept {
    FrameRecord record;
    FrameTimes times;
    std::vector<StageTime> stages;
  };
  // No value of a frame is that of another, or of another field.
  void SetUp() override {
    Work work;
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      const auto number = static_cast<double>(i);
      auto& [record, times, stages] = kept_[i];
      record.id = 10 + 3 * i;
      record.dropped_before = 2 + i;
      record.again = i == 1;
      record.presented = FrameRecord::Clock::time_point() + std::chrono::milliseconds(7 + i);
      record.interval_us = 100 + number;
      record.work_us = 50 + number;
      record.work_number = i < 2 ? 1 : 2;
      if (work.number != record.work_number) {
        work.number = record.work_number;
        history_.begin(work);
      }
      stages = {{&paths_[0], 0, false, 2, 30 + number, gpu::SpanKind::compute, 0},
                {&paths_[1], 1, true, 3, 20 + number, gpu::SpanKind::compute, 4 + number},
                {&paths_[2], 0, true, 1, 8 + number, gpu::SpanKind::transfer, 0}};
      times.id = record.id;
      times.dropped_before = record.dropped_before;
      times.interval_us = record.interval_us;
      times.work_us = record.work_us;
      if (i > 0) times.table_right = i == 1;
      times.first_launches = i == 2;
      times.timed = true;
      times.dropped_spans = 6 + i;
      times.device = {31 + number, 9 + number, 5 + number};
      times.stages = stages;
      times.points = static_cast<std::uint32_t>(12 + i);
      times.timing_us = 1.5 + number;
      times.drawn_bytes = static_cast<int>(4 + i);
      history_.add(record);
    }
    for (const auto& kept : kept_) history_.complete(kept.times);
  }
  // The frame at `index` has what was added for the `i`-th.
  void expect_kept(const FrameHistory& history, std::size_t index, std::size_t i) {
    SCOPED_TRACE(i);
    const auto& [record, times, stages] = kept_[i];
    const auto& frame = history.frames()[index];
    EXPECT_EQ(std::tuple(frame.id, frame.again, frame.work, frame.presented, frame.complete),
              std::tuple(record.id, record.again, record.work_number, record.presented, true));
    std::vector<StageTime> own_stages;
    const auto own = history.times(frame, own_stages);
    EXPECT_EQ(std::tuple(own.id, own.dropped_before, own.interval_us, own.work_us, own.table_right),
              std::tuple(times.id, times.dropped_before, times.interval_us, times.work_us, times.table_right));
    EXPECT_EQ(std::tuple(own.first_launches, own.timed, own.dropped_spans, own.points, own.timing_us, own.drawn_bytes),
              std::tuple(times.first_launches, times.timed, times.dropped_spans, times.points, times.timing_us,
                         times.drawn_bytes));
    EXPECT_EQ(std::tuple(own.device.computing, own.device.transferring, own.device.waiting),
              std::tuple(times.device.computing, times.device.transferring, times.device.waiting));
    ASSERT_EQ(own.stages.size(), stages.size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const auto &a = own.stages[s], &b = stages[s];
      EXPECT_EQ(std::tuple(*a.path, a.depth, a.leaf, a.launches, a.microseconds, a.kind, a.lost),
                std::tuple(*b.path, b.depth, b.leaf, b.launches, b.microseconds, b.kind, b.lost));
    }
  }

  const std::array<std::string, 3> paths_{"table", "table/sums", "copy/in"};  // copy itself is not timed
  std::array<Kept, 4> kept_;
  FrameHistory history_;
};

TEST_F(FrameHistoryTest, OfEachFrameItKeepsWhatWasAdded) {
  ASSERT_EQ(history_.frames().size(), kept_.size());
  const auto copy = history_;  // of a paused graph, and of frames that are saved
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    expect_kept(history_, i, i);
    expect_kept(copy, i, i);
    EXPECT_TRUE(copy.work(kept_[i].record.work_number));
  }
}

TEST_F(FrameHistoryTest, ARangeHasTheFramesFromItsFirstToItsLastOfOneWork) {
  const auto found = [&](std::uint64_t first, std::uint64_t last) {
    const auto indices = history_.find({first, last});
    return std::pair(indices.first, indices.end);
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(found(10, 13), Pair(0, 2));  // ids 10, 13 | 16, 19
  EXPECT_EQ(found(11, 13), Pair(1, 2));
  EXPECT_EQ(found(13, 13), Pair(1, 2));
  EXPECT_EQ(found(10, 15), Pair(0, 2));
  EXPECT_EQ(found(10, 16), Pair(2, 3)) << "of the later work alone";
  EXPECT_EQ(found(0, 99), Pair(2, 4));
  EXPECT_EQ(found(11, 12), Pair(0, 0)) << "between two frames";
  EXPECT_EQ(found(20, 30), Pair(0, 0));
  EXPECT_EQ(found(1, 9), Pair(0, 0));
}

}  // namespace
}  // namespace app
