// Values of pixels of the picture shown.
#include "app/pipeline/pixel_probe.h"

#include <gtest/gtest.h>

#include "app/control/fields.h"
#include "app/pipeline/pipeline.h"
#include "app/support/simulated_gpu.h"
#include "app/tests/pipeline/frames.h"

namespace app {
namespace {

constexpr gpu::Size picture_size{70, 50};

void expect_values(gpu::Device device, const char* algorithm) {
  Pipeline pipeline(device);
  pipeline.process(noise_frame(picture_size, 2), selection_of(algorithm, "box_blur", device));
  const auto picture = pipeline.picture();
  gpu::PixelPlaces places{.x = 60, .y = -3, .width = 20, .height = 10, .points = 0, .point = {}};  // partly outside
  places.add(0, 49);
  places.add(70, 0);  // outside
  PixelProbe probe;
  probe.update(pipeline, 1, places);
  const auto& pixels = probe.pixels();
  EXPECT_EQ(pixels.picture, picture_size);
  ASSERT_EQ(pixels.places.cells(), 10 * 7);
  EXPECT_EQ(pixels.at(70, 0), nullptr);
  EXPECT_EQ(pixels.at(59, 0), nullptr);
  for (const auto& [x, y] : {std::pair{60, 0}, {69, 6}, {64, 3}, {0, 49}}) {
    const auto* values = pixels.at(x, y);
    ASSERT_TRUE(values) << x << "," << y;
    EXPECT_EQ(values->sum, picture.sat(x, y));
    EXPECT_EQ(values->gray, picture.gray(x, y));
    EXPECT_EQ(values->shown.r, picture.pixels(x, y).r);
  }
  probe.update(pipeline, 1, {});
  EXPECT_TRUE(probe.pixels().values.empty());
}

TEST(PixelProbeTest, ReadsThePicturesOfTheHostAndOfTheSimulatedGpu) {
  expect_values(gpu::Device::host, "host_parallel");
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  expect_values(gpu::Device::simulated, "2r1w");
}

// Whatever was asked for before, of whatever picture.
TEST(PixelProbeTest, WhatIsAskedForIsThatOfAFreshProbe) {
  const gpu::PixelPlaces wanted[] = {{.x = 60, .y = -3, .width = 20, .height = 10, .points = 0, .point = {}},
                                     {.x = 2, .y = 3, .width = 4, .height = 4, .points = 0, .point = {}},
                                     {.x = 69, .y = 49, .width = 1, .height = 1, .points = 0, .point = {}}};
  Pipeline large(gpu::Device::host), small(gpu::Device::host);
  PixelProbe probe;
  std::uint64_t number = 0;
  for (const auto* effect : {"none", "box_blur"}) {
    large.process(noise_frame(picture_size, 2), selection_of("host_serial", effect));
    small.process(noise_frame({30, 20}, 3), selection_of("host_serial", effect));
    ++number;
    for (auto* pipeline : {&large, &small, &large})
      for (const auto& places : wanted) {
        PixelProbe fresh;
        fresh.update(*pipeline, number, places);
        probe.update(*pipeline, number, places);
        EXPECT_EQ(probe.pixels().picture, fresh.pixels().picture);
        EXPECT_EQ(probe.pixels().places, fresh.pixels().places);
        ASSERT_EQ(probe.pixels().values.size(), fresh.pixels().values.size());
        for (std::size_t i = 0; i < fresh.pixels().values.size(); ++i) {
          EXPECT_EQ(probe.pixels().values[i].sum, fresh.pixels().values[i].sum);
          EXPECT_EQ(probe.pixels().values[i].shown.g, fresh.pixels().values[i].shown.g);
        }
      }
  }
}

TEST(PixelProbeTest, ReadsBothSidesOfAWipe) {
  auto comparison = selection_of("host_serial", "box_blur");
  comparison.sides = {selection_of("host_serial", "none"), comparison};
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(noise_frame(picture_size, 2), comparison);
  PixelProbe probe;
  for (const double wipe : {0.5, 0.2}) {
    pipeline.move_wipe(wipe);
    probe.update(pipeline, 1, {.x = 10, .y = 5, .width = 50, .height = 3, .points = 0, .point = {}});
    for (int x = 10; x < 60; ++x)
      EXPECT_EQ(probe.pixels().at(x, 6)->shown.g, pipeline.picture().pixels(x, 6).g) << x << ", wipe " << wipe;
  }
}

TEST(PixelProbeTest, TooManyCellsAreNotRead) {
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(noise_frame({100, 100}), selection_of("host_serial", "none"));
  PixelProbe probe;
  probe.update(pipeline, 1, {.x = 0, .y = 0, .width = 100, .height = 41, .points = 0, .point = {}});
  EXPECT_TRUE(probe.pixels().values.empty());
}

// The sum of a rectangle by the four entries of the table, as it is worked out over the picture.

constexpr gpu::Size table_size{40, 30};

// Pixels of a real picture, probed where the box needs them.
RectangleSum sum_of(const PixelBox& box, const capture::Frame& frame) {
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(frame, selection_of("host_serial", "none"));
  gpu::PixelPlaces places;
  if (const auto part = inside_picture(box, table_size)) ask_for_corners(*part, places);
  PixelProbe probe;
  probe.update(pipeline, 1, places);
  const auto sum = rectangle_sum(box, table_size, probe.pixels());
  EXPECT_TRUE(sum);
  return sum.value_or(RectangleSum{});
}

std::uint32_t gray_sum(const PixelBox& box, const capture::Frame& frame) {
  std::uint32_t sum = 0;
  for (int y = box.y; y < box.y + box.height; ++y)
    for (int x = box.x; x < box.x + box.width; ++x) {
      const auto p = frame.view()(x, y);
      sum += (3735u * p.b + 19235u * p.g + 9798u * p.r + (1u << 14)) >> 15;
    }
  return sum;
}

TEST(PixelProbeRectangleSumTest, IsTheSumOfThePixels) {
  const auto frame = noise_frame(table_size, 4);
  for (const PixelBox box : {PixelBox{10, 5, 12, 7}, {0, 0, 40, 30}, {0, 9, 3, 1}, {39, 29, 1, 1}}) {
    const auto sum = sum_of(box, frame);
    EXPECT_TRUE(sum.known);
    EXPECT_FALSE(sum.clipped);
    EXPECT_FALSE(sum.wraps());
    EXPECT_EQ(sum.sum, gray_sum(box, frame)) << text_of(box);
    EXPECT_DOUBLE_EQ(sum.mean, static_cast<double>(sum.sum) / (box.width * box.height));
  }
}

TEST(PixelProbeRectangleSumTest, OnlyThePartInThePictureCounts) {
  const auto frame = noise_frame(table_size, 5);
  const auto sum = sum_of({-5, 20, 15, 100}, frame);
  EXPECT_TRUE(sum.clipped);
  EXPECT_EQ(sum.box, (PixelBox{0, 20, 10, 10}));
  EXPECT_EQ(sum.sum, gray_sum(sum.box, frame));
  EXPECT_DOUBLE_EQ(sum.mean, gray_sum(sum.box, frame) / 100.0) << "of the pixels that are there";
  EXPECT_EQ(text_of(sum).front(), "10 x 10 at (0, 20), the rest is outside");
  EXPECT_EQ(text_of(sum).back(), "A, C are outside and count as 0");
  EXPECT_FALSE(rectangle_sum({40, 0, 5, 5}, table_size, {}));
}

TEST(PixelProbeRectangleSumTest, SaysOfWhatItIsWhereThePictureShowsSomethingElse) {
  auto sum = sum_of({10, 5, 12, 7}, noise_frame(table_size, 4));
  EXPECT_EQ(text_of(sum).front(), "12 x 7 at (10, 5)");
  sum.of_original = true;
  EXPECT_EQ(text_of(sum).front(), "12 x 7 at (10, 5) of the original");
  EXPECT_TRUE(text_of(sum, true).front().starts_with("12 x 7 at (10, 5) of the original, mean ")) << text_of(sum, true)[0];

  EXPECT_TRUE(shows_original(selection_of("host_serial", "none")));
  EXPECT_FALSE(shows_original(selection_of("host_serial", "box_blur")));
  auto compared = selection_of("host_serial", "none");
  compared.sides.assign(2, compared);
  EXPECT_FALSE(shows_original(compared));
}

// A picture of which only the four entries are known.
RectangleSum from_entries(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  ProbedPixels pixels{{8192, 8192}, {}, {{a, {}, 0}, {b, {}, 0}, {c, {}, 0}, {d, {}, 0}}};
  for (const auto& [x, y] : {std::pair{9, 19}, {73, 19}, {9, 51}, {73, 51}}) pixels.places.add(x, y);
  return *rectangle_sum({10, 20, 64, 32}, {8192, 8192}, pixels);
}

TEST(PixelProbeRectangleSumTest, ShowsItsWork) {
  EXPECT_EQ(
      text_of(from_entries(1000, 20'000, 30'000, 60'000)),
      (std::vector<std::string>{"64 x 32 at (10, 20)", "D - B - C + A", "= 60\u2009000 - 20\u2009000 - 30\u2009000 + 1000",
                                "= 11\u2009000", "mean 5.37 of 2048 pixels"}));
}

TEST(PixelProbeRectangleSumTest, SaysWhereTheTableWrapsAround) {
  const auto sum = from_entries(4'000'000'000u, 4'100'000'000u, 4'200'000'000u, 5'032'704u);  // D is 2^32 and 5 032 704
  EXPECT_TRUE(sum.wraps());
  EXPECT_EQ(sum.sum, 5'032'704u + 4'000'000'000u - 4'100'000'000u - 4'200'000'000u);
  const auto lines = text_of(sum);
  EXPECT_EQ(lines[3], "= -4\u2009294\u2009967\u2009296");
  EXPECT_EQ(lines[4], "= 0  modulo 2^32: + 4\u2009294\u2009967\u2009296");
  EXPECT_EQ(lines.back(), "at least D wrapped around: table entries are modulo 2^32");
}

TEST(PixelProbeRectangleSumTest, AddsTheModulusAsOftenAsTheSumNeedsIt) {
  const auto twice = from_entries(0, 4'294'967'295u, 4'294'967'290u, 1000);
  EXPECT_EQ(twice.plain, -8'589'933'585);
  EXPECT_EQ(text_of(twice)[4], "= 1007  modulo 2^32: + 2 x 4\u2009294\u2009967\u2009296");
  const auto once_less = from_entries(4'000'000'000u, 1000, 2000, 4'200'000'000u);
  EXPECT_EQ(text_of(once_less)[4], "= 3\u2009905\u2009029\u2009704  modulo 2^32: - 4\u2009294\u2009967\u2009296");
}

TEST(PixelProbeRectangleSumTest, KnowsWhichEntriesHaveWrappedAround) {
  const auto last = [](const RectangleSum& sum) { return text_of(sum).back(); };
  const std::string why = " wrapped around: table entries are modulo 2^32";
  // What contains an entry that wrapped around has, too, though it may be the larger number.
  EXPECT_EQ(last(from_entries(900, 100, 1000, 2000)), "at least B, D" + why);
  EXPECT_EQ(last(from_entries(900, 100, 200, 2000)), "at least B, C, D" + why);
  // Every entry is larger than those before it, but no rectangle has a sum below 0.
  EXPECT_EQ(last(from_entries(0, 500, 500, 600)), "at least D" + why);
}

// A picture of white pixels as large as the program takes, of which only the entries that are asked for are known.
TEST(PixelProbeRectangleSumTest, ALargeRectangleHasItsWholeSum) {
  constexpr gpu::Size white{8192, 8192};
  for (const PixelBox box : {PixelBox{0, 0, 8192, 8192}, {0, 0, 6000, 6000}, {1, 2, 8191, 8190}, {8000, 0, 192, 8192}}) {
    ProbedPixels pixels{white, {}, {}};
    pixels.places.add(4000, 4000);  // under the mouse
    ask_for_corners(box, pixels.places);
    for (int i = 0; i < pixels.places.count(); ++i) {
      const auto [x, y] = pixels.places.at(i);
      pixels.values.push_back({static_cast<std::uint32_t>(255ull * (x + 1) * (y + 1)), {}, 255});
    }
    const auto sum = rectangle_sum(box, white, pixels);
    ASSERT_TRUE(sum && sum->known) << text_of(box);
    EXPECT_EQ(sum->sum, 255ull * box.width * box.height) << text_of(box);
    EXPECT_DOUBLE_EQ(sum->mean, 255) << text_of(box);
  }
}

TEST(PixelProbeRectangleSumTest, WaitsForEntriesThatHaveNotArrived) {
  const auto sum = rectangle_sum({10, 20, 64, 32}, {8192, 8192}, {});
  ASSERT_TRUE(sum);
  EXPECT_FALSE(sum->known);
  EXPECT_EQ(text_of(*sum).size(), 1u);
}

TEST(PixelProbeRectangleSumTest, TheTextHasFewLongLinesWhereItLiesFlat) {
  const auto sum = from_entries(1000, 20'000, 30'000, 60'000);
  const auto tall = text_of(sum), flat = text_of(sum, true);
  ASSERT_EQ(tall.size(), 5u);
  ASSERT_EQ(flat.size(), 2u);
  EXPECT_EQ(flat[0], tall[0] + ", " + tall[4]);
  EXPECT_EQ(flat[1], tall[1] + " " + tall[2] + " " + tall[3]);
}

}  // namespace

}  // namespace app
