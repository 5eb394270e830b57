// The benchmark's figures from measured times: over the algorithm's own traffic, and beside the paper's.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "gpu/benchmarks/peer_times.h"
#include "gpu/benchmarks/reports.h"
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
  for (const auto& [units, text] : {std::pair{1, ", 1 thread, "}, {16, ", 16 threads, "}}) {
    made.machine.units = units;
    EXPECT_NE(header_text(made).find(text), std::string::npos) << header_text(made);
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
  EXPECT_NE(markdown_text(made).find("(overhead over the fastest of copy, convert_copy and convert_words)"),
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
  EXPECT_NE(json_text(made).find(R"("failure": "a \"b\" \\ c[0m")"), std::string::npos) << json_text(made);
  made.cells[0].failure.clear();
  EXPECT_NE(json_text(made).find("\"live_us\": null"), std::string::npos) << json_text(made);
  made.cells[0].timing.live = 12.5;
  EXPECT_NE(json_text(made).find("\"live_us\": 12.500"), std::string::npos) << json_text(made);
}

TEST(ResultsBenchTest, MemoryIsRoundedToTheNearest) {
  Results made;
  for (const auto& [half_gib, text] : {std::pair(std::size_t{2}, " 1 GiB"), {3, " 2 GiB"}, {4, " 2 GiB"}}) {
    made.machine.memory_bytes = half_gib << 29;
    EXPECT_NE(header_text(made).find(text), std::string::npos) << header_text(made);
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

// Of a bound itself there is no overhead, and a peer is no row of its own table.
TEST(ResultsBenchTest, ARowIsComparedWithOtherRows) {
  const auto made = results();
  const auto text = terminal_text(made);
  EXPECT_EQ(text.find("(0%)"), text.npos) << text;
  EXPECT_NE(text.find("60.0 (500%)"), text.npos) << text;
  const auto tables = speed_ups(made, {"2r1w"});
  ASSERT_EQ(tables.size(), 1u);
  const TextTable expected{
      {"faster than 2r1w", "32f32f"}, {"copy", "6.00x"}, {"1r1w_skss_lb W=64", "5.00x"}, {"cub", "0.75x"}};
  EXPECT_EQ(tables[0].grid, expected);
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

// A column of parameters is that of the types of which some were chosen.
TEST(ResultsBenchTest, ParametersAreThoseOfTheirType) {
  auto made = results();
  made.types = {SatType::f32_f32, SatType::u8_u32};
  auto other = made.cells[1];
  other.type = SatType::u8_u32, other.arguments = "W=64";
  made.cells.push_back(other);
  const auto text = terminal_text(made);
  EXPECT_EQ(text.find("32f32f: the fastest parameters"), text.npos) << text;
  EXPECT_NE(text.find("8u32u: the fastest parameters"), text.npos) << text;
}

// The distance of two colours as people see it (CIELAB, 1976): 2 can just be told apart beside each other.
double distance(unsigned one, unsigned other) {
  const auto lab = [](unsigned colour) {
    const auto linear = [&](int shift) {
      const double c = ((colour >> shift) & 255) / 255.0;
      return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double r = linear(16), g = linear(8), b = linear(0);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16 / 116.0; };
    const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
                 z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
  };
  const auto a = lab(one), b = lab(other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(ResultsBenchTest, EveryAlgorithmHasItsOwnColourInTheChart) {
  auto made = results();
  made.rows = {"copy"};
  made.cells = {made.cells[0]};
  for (const auto* algorithm : sat_algorithms()) {
    made.rows.emplace_back(algorithm->name);
    made.cells.push_back(cell(made.rows.back(), {1024, 1024}, 20));
  }
  const auto svg = svg_text(made);
  std::vector<unsigned> colours;
  constexpr std::string_view line = "<polyline fill=\"none\" stroke=\"#";
  for (auto at = svg.find(line); at != svg.npos; at = svg.find(line, at + 1))
    colours.push_back(static_cast<unsigned>(std::stoul(svg.substr(at + line.size(), 6), nullptr, 16)));
  EXPECT_GE(colours.size() + bounds(made.device).size(), sat_algorithms().size());
  for (std::size_t i = 0; i < colours.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(distance(colours[i], colours[j]), 20) << made.rows[i] << made.rows[j];
}

// The points of each line, in the order of the text.
std::vector<std::vector<std::pair<double, double>>> lines_of(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> lines;
  constexpr std::string_view begin = " points=\"";
  for (auto at = svg.find(begin); at != svg.npos; at = svg.find(begin, at + 1)) {
    std::istringstream points(svg.substr(at + begin.size(), svg.find('"', at + begin.size()) - at - begin.size()));
    auto& line = lines.emplace_back();
    char comma = 0;
    for (double x = 0, y = 0; points >> x >> comma >> y;) line.emplace_back(x, y);
  }
  return lines;
}

// Sides and overheads by their logarithms, what is below 1% at 1%, whatever the order of the sizes; a panel for each type, below the
// one before; and the slowest at the largest size first in the legend.
TEST(ResultsBenchTest, TheChartShowsEveryOverheadAtItsPlace) {
  Results made;
  made.device = Device::cuda;
  made.types = {SatType::f32_f32, SatType::u8_u32};
  made.sizes = {{1024, 1024}, {256, 256}, {4096, 4096}};
  for (const auto& bound : bounds(Device::cuda)) made.rows.emplace_back(bound.name);
  made.rows.insert(made.rows.end(), {"falls", "a<b&c"});
  for (const auto type : made.types) {
    const double falling[] = {11, 20, 10.05};  // 10%, 100% and less than 1%
    for (std::size_t i = 0; i < 3; ++i) {
      for (const auto& [row, median] : {std::pair("copy", 10.0), {"falls", falling[i]}, {"a<b&c", 100.0}}) {
        made.cells.push_back(cell(row, made.sizes[i], median));
        made.cells.back().type = type;
        made.cells.back().bound = median == 10;
      }
    }
  }
  const auto svg = svg_text(made);
  const auto lines = lines_of(svg);
  ASSERT_EQ(lines.size(), 4u) << "two lines in each panel, none of a bound";
  double heights[2] = {};
  for (const std::size_t panel : {std::size_t{0}, std::size_t{1}}) {
    const auto &slow = lines[2 * panel], &falls = lines[2 * panel + 1];
    ASSERT_EQ(slow.size(), 3u);
    ASSERT_EQ(falls.size(), 3u);
    for (const auto* line : {&slow, &falls}) {
      EXPECT_LT((*line)[0].first, (*line)[1].first);
      EXPECT_NEAR((*line)[1].first - (*line)[0].first, (*line)[2].first - (*line)[1].first, 0.2);
    }
    EXPECT_NEAR(falls[1].second - falls[0].second, falls[2].second - falls[1].second, 0.2);
    EXPECT_GT(falls[1].second, falls[0].second);
    EXPECT_LT(slow[0].second, falls[0].second);
    EXPECT_EQ(slow[0].second, slow[2].second);
    heights[panel] = falls[0].second;
  }
  const auto at = svg.find("height=\"") + 8;
  EXPECT_NEAR(heights[1] - heights[0], std::stod(svg.substr(at)) / 2, 0.2);
  EXPECT_LT(svg.find(">a&lt;b&amp;c</text>"), svg.find(">falls</text>"));
  EXPECT_NE(svg.find("<title>falls, 256²: 20.0 us, 100%</title>"), svg.npos) << svg;
  EXPECT_EQ(svg.find("a<b"), svg.npos);
}

TEST(ResultsBenchTest, EveryReportHasBothColumns) {
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

TEST(ResultsPeerTimesTest, ADetectionIsReadAsItWasWritten) {
  const auto file = testing::TempDir() + "satscope-peer-times-" + std::to_string(getpid()) + ".csv";
  const PeerDetection written{"mix1080", "eye", {1920, 1080}, 0, 81.5, 174.25, 720, 1285, "4.6.0", "Intel Xeon, 2 threads"};
  std::ofstream(file) << peer_detection_comment() << "\n\n" << line_of(written) << '\n';
  const auto read = read_peer_detections(file);
  std::filesystem::remove(file);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(line_of(read[0]), line_of(written));
  EXPECT_EQ(read[0].picture, "mix1080");
  EXPECT_EQ(read[0].size, (Size{1920, 1080}));
  EXPECT_EQ(read[0].detections, 0);
  EXPECT_EQ(read[0].opencv, 720);
  EXPECT_EQ(read[0].processor, "Intel Xeon, 2 threads");
}

TEST(ResultsPublishedTest, ExistsForSquareFloatTablesOnly) {
  EXPECT_EQ(published_overhead("1r1w_skss_lb", SatType::f32_f32, {4096, 4096}), 8.9);
  EXPECT_EQ(published_overhead("2r2w", SatType::f32_f32, {256, 256}), 1659.8);
  EXPECT_EQ(published_overhead("1r1w", SatType::f32_f32, {32768, 32768}), 42.9);
  EXPECT_FALSE(published_overhead("1r1w_skss_lb", SatType::u8_u32, {4096, 4096}));
  EXPECT_FALSE(published_overhead("1r1w_skss_lb", SatType::f32_f32, {1920, 1080}));
  EXPECT_FALSE(published_overhead("1r1w_skss_lb", SatType::f32_f32, {4096, 1080}));
  EXPECT_FALSE(published_overhead("cub", SatType::f32_f32, {4096, 4096}));
}

}  // namespace
}  // namespace gpu::benchmarks
