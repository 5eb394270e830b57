// What an export says, from figures that are known.
#include "app/output/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

Report example() {
  Settings settings;
  settings.effect = "box_blur";
  settings.effect_values["box_blur"]["window"] = "9x5";
  Report report;
  report.device = "A \"quoted\" device";
  report.driver = "host, 2 threads";
  report.source = "clip.mp4, 4x3, 30/s";
  report.size = {4, 3};
  report.selection = make_selection(settings, gpu::Device::host);
  report.frames = 101;
  report.dropped = 2;
  for (int i = 100; i >= 1; --i) report.frame_ms.push_back(i);  // unsorted on purpose
  report.seconds = 5;
  gpu::TimelineRow row;
  row.name = "luma, first";
  row.launches = 2;
  row.mean = 1.5;
  row.p50 = 1;
  row.p90 = 2;
  row.p99 = 3;
  row.max = 4;
  report.kernels = {row};
  return report;
}

TEST(Export, JsonSaysWhatWasMeasured) {
  const auto json = nlohmann::json::parse(report_json(example()));
  EXPECT_EQ(json["device"], "A \"quoted\" device");
  EXPECT_EQ(json["driver"], "host, 2 threads");
  EXPECT_EQ(json["size"], (std::vector{4, 3}));
  EXPECT_EQ(json["algorithm"], "host_parallel");
  EXPECT_EQ(json["effect"], "box_blur");
  EXPECT_EQ(json["effect_parameters"]["window"], "9x5");
  EXPECT_EQ(json["frames"], 101);
  EXPECT_EQ(json["dropped"], 2);
  EXPECT_EQ(json["fps"], 20);
  EXPECT_EQ(json["frame_ms"]["mean"], 50.5);
  EXPECT_EQ(json["frame_ms"]["p50"], 50);
  EXPECT_EQ(json["frame_ms"]["p90"], 90);
  EXPECT_EQ(json["frame_ms"]["p99"], 99);
  EXPECT_EQ(json["frame_ms"]["max"], 100);
  const auto& kernel = json["kernels"].at(0);
  EXPECT_EQ(kernel["name"], "luma, first");
  EXPECT_EQ(kernel["launches"], 2);
  EXPECT_EQ(kernel["mean"], 1.5);
  EXPECT_EQ(kernel["p50"], 1);
  EXPECT_EQ(kernel["p90"], 2);
  EXPECT_EQ(kernel["p99"], 3);
  EXPECT_EQ(kernel["max"], 4);
}

TEST(Export, CsvHasTheSameRowsAndQuotesNames) {
  const auto csv = report_csv(example());
  EXPECT_NE(csv.find("\nframe,1,50500,50000,90000,99000,100000\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n\"luma, first\",2,1.5,1,2,3,4\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("# effect: box_blur window=9x5"), std::string::npos) << csv;
}

TEST(Export, ARunWithoutAnyPictureIsStillAReport) {
  const auto json = nlohmann::json::parse(report_json(Report{}));
  EXPECT_EQ(json["frames"], 0);
  EXPECT_EQ(json["fps"], 0);
  EXPECT_EQ(json["frame_ms"]["p50"], 0);
  EXPECT_TRUE(json["kernels"].empty());
}

TEST(Export, NamesThatAreNotUtf8DoNotStopIt) {
  auto report = example();
  report.source = "\xff\xfe.mp4";
  EXPECT_NO_THROW(nlohmann::json::parse(report_json(report)));
}

}  // namespace
}  // namespace app
