// Which rows have a rate, and of what.
#include "app/pipeline/kernel_rates.h"

#include <gtest/gtest.h>

#include "app/control/change.h"

namespace app {
namespace {

constexpr gpu::Size image_size{640, 480};
constexpr double pixels = 640 * 480;

Selection on_host(const std::string& compare = "off") {
  Settings settings;
  settings.host_algorithm = "host_parallel";
  settings.effect = "none";
  apply(settings, {"compare", compare});
  return make_selection(settings, gpu::Device::host);
}

// A frame whose spans last 10 us each.
FrameFigures figures_of(std::vector<std::string> paths, std::vector<int> parents) {
  FrameRecord record;
  record.id = record.times.id = 1;
  record.times.timed = true;
  for (int path = 0; path < static_cast<int>(paths.size()); ++path)
    record.times.spans.push_back({path, parents[static_cast<std::size_t>(path)], 0, path * 10.0, path * 10.0 + 10, true});
  record.times.paths = std::make_shared<std::vector<std::string>>(std::move(paths));
  FrameFigures figures;
  figures.add(record);
  return figures;
}

std::vector<KernelRates> rates_of(const FrameFigures& figures, const Selection& selection) {
  return kernel_rates(figures.stages.rows(), figures, selection, image_size, 5);
}

TEST(KernelRatesTest, AnAlgorithmOfTheHostHasThatOfImageAndTable) {
  const auto rates = rates_of(figures_of({"luma", "host_parallel", "none"}, {-1, -1, -1}), on_host());
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_DOUBLE_EQ(rates[1].gb_per_s.value(), pixels * (1 + 4) / 10e-6 / 1e9);
  EXPECT_EQ(rates[1].of_bound, 0.5);
  for (const auto i : {0u, 2u}) EXPECT_FALSE(rates[i].gb_per_s || rates[i].of_bound) << "nobody counts these";
}

TEST(KernelRatesTest, EachSideOfAComparisonHasItsOwn) {
  const auto figures = figures_of(
      {"A: host_parallel", "A: host_parallel/host_parallel", "B: host_serial", "B: host_serial/host_serial"},
      {-1, 0, -1, 2});
  const auto rates = rates_of(figures, on_host("host_parallel,host_serial"));
  ASSERT_EQ(rates.size(), 4u);
  for (const auto i : {0u, 2u}) EXPECT_FALSE(rates[i].gb_per_s);
  for (const auto i : {1u, 3u}) EXPECT_TRUE(rates[i].gb_per_s && rates[i].of_bound);
}

}  // namespace
}  // namespace app
