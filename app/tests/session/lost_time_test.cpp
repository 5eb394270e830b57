// Times of kernels in which something else had the GPU: which are marked, and which are not.
#include "app/session/frame_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace app {
namespace {

// Spans one after another: an upload, and a group of kernels with these times.
gpu::TimelineFrame frame_of(std::initializer_list<std::pair<const char*, double>> kernels, double upload = 20) {
  auto paths = std::make_shared<std::vector<std::string>>(std::initializer_list<std::string>{"upload", "tables"});
  gpu::TimelineFrame frame;
  frame.timed = true;
  frame.spans = {{0, -1, 0, 0, upload, true, gpu::SpanKind::transfer}, {1, -1, 0, upload, upload, true}};
  for (const auto& [name, microseconds] : kernels) {
    const auto path = "tables/" + std::string(name);
    auto at = std::find(paths->begin(), paths->end(), path);
    const auto index = static_cast<int>(at - paths->begin());
    if (at == paths->end()) paths->push_back(path);
    auto& end = frame.spans[1].ended;
    frame.spans.push_back({index, 1, 0, end, end + microseconds, true});
    end += microseconds;
  }
  frame.paths = std::move(paths);
  return frame;
}

class LostTimeTest : public testing::Test {
 protected:
  // The marks of each span.
  std::vector<double> marked(gpu::TimelineFrame frame) {
    lost.mark(frame);
    std::vector<double> all;
    for (const auto& span : frame.spans) all.push_back(span.lost);
    return all;
  }
  void usual(int frames, double channels = 67) {
    for (int i = 0; i < frames; ++i)
      EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", channels + i % 3}})), (std::vector<double>{0, 0, 0, 0})) << i;
  }

  LostTime lost;
};

TEST_F(LostTimeTest, FarAboveTheUsualItIsMarkedInTheKernelAndAroundIt) {
  usual(20);
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 368}})), (std::vector<double>{0, 300, 0, 300}));
  usual(20);
  EXPECT_EQ(marked(frame_of({{"luma", 312}, {"channels", 368}})), (std::vector<double>{0, 600, 300, 300}));
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 68}}, 420)), (std::vector<double>{400, 0, 0, 0})) << "a transfer";
}

TEST_F(LostTimeTest, NothingIsMarkedBeforeAnythingIsUsual) {
  usual(LostTime::fewest - 1);
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 368}})), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 368}})), (std::vector<double>{0, 300, 0, 300}));
}

// What varies as kernels do, and long kernels that vary by more than that.
TEST_F(LostTimeTest, WhatAKernelMayTakeItselfIsNotMarked) {
  usual(20);
  for (const double channels : {100.0, 150.0, 217.0})
    EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", channels}})), (std::vector<double>{0, 0, 0, 0})) << channels;
  lost.restart();
  usual(20, 1000);
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 1990}})), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 2100}})), (std::vector<double>{0, 1099, 0, 1099}));
}

// A kernel that becomes slower, as for another content of the frames, is not hidden.
TEST_F(LostTimeTest, WhatStaysBecomesUsual) {
  usual(static_cast<int>(LostTime::frames_remembered));
  std::size_t frames = 0;
  while (marked(frame_of({{"luma", 12}, {"channels", 400}}))[1] > 0) ASSERT_LE(++frames, LostTime::frames_remembered);
  EXPECT_EQ(frames, LostTime::frames_remembered / 2);
  EXPECT_EQ(marked(frame_of({{"luma", 12}, {"channels", 67}}))[1], 0);
}

TEST_F(LostTimeTest, OtherWorkStartsAnew) {
  usual(20);
  lost.restart();
  usual(20, 900);
}

TEST_F(LostTimeTest, OfAPathThatOccursOftenTheLongestSpanIsMarked) {
  const auto frame = [](double second) { return frame_of({{"diagonal", 100}, {"diagonal", second}, {"diagonal", 90}}); };
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(marked(frame(200)), std::vector<double>(5, 0.0)) << "two lengths are no interruption";
  EXPECT_EQ(marked(frame(800)), (std::vector<double>{0, 600, 0, 600, 0}));
}

TEST_F(LostTimeTest, WaitingAndFramesWithoutTimesAreLeftAlone) {
  auto frame = frame_of({{"luma", 12}});
  frame.spans[0].kind = gpu::SpanKind::wait;
  for (int i = 0; i < 20; ++i) marked(frame);
  frame.spans[0].ended += 1000;
  EXPECT_EQ(marked(frame), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(marked({}), std::vector<double>{});
}

}  // namespace
}  // namespace app
