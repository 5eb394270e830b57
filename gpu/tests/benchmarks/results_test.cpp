// The benchmark's figures from measured times, as text and as JSON.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/benchmarks/results.h"
#include "gpu/choice/bounds.h"

namespace gpu::benchmarks {
namespace {

Cell cell(std::string row, Size size, double median, std::optional<Traffic> traffic = {}) {
  Cell made{std::move(row), {}, SatType::f32_f32, size, false, {}, {}};
  made.timing.median = made.timing.minimum = made.timing.p90 = median;
  made.timing.samples = 1;
  made.traffic = traffic;
  return made;
}

// A copy moves 8 bytes per pixel in 10 us; the algorithm asks for 24 bytes per pixel in 60 us: twice its traffic's time.
Results results() {
  constexpr Size size{1024, 1024};
  Results made;
  made.device = Device::cuda;
  made.samples = 1;
  made.types = {SatType::f32_f32};
  made.sizes = {size, {1000, 1000}};
  made.rows = {"copy", "2r1w", "1r1w_skss_lb W=64", "cub"};
  made.cells = {cell("copy", size, 10), cell("2r1w", size, 60, Traffic{16 * size.pixels(), 8 * size.pixels(), 3}),
                cell("1r1w_skss_lb W=64", size, 12), cell("cub", size, 80)};
  made.cells[0].bound = true;
  return made;
}

TEST(ResultsBenchTest, TimeOverOwnTraffic) {
  const auto made = results();
  EXPECT_DOUBLE_EQ(made.over_own_traffic(made.cells[1]), 2);
  EXPECT_TRUE(std::isnan(made.over_own_traffic(made.cells[3]))) << "its traffic is not known";
}

TEST(ResultsBenchTest, OfOneThereIsNoPlural) {
  Results made;
  made.device = Device::host;
  made.samples = 1;
  for (const auto& [units, text] : {std::pair{1, ", 1 thread, "}, {16, ", 16 threads, "}}) {
    made.machine.units = units;
    EXPECT_NE(results_text(made).find(text), std::string::npos) << results_text(made);
  }
}

// A memcpy of the same bytes may be faster than the kernels that convert, or slower: nothing may beat the bound.
TEST(ResultsBenchTest, OverheadsAreOverTheFastestBound) {
  constexpr Size small{256, 256}, large{1024, 1024};
  auto made = results();
  made.types = {SatType::u8_u32};
  made.sizes = {small, large};
  made.rows = {"copy", "convert_copy", "2r1w"};
  made.cells = {cell("copy", small, 10), cell("convert_copy", small, 20), cell("2r1w", small, 40),
                cell("copy", large, 50), cell("convert_copy", large, 40), cell("2r1w", large, 60)};
  for (auto& each : made.cells) each.type = SatType::u8_u32;
  EXPECT_DOUBLE_EQ(made.overhead(made.cells[2]), 300);
  EXPECT_DOUBLE_EQ(made.overhead(made.cells[5]), 50);
  made.cells.push_back(cell("convert_words", small, 8));
  made.cells.back().type = SatType::u8_u32;
  EXPECT_DOUBLE_EQ(made.overhead(made.cells[2]), 400);
  made.cells.pop_back();
  EXPECT_NE(results_text(made).find("(overhead over the fastest of copy, convert_copy and convert_words)"),
            std::string::npos);
  made.cells[0].failure = "does not fit";
  EXPECT_DOUBLE_EQ(made.overhead(made.cells[2]), 100);
  made.cells[1].failure = "does not fit";
  EXPECT_TRUE(std::isnan(made.overhead(made.cells[2])));
}

TEST(ResultsBenchTest, WordsOfJsonAreQuoted) {
  auto made = results();
  made.cells = {made.cells[1]};
  made.cells[0].failure = "a \"b\" \\ c\n\x1b[0m";
  EXPECT_NE(results_json(made).find(R"("failure": "a \"b\" \\ c[0m")"), std::string::npos) << results_json(made);
  made.cells[0].failure.clear();
  EXPECT_NE(results_json(results()).find("\"over_own_traffic\": 2.000000"), std::string::npos) << results_json(results());
  EXPECT_NE(results_json(made).find("\"live_us\": null"), std::string::npos) << results_json(made);
  made.cells[0].timing.live = 12.5;
  EXPECT_NE(results_json(made).find("\"live_us\": 12.500000"), std::string::npos) << results_json(made);
}

TEST(ResultsBenchTest, MemoryIsRoundedToTheNearest) {
  Results made;
  made.samples = 1;
  for (const auto& [half_gib, text] : {std::pair(std::size_t{2}, " 1 GiB"), {3, " 2 GiB"}, {4, " 2 GiB"}}) {
    made.machine.memory_bytes = half_gib << 29;
    EXPECT_NE(results_text(made).find(text), std::string::npos) << results_text(made);
  }
}

TEST(ResultsBenchTest, NumbersHaveThreeDigits) {
  for (const auto& [value, text] : {std::pair(0.0, "0.00"),
                                    {9.99, "9.99"},
                                    {10.0, "10.0"},
                                    {99.9, "99.9"},
                                    {100.0, "100"},
                                    {-100.0, "-100"},
                                    {-10.0, "-10.0"},
                                    {1234.5, "1234"}})
    EXPECT_EQ(number(value), text);
}

TEST(ResultsBenchTest, OfABoundItselfThereIsNoOverhead) {
  const auto text = results_text(results());
  EXPECT_EQ(text.find("(0%)"), text.npos) << text;
  EXPECT_NE(text.find("60.0 (500%)"), text.npos) << text;
}

TEST(ResultsBenchTest, TrafficAloneHasNoTimes) {
  auto made = results();
  made.samples = 0;
  made.sizes = {{1024, 1024}};
  for (auto& each : made.cells) each.timing = {};
  const auto text = results_text(made), json = results_json(made);
  EXPECT_NE(text.find("\n32f32f           1024²\n2r1w    16.0 + 8.00, 3\n"), text.npos) << text;
  EXPECT_EQ(text.find("copy"), text.npos) << text;
  EXPECT_EQ(json.find("_us"), json.npos) << json;
}

// On the host one bound decides, whatever the others took.
TEST(ResultsBenchTest, OnTheHostOneBoundDecides) {
  Results made;
  made.device = Device::host;
  constexpr Size size{64, 64};
  for (const auto& one : bounds(Device::host))
    made.cells.push_back(
        cell(std::string(one.name), size, one.name == decisive_bound(Device::host, SatType::f32_f32) ? 30 : 10));
  made.cells.push_back(cell("host_serial", size, 60));
  EXPECT_DOUBLE_EQ(made.overhead(made.cells.back()), 100);
}

}  // namespace
}  // namespace gpu::benchmarks
