// satscope sat: pixels of 64 bits.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>

#include "app/commands/commands.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

class SatOfDoublesTest : public testing::Test {
 protected:
  // The table's entries, row by row.
  std::vector<double> table(const cv::Mat& image, const std::string& type = "64f64f") {
    const auto from = (folder_.path() / "d.tiff").string(), to = (folder_.path() / "t.npy").string();
    EXPECT_TRUE(cv::imwrite(from, image));
    const std::string words[] = {"sat", from, "--device", "host", "--type", type, "-o", to};
    run_sat(parse_options(words));
    std::ifstream file(to, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<double> entries(image.total());
    const auto size = entries.size() * sizeof(double);
    if (bytes.size() >= size) std::memcpy(entries.data(), bytes.data() + bytes.size() - size, size);
    return entries;
  }
  std::string refusal(const cv::Mat& image, const std::string& type) {
    const auto why = gpu::test::refusal_of<ExitError>([&] { table(image, type); });
    return why == gpu::test::nothing_refused ? "" : why;
  }

  TemporaryFolder folder_;
};

TEST_F(SatOfDoublesTest, TheyAreNotRounded) {
  EXPECT_EQ(table(cv::Mat_<double>({1, 2}, {16777217.0, 0.5})), (std::vector{16777217.0, 16777217.5}));
  EXPECT_EQ(table(cv::Mat_<double>({1, 2}, {1e300, 1.0})), (std::vector{1e300, 1e300}));
}

TEST_F(SatOfDoublesTest, WhatATypeDoesNotHoldIsRefused) {
  const auto large = refusal(cv::Mat_<double>({1, 2}, {1, -1e300}), "32f32f");
  EXPECT_TRUE(large.ends_with("has pixels that no 32-bit number holds: choose --type 64f64f")) << large;
  EXPECT_EQ(refusal(cv::Mat_<double>({1, 2}, {1, -1e38}), "32f32f"), "");
  for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    for (const char* type : {"8u32u", "32f32f", "64f64f"}) {
      const auto why = refusal(cv::Mat_<double>({1, 2}, {1, value}), type);
      EXPECT_TRUE(why.ends_with("has NaN or infinite pixels, which have no sum; replace them first")) << type << why;
    }
}

TEST_F(SatOfDoublesTest, SumsThatOverflowAreCounted) {
  const auto said = [&](const cv::Mat& image, const char* type) {
    testing::internal::CaptureStderr();
    table(image, type);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(cv::Mat_<float>({3, 1}, {3e38f, 3e38f, 0}), "32f32f"),
            "satscope: 2 sums are not finite: beyond what 32-bit numbers hold; --type 64f64f holds more\n");
  EXPECT_EQ(said(cv::Mat_<float>({2, 1}, {3e38f, 3e38f}), "64f64f"), "");
  EXPECT_EQ(said(cv::Mat_<double>({2, 1}, {1.7e308, 1.7e308}), "64f64f"),
            "satscope: 1 sum is not finite: beyond what 64-bit numbers hold; scale the image down\n");
}

}  // namespace
}  // namespace app
