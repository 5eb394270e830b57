// The benchmark's figures from measured times: over the algorithm's own traffic, and beside the paper's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpu/benchmarks/export.h"
#include "gpu/benchmarks/published.h"
#include "gpu/benchmarks/table.h"

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
  made.types = {SatType::f32_f32};
  made.sizes = {size, {1000, 1000}};
  made.rows = {"copy", "2r1w", "1r1w_skss_lb W=64", "cub"};
  made.cells = {cell("copy", size, 10), cell("2r1w", size, 60, Traffic{16 * size.pixels(), 8 * size.pixels(), 3}),
                cell("1r1w_skss_lb W=64", size, 12), cell("cub", size, 80)};
  made.cells[0].bound = true;
  return made;
}

TEST(BenchResults, TimeOverOwnTraffic) {
  const auto made = results();
  EXPECT_DOUBLE_EQ(made.over_own_traffic(made.cells[1]), 2);
  EXPECT_TRUE(std::isnan(made.over_own_traffic(made.cells[3]))) << "its traffic is not known";
}

// Bytes to words: a memcpy of the same bytes may be faster than the kernel that converts, or slower.
TEST(BenchResults, OverheadsAreOverTheFasterBound) {
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
  EXPECT_NE(markdown_text(made).find("(overhead over the faster of copy and convert_copy)"), std::string::npos);
  made.cells[0].failure = "does not fit";
  EXPECT_DOUBLE_EQ(made.overhead(made.cells[2]), 100);
  made.cells[1].failure = "does not fit";
  EXPECT_TRUE(std::isnan(made.overhead(made.cells[2])));
}

TEST(BenchResults, EveryReportHasBothColumns) {
  const auto made = results();
  for (const auto& text : {terminal_text(made), markdown_text(made)}) {
    EXPECT_NE(text.find("time over own traffic"), text.npos) << text;
    EXPECT_NE(text.find("500% / 196%"), text.npos) << text;    // Table III: 196.4%
    EXPECT_NE(text.find("20.0% / 26.1%"), text.npos) << text;  // of a row with its parameters in the name
    EXPECT_NE(text.find(published_source), text.npos) << text;
  }
  const auto json = json_text(made);
  EXPECT_NE(json.find("\"over_own_traffic\": 2.000, \"published_overhead_percent\": 196.400"), json.npos) << json;
  const auto csv = csv_text(made);
  EXPECT_NE(csv.find(",2.000,196.400,\n"), csv.npos) << csv;
  // Every line has as many fields as the first.
  std::size_t fields = 0, begin = 0;
  while (begin < csv.size()) {
    const auto end = csv.find('\n', begin);
    const auto here = static_cast<std::size_t>(
        std::count(csv.begin() + static_cast<std::ptrdiff_t>(begin), csv.begin() + static_cast<std::ptrdiff_t>(end), ','));
    if (begin == 0) fields = here;
    EXPECT_EQ(here, fields) << csv.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Published, ExistsForSquareFloatTablesOnly) {
  EXPECT_EQ(published_overhead("1r1w_skss_lb", SatType::f32_f32, {4096, 4096}), 8.9);
  EXPECT_EQ(published_overhead("2r2w", SatType::f32_f32, {256, 256}), 1659.8);
  EXPECT_EQ(published_overhead("1r1w", SatType::f32_f32, {32768, 32768}), 42.9);
  EXPECT_FALSE(published_overhead("1r1w_skss_lb", SatType::u8_u32, {4096, 4096}));
  EXPECT_FALSE(published_overhead("1r1w_skss_lb", SatType::f32_f32, {1920, 1080}));
  EXPECT_FALSE(published_overhead("cub", SatType::f32_f32, {4096, 4096}));
}

}  // namespace
}  // namespace gpu::benchmarks
