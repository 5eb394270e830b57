// A trace of known frames.
#include "app/output/frame_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

using namespace std::chrono_literals;

FrameRecord example(std::uint64_t id, FrameRecord::Clock::time_point captured) {
  FrameRecord frame;
  frame.id = id;
  frame.source = std::make_shared<const std::string>("clip");
  frame.selection = std::make_shared<const Selection>(make_selection(Settings(), gpu::Device::host));
  frame.captured = captured;
  frame.taken = captured + 2ms;
  frame.enqueued = captured + 3ms;
  frame.presented = captured + 9ms;
  frame.times.timed = true;
  frame.times.first_point = 50;
  frame.times.paths = std::make_shared<std::vector<std::string>>(
      std::initializer_list<std::string>{"2r1w", "2r1w/tile sums", "copy"});
  frame.times.spans = {{0, -1, 10, 0, 100, true, gpu::SpanKind::compute, 30},
                       {1, 0, 12, 5, 60, true, gpu::SpanKind::compute, 20},
                       {2, -1, 40, 0, 0, false, gpu::SpanKind::transfer, 45}};
  return frame;
}

TEST(FrameTextTraceTest, HasTheFramesTheQueueAndTheDeviceOnOneClock) {
  const auto start = FrameRecord::Clock::now();
  const std::vector frames{example(7, start), example(8, start + 20ms)};
  const auto trace = nlohmann::json::parse(frame_trace(frames));
  EXPECT_EQ(trace["otherData"]["frames"], 2);
  std::vector<nlohmann::json> queued, device, begins;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X") (event["tid"] == 2 ? queued : device).push_back(event);
    if (event["ph"] == "b") begins.push_back(event);
  }
  ASSERT_EQ(queued.size(), 6u);
  ASSERT_EQ(device.size(), 4u) << "a span without times was only queued";
  EXPECT_EQ(queued[1]["name"], "tile sums");
  EXPECT_EQ(queued[1]["ts"], 3012.0);
  EXPECT_EQ(queued[1]["dur"], 8.0);
  EXPECT_EQ(device[1]["args"]["path"], "2r1w/tile sums");
  EXPECT_EQ(device[1]["ts"], 3055.0) << "the device reached the frame's first point 50 us after it was begun";
  EXPECT_EQ(device[1]["dur"], 55.0);
  EXPECT_EQ(device[2]["ts"], 23050.0);
  ASSERT_EQ(begins.size(), 6u);
  EXPECT_EQ(begins[0]["name"], "frame 7");
  EXPECT_EQ(begins[0]["ts"], 0.0);
}

TEST(FrameTextTraceTest, OfNoFrameIsATraceToo) {
  const auto trace = nlohmann::json::parse(frame_trace({}));
  EXPECT_EQ(trace["otherData"]["frames"], 0);
}

}  // namespace
}  // namespace app
