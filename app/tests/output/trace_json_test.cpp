// Traces in the Trace Event Format. Of tiles: each is a slice, and the slices of one thread do not overlap. Of known frames.
#include "app/output/trace_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/tests/pipeline/tile_example.h"

namespace app {
namespace {

using nlohmann::json;

TEST(TraceJsonTest, EveryTileIsASliceOfItsMultiprocessor) {
  const auto history = example_history();
  const auto all = json::parse(trace_json(history));
  EXPECT_EQ(all["otherData"]["algorithm"], "2r1w");
  std::set<std::pair<std::string, std::string>> tiles;
  std::map<int, std::string> processes;
  int waits = 0;
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] == "M") {
      processes[event["pid"]] = event["args"]["name"];
      continue;
    }
    ASSERT_EQ(event["ph"], "X");
    if (event["name"] == "waits for carries") {
      ++waits;
      continue;
    }
    const std::string name = event["name"], pass = event["cat"];
    EXPECT_TRUE(tiles.emplace(pass, name).second) << pass << ", " << name << " twice";
    EXPECT_TRUE(processes.contains(event["pid"].get<int>()));
  }
  EXPECT_EQ(tiles.size(), 8u);
  EXPECT_EQ(waits, 4);  // the first pass needs no carries
  EXPECT_EQ(processes, (std::map<int, std::string>{{3, "SM 3"}, {7, "SM 7"}}));
}

TEST(TraceJsonTest, TimesAreMicrosecondsAndSlicesOfAThreadDoNotOverlap) {
  const auto all = json::parse(trace_json(example_history()));
  std::map<std::pair<int, int>, double> busy_until;
  double last = 0;
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] != "X" || event["name"] == "waits for carries") continue;
    const double from = event["ts"], to = from + event["dur"].get<double>();
    auto& until = busy_until[{event["pid"], event["tid"]}];
    EXPECT_GE(from, until - 1e-9);
    until = to;
    last = std::max(last, to);
  }
  EXPECT_NEAR(last, 1.0, 1e-9);  // 1000 ns
  EXPECT_GT(busy_until.size(), 2u) << "two tiles run on SM 7 at the same time";
}

TEST(TraceJsonTest, ATileThatStartsWhenAnotherEndsIsOnItsThread) {
  auto history = example_history();
  history.passes = {{"tile sums", 32, 32, 2, 2, 0}};
  history.records.resize(4);
  for (std::uint32_t i = 0; i < 4; ++i) history.records[i] = {i * 100, i * 100, i * 100 + 100, 3, 1};
  complete(history);
  const auto all = json::parse(trace_json(history));
  int tiles = 0;
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] != "X") continue;
    EXPECT_EQ(event["tid"], 0) << event;
    ++tiles;
  }
  EXPECT_EQ(tiles, 4);
}

TEST(TraceJsonTest, ASliceSaysHowFarItsTileLookedBack) {
  const auto all = json::parse(trace_json(example_look_backs()));
  int tiles = 0;
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] != "X" || event["name"] == "waits for carries") continue;
    const auto& args = event["args"];
    const int I = args["row"], J = args["column"];
    EXPECT_EQ(args["look_back_left"], std::min(J, 2));
    EXPECT_EQ(args["look_back_up"], std::min(I, 2));
    EXPECT_EQ(args["look_back_diagonal"], std::min({I, J, 1}));
    ++tiles;
  }
  EXPECT_EQ(tiles, 12);
}

TEST(TraceJsonTest, AlgorithmsWithoutLookBacksSayNothingOfThem) {
  EXPECT_EQ(trace_json(example_history()).find("look_back"), std::string::npos);
}

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

TEST(TraceJsonOfFramesTest, HasTheFramesTheQueueAndTheDeviceOnOneClock) {
  const auto start = FrameRecord::Clock::now();
  std::vector frames{example(7, start), example(8, start + 20ms)};
  frames[0].times.spans[1].lost = 20;
  const auto trace = json::parse(frame_trace(frames));
  EXPECT_EQ(trace["otherData"]["frames"], 2);
  std::vector<json> queued, device, begins;
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
  EXPECT_EQ(device[1]["args"]["lost_us"], 20.0);
  EXPECT_FALSE(device[3]["args"].contains("lost_us"));
  EXPECT_EQ(device[2]["ts"], 23050.0);
  ASSERT_EQ(begins.size(), 6u);
  EXPECT_EQ(begins[0]["name"], "frame 7");
  EXPECT_EQ(begins[0]["ts"], 0.0);
}

