// tune(): with times of a stand-in, finds the fastest of each type and size in few runs.
#include "gpu/choice/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "gpu/choice/meter.h"

namespace gpu {
namespace {

const auto always = [](double, const std::string&) { return true; };

// One that takes a microsecond per launch and per million pixels, and of which `fast` is the fastest at that size.
double usual_time(const SatAlgorithm& algorithm, std::string_view fast, Size size) {
  return (algorithm.name == fast ? 1 : 2) * (1 + static_cast<double>(size.pixels()) * 1e-6);
}

TEST(TuneTest, FindsTheFastestOfEachTypeAndSize) {
  const auto fastest = [](SatType type, Size size, RunBy run_by) -> std::string_view {
    if (run_by == RunBy::launches && size.width == 256) return "1r1w_skss_lb";
    if (size.width > 4000) return type == SatType::u8_u32 ? "row_waves" : "decoupled_fallback";
    return "one_wave";
  };
  for (int turn = 0; turn < 2; ++turn) {
    const auto found = tune(
        [&](const SatAlgorithm& algorithm, SatType type, Size size, RunBy run_by, int) {
          const double time = usual_time(algorithm, fastest(type, size, run_by), size);
          return algorithm.name == "1r1w_skss_lb" ? std::min(time, 1.5 * (1 + static_cast<double>(size.pixels()) * 1e-6))
                                                  : time;
        },
        always);
    EXPECT_EQ(found.size(), 8 * usual_sat_types.size());
    for (const auto& one : found) {
      const auto type = find_sat_type(one.type)->type;
      EXPECT_EQ(one.in_graph.algorithm, fastest(type, one.size, RunBy::graph)) << one.type << one.size.width;
      EXPECT_EQ(one.launched.algorithm, fastest(type, one.size, RunBy::launches)) << one.type << one.size.width;
      EXPECT_EQ(one.in_graph.microseconds, 1 + static_cast<double>(one.size.pixels()) * 1e-6);
    }
  }
}

// What counts is the time of many samples.
TEST(TuneTest, AFewSamplesDecideOnlyWhoIsMeasuredWithMore) {
  const auto found = tune(
      [](const SatAlgorithm& algorithm, SatType, Size, RunBy, int samples) {
        if (algorithm.name == "2r1w") return samples < 20 ? 1.2 : 1.0;
        return algorithm.name == "one_wave" ? 1.1 : 3.0;
      },
      always);
  ASSERT_FALSE(found.empty());
  for (const auto& one : found) EXPECT_EQ(one.in_graph.algorithm, "2r1w");
}

TEST(TuneTest, WhatIsSlowIsLeftOutOfLaterSizesAndLibrariesOfAll) {
  std::map<std::string, std::set<int>> widths;
  int runs = 0;
  tune(
      [&](const SatAlgorithm& algorithm, SatType, Size size, RunBy, int) {
        ++runs;
        widths[std::string(algorithm.name)].insert(size.width);
        return algorithm.name == "2r2w" ? 50.0 : algorithm.name == "1r1w" ? 3.9 : 1.0;
      },
      always);
  EXPECT_EQ(widths["2r2w"], std::set{256});
  EXPECT_EQ(widths["1r1w"].size(), 8u);
  for (const auto* none : {"cub", "cub_segmented", "npp", "host_serial", "host_parallel", "host_ehsan", "host_wavefront"})
    EXPECT_EQ(widths.count(none), 0u) << none;
  EXPECT_LT(runs, 1500);
}

TEST(TuneTest, WhatDoesNotRunIsNotTheFastest) {
  const double never = std::numeric_limits<double>::infinity();
  const auto found = tune(
      [&](const SatAlgorithm& algorithm, SatType type, Size size, RunBy, int) {
        if (size.width >= 4096 || type == SatType::f64_f64) return never;  // no memory
        return algorithm.name == "one_wave" ? never : algorithm.name == "2r1w" ? 1.0 : 2.0;
      },
      always);
  EXPECT_EQ(found.size(), 6 * (usual_sat_types.size() - 1));
  for (const auto& one : found) EXPECT_EQ(one.launched.algorithm, "2r1w");
  EXPECT_TRUE(tune([&](auto&&...) { return never; }, always).empty());
}

TEST(TuneTest, EndsWhereItIsAskedTo) {
  double last = -1;
  int asked = 0;
  const auto progress = [&](double part, const std::string& what) {
    EXPECT_GT(part, last);
    EXPECT_LT(part, 1);
    EXPECT_NE(what.find('x'), std::string::npos);
    last = part;
    return ++asked < 3;
  };
  EXPECT_THROW(tune([](auto&&...) { return 1.0; }, progress), Interrupted);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace gpu
