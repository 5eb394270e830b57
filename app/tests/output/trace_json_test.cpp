// The trace in the Trace Event Format: every tile is a slice, and the slices of one thread do not overlap.
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

}  // namespace
}  // namespace app
