// One encoder for pictures of many sizes: each as a fresh one makes it; and the times and key frames of what it encodes.
#include "app/output/video_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/image.h"

namespace app {
namespace {

gpu::Image<gpu::Rgba> slanted(gpu::Size size) {
  gpu::Image<gpu::Rgba> image(size, gpu::Device::host);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      image.view()(x, y) = {static_cast<std::uint8_t>(100 + x), static_cast<std::uint8_t>(100 + 2 * y), 180, 255};
  return image;
}

std::vector<std::uint8_t> planes_of(const AVFrame& frame) {
  std::vector<std::uint8_t> planes;
  for (int i = 0; i < 3; ++i)
    for (int y = 0; y < (i == 0 ? frame.height : frame.height / 2); ++y) {
      const auto* row = frame.data[i] + y * frame.linesize[i];
      planes.insert(planes.end(), row, row + (i == 0 ? frame.width : frame.width / 2));
    }
  return planes;
}
int luma_at(const AVFrame& frame, int x, int y) { return frame.data[0][y * frame.linesize[0] + x]; }

constexpr int black = 16;

TEST(VideoEncoderTest, EachPictureIsThatOfAFreshEncoder) {
  VideoEncoder encoder({64, 48}, 25);
  for (const gpu::Size size :
       {gpu::Size{64, 48}, {32, 48}, {48, 32}, {64, 46}, {65, 49}, {128, 96}, {32, 24}, {60, 48}, {64, 48}}) {
    const auto image = slanted(size);
    VideoEncoder fresh({64, 48}, 25);
    const auto frame = encoder.frame(image.view());
    EXPECT_EQ(planes_of(*frame), planes_of(*fresh.frame(image.view()))) << size.width << 'x' << size.height;
    // The same pixels in the middle of others.
    const gpu::Image<gpu::Rgba> wide({size.width + 7, size.height}, gpu::Device::host);
    for (int y = 0; y < size.height; ++y)
      std::memcpy(wide.view().row(y), image.view().row(y), static_cast<std::size_t>(size.width) * sizeof(gpu::Rgba));
    gpu::ImageView<const gpu::Rgba> part = wide.view();
    part.width = size.width;
    EXPECT_EQ(planes_of(*encoder.frame(part)), planes_of(*frame)) << size.width << 'x' << size.height;
  }
}

TEST(VideoEncoderTest, BesideAPictureOfAnotherShapeItIsBlack) {
  VideoEncoder encoder({64, 48}, 25);
  for (int turn = 0; turn < 2; ++turn) {
    const auto narrow = encoder.frame(slanted({16, 48}).view()), low = encoder.frame(slanted({64, 46}).view());
    for (const int y : {0, 24, 47}) {
      EXPECT_EQ(luma_at(*narrow, 0, y), black);
      EXPECT_GT(luma_at(*narrow, 24, y), black);
      EXPECT_GT(luma_at(*narrow, 39, y), black);
      EXPECT_EQ(luma_at(*narrow, 63, y), black);
    }
    EXPECT_GT(luma_at(*low, 32, 0), black) << "an even place";
    EXPECT_GT(luma_at(*low, 32, 45), black);
    EXPECT_EQ(luma_at(*low, 32, 46), black);
  }
}

TEST(VideoEncoderTest, FramesHaveTheirNumbersAndEveryTwoSecondsAKey) {
  for (const double fps : {25.0, 10.0}) {
    VideoEncoder encoder({64, 48}, fps);
    const auto image = slanted({64, 48});
    std::vector<std::int64_t> numbers, keys;
    const auto take = [&](const AVPacket& packet) {
      numbers.push_back(packet.pts);
      if (packet.flags & AV_PKT_FLAG_KEY) keys.push_back(packet.pts);
      EXPECT_EQ(packet.duration, 1);
    };
    const int count = static_cast<int>(5 * fps);
    for (int i = 0; i < count; ++i) encoder.encode(encoder.frame(image.view()).get(), i, take);
    encoder.encode(nullptr, count, take);
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
    const auto distance = static_cast<std::int64_t>(2 * fps);
    EXPECT_EQ(keys, (std::vector<std::int64_t>{0, distance, 2 * distance}));
  }
}

}  // namespace
}  // namespace app
