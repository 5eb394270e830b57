#include "app/capture/synthetic.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "app/capture/capture.h"
#include "app/capture/source.h"
#include "app/tests/capture/fake_source.h"

namespace app::capture {
namespace {

using Pixels = std::vector<gpu::Bgr>;

bool same(const Pixels& a, const Pixels& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(gpu::Bgr)) == 0;
}

Pixels draw(const SyntheticScene& scene, std::uint64_t number, gpu::Size size) {
  Pixels pixels(size.pixels());
  scene.draw(number, {pixels.data(), size.width, size.height, size.width});
  return pixels;
}

// FNV-1a.
std::uint64_t hash(const Pixels& pixels) {
  std::uint64_t value = 14695981039346656037u;
  for (const auto [b, g, r] : pixels)
    for (const std::uint8_t byte : {b, g, r}) value = (value ^ byte) * 1099511628211u;
  return value;
}

TEST(SyntheticTest, APictureIsTheSameInEveryRun) {
  const SyntheticScene one, other;
  for (const std::uint64_t number : {0u, 1u, 59u, 1199u, 100000u})
    EXPECT_TRUE(same(draw(one, number, {320, 240}), draw(other, number, {320, 240}))) << number;
}

TEST(SyntheticTest, PicturesDifferFromEachOther) {
  const SyntheticScene scene;
  std::set<std::uint64_t> hashes;
  for (std::uint64_t number = 0; number < 300; ++number) hashes.insert(hash(draw(scene, number, {320, 240})));
  EXPECT_EQ(hashes.size(), 300u);
}

TEST(SyntheticTest, EverySizeIsFilledAndNothingBeyondItIsTouched) {
  const SyntheticScene scene;
  for (const gpu::Size size :
       {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {3, 7}, {63, 65}, {160, 40}, {2048, 1152}, {2049, 1153}, {7680, 4320}}) {
    const std::ptrdiff_t stride = size.width + 5;
    const gpu::Bgr guard{1, 254, 3};
    Pixels pixels(static_cast<std::size_t>(stride) * size.height, guard), other(pixels.size(), {253, 2, 252});
    scene.draw(1234567, {pixels.data(), size.width, size.height, stride});
    scene.draw(1234567, {other.data(), size.width, size.height, stride});
    for (int y = 0; y < size.height; ++y) {
      const auto* row = pixels.data() + y * stride;
      // Equal for any earlier contents: every pixel was written.
      ASSERT_EQ(std::memcmp(row, other.data() + y * stride, static_cast<std::size_t>(size.width) * sizeof(gpu::Bgr)), 0);
      for (int x = size.width; x < stride; ++x) ASSERT_EQ(std::memcmp(row + x, &guard, sizeof guard), 0);
    }
  }
}

Status play_one(const std::string& source, gpu::Size asked = {}, double fps = 0) {
  Capture capture({.source = source, .size = asked, .fps = fps, .max_speed = true});
  const Frame* frame = capture.take(std::chrono::seconds(20));
  Status status = capture.status();
  if (frame) status.size = frame->size;
  return status;
}

TEST(SyntheticTest, TakesItsSizeAndRateFromTheNameAndTheRequest) {
  EXPECT_EQ(play_one("synthetic").size, (gpu::Size{1280, 720}));
  EXPECT_EQ(play_one("synthetic", {320, 200}).size, (gpu::Size{320, 200}));
  EXPECT_EQ(play_one("synthetic:64x48", {320, 200}).size, (gpu::Size{64, 48}));
  EXPECT_EQ(play_one("synthetic:7680x4320").size, (gpu::Size{7680, 4320}));
  EXPECT_EQ(play_one("synthetic:64x48").description, "synthetic, 64x48, 60/s");
  EXPECT_EQ(play_one("synthetic:64x48", {}, 12.5).description, "synthetic, 64x48, 12.5/s");
}

TEST(SyntheticTest, ItIsASceneThatCanBeSought) {
  const auto info = open_synthetic({.source = "synthetic:64x48", .fps = 12.5}, {})->info();
  EXPECT_EQ(info.kind, SourceKind::synthetic);
  EXPECT_EQ(info.name, "synthetic");
  EXPECT_EQ(info.size, (gpu::Size{64, 48}));
  EXPECT_EQ(info.fps, 12.5);
  EXPECT_EQ(info.no_seek, "");
  EXPECT_FALSE(info.live || info.gray);
}

TEST(SyntheticTest, AnUnusedSizeIsReported) {
  const auto warning = [](const std::string& source, gpu::Size size) {
    return open_synthetic({.source = source, .size = size}, {})->info().warning;
  };
  EXPECT_NE(warning("synthetic:64x48", {32, 32}).find("the size 32x32 is not used"), std::string::npos);
  EXPECT_EQ(warning("synthetic:64x48", {64, 48}), "");
  EXPECT_EQ(warning("synthetic:64x48", {}), "");
  EXPECT_EQ(warning("synthetic", {32, 32}), "");
}

TEST(SyntheticTest, RefusesSizesThatAreInvalidOrTooLarge) {
  for (const char* source : {"synthetic:", "synthetic:12", "synthetic:0x4", "synthetic:-3x4", "synthetic:4x",
                             "synthetic:4x4x4", "synthetic:99999999999x4", "synthetic:8193x4", "synthetic:4x8193"}) {
    Capture capture({.source = source});
    EXPECT_EQ(capture.take(std::chrono::milliseconds(200)), nullptr) << source;
    EXPECT_EQ(capture.status().phase, Status::Phase::failed) << source;
    EXPECT_NE(capture.status().message.find(source), std::string::npos) << capture.status().message;
  }
}

TEST(SyntheticTest, FramesAreThoseOfTheSceneInOrder) {
  const SyntheticScene scene;
  Capture capture({.source = "synthetic:200x100", .max_speed = true});
  for (std::uint64_t number = 0; number < 20; ++number) {
    const Frame* frame = next_frame(capture);
    ASSERT_EQ(frame->sequence, number);
    EXPECT_TRUE(
        same(Pixels(frame->pixels.data(), frame->pixels.data() + frame->size.pixels()), draw(scene, number, {200, 100})));
    EXPECT_DOUBLE_EQ(frame->position, static_cast<double>(number) / 60);
  }
}

}  // namespace
}  // namespace app::capture