TEST(TraceJsonOfFramesTest, OfNoFrameIsATraceToo) {
  const auto trace = json::parse(frame_trace({}));
  EXPECT_EQ(trace["otherData"]["frames"], 0);
}

TEST(TraceJsonTest, ASliceSaysWhichTileItIsAndHowLongItWaited) {
  auto history = example_history();
  auto all = json::parse(trace_json(history));
  EXPECT_EQ(all["otherData"]["parameters"], "W=32");
  EXPECT_EQ(all["otherData"]["width"], 60);
  EXPECT_EQ(all["otherData"]["height"], 50);
  EXPECT_EQ(all["otherData"]["simulated"], false);
  std::vector<json> of_last;
  for (const auto& event : all["traceEvents"])
    if (event["ph"] == "X" && event["ts"] == 0.725) of_last.push_back(event);
  ASSERT_EQ(of_last.size(), 2u);
  EXPECT_EQ(of_last[0]["args"], (json{{"row", 1}, {"column", 1}, {"launch", 2}, {"wait_us", 0.25}}));
  EXPECT_EQ(of_last[0]["name"], "tile 1,1");
  EXPECT_EQ(of_last[0]["dur"], 0.275);
  EXPECT_EQ(of_last[1]["name"], "waits for carries");
  EXPECT_EQ(of_last[1]["dur"], 0.25);
  EXPECT_EQ(of_last[1]["tid"], of_last[0]["tid"]);
  EXPECT_EQ(of_last[1]["pid"], 7);

  history.device = gpu::Device::simulated;
  history.records[1] = {};  // not recorded
  complete(history);
  all = json::parse(trace_json(history));
  EXPECT_EQ(all["otherData"]["simulated"], true);
  EXPECT_EQ(all["traceEvents"][0]["args"]["name"], "resident block 3");
  for (const auto& event : all["traceEvents"])
    EXPECT_FALSE(event.value("cat", "") == "tile sums" && event["name"] == "tile 0,1") << "it has no times";
}

TEST(TraceJsonOfFramesTest, AFramesWayHasAllItsParts) {
  const auto start = FrameRecord::Clock::now();
  auto second = example(8, start + 20ms);
  second.taken = second.captured;  // taken at once
  second.times.timed = false;
  second.work_us = 123;
  const auto trace = json::parse(frame_trace(std::vector{example(7, start), second}));
  std::vector<json> ways;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "b" || event["ph"] == "e") ways.push_back(event);
  const struct {
    int id;
    const char *phase, *name;
    double at;
  } expected[] = {{7, "b", "frame 7", 0},           {7, "e", "frame 7", 9000},
                  {7, "b", "waits to be taken", 0}, {7, "e", "waits to be taken", 2000},
                  {7, "b", "is made", 3000},        {7, "e", "is made", 9000},
                  {8, "b", "frame 8", 20000},       {8, "e", "frame 8", 29000},
                  {8, "b", "is made", 23000},       {8, "e", "is made", 29000}};
  ASSERT_EQ(ways.size(), std::size(expected));
  for (std::size_t i = 0; i < ways.size(); ++i) {
    EXPECT_EQ(ways[i]["id"], expected[i].id) << i;
    EXPECT_EQ(ways[i]["ph"], expected[i].phase) << i;
    EXPECT_EQ(ways[i]["name"], expected[i].name) << i;
    EXPECT_EQ(ways[i]["ts"], expected[i].at) << i;
  }
  EXPECT_EQ(ways[7]["args"]["work_us"], 123.0);
  for (const auto& event : trace["traceEvents"])
    EXPECT_TRUE(event["ph"] != "X" || event["args"]["frame"] == 7) << "the other frame has no times";
}

}  // namespace
}  // namespace app
