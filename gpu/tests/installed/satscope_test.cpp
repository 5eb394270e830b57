// satscope.h on the host: tables are the reference's, padded, tilted and in batches too; filters are their definitions; and what is
// wrong is an Error of one line.
#include "gpu/satscope.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gpu/installed/satscope_backend.h"
#include "gpu/tests/pictures/box_sums_cases.h"
#include "gpu/tests/refusal.h"

namespace satscope {
namespace {

template <class Pixel>
std::vector<Pixel> random_pixels(std::size_t count) {
  std::mt19937 random(7);
  std::vector<Pixel> pixels(count);
  for (auto& pixel : pixels) pixel = static_cast<Pixel>(random() % (sizeof(Pixel) == 2 ? 65536 : 256));
  return pixels;
}

// Those of the loops of box_sums_cases.h.
std::vector<std::uint8_t> drawn_pixels(gpu::Size size) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) pixels.push_back(gpu::test::pixel_at<std::uint8_t>(x, y));
  return pixels;
}

bool squares(Type type) { return type == u8_u64 || type == u16_u64_squares || type == f32_f64_squares; }

void expect_error(const auto& f, std::string_view says) { gpu::test::expect_refused<Error>(f, says); }

// One element of padding between the rows of both, which must stay what it is.
template <class Pixel, class Sum>
void expect_table(Size size, Type type, bool padded, const std::string& algorithm = {}) {
  SCOPED_TRACE(std::to_string(size.width) + 'x' + std::to_string(size.height) + (padded ? " padded" : "") + ' ' + algorithm);
  Plan plan(size, type, {.algorithm = algorithm, .device = host, .padded = padded, .threads = 2});
  const auto w = static_cast<std::size_t>(size.width), h = static_cast<std::size_t>(size.height),
             border = std::size_t(padded);
  EXPECT_EQ(plan.table_size().width, size.width + padded);
  const auto image = random_pixels<Pixel>((w + 1) * h);
  std::vector<Sum> table((w + border + 1) * (h + border), Sum(99));
  plan(image.data(), (w + 1) * sizeof(Pixel), table.data(), (w + border + 1) * sizeof(Sum));
  std::vector<Sum> above(w + border, Sum(0));
  for (std::size_t y = 0; y < h + border; ++y) {
    Sum row = 0;
    for (std::size_t x = 0; x < w + border; ++x) {
      const bool zero = padded && (x == 0 || y == 0);
      if (!zero) {
        const Sum pixel = image[(y - border) * (w + 1) + x - border];
        row += squares(type) ? pixel * pixel : pixel;
      }
      above[x] = zero ? Sum(0) : above[x] + row;
      ASSERT_EQ(table[y * (w + border + 1) + x], above[x]) << x << ',' << y;
    }
    ASSERT_EQ(table[y * (w + border + 1) + w + border], Sum(99)) << "behind the row";
  }
}

TEST(SatscopeTest, TablesOfEveryTypeAndShape) {
  for (const Size size : {Size{1, 1}, {3, 2}, {257, 130}, {130, 3}})
    for (const bool padded : {false, true}) {
      expect_table<std::uint8_t, std::uint32_t>(size, u8_u32, padded);
      expect_table<std::uint8_t, float>(size, u8_f32, padded);
      expect_table<std::uint32_t, std::uint32_t>(size, u32_u32, padded);
      expect_table<float, float>(size, f32_f32, padded);
      expect_table<double, double>(size, f64_f64, padded);
      expect_table<std::uint8_t, std::uint64_t>(size, u8_u64, padded);
      expect_table<std::uint16_t, std::uint32_t>(size, u16_u32, padded);
      expect_table<std::uint16_t, std::uint64_t>(size, u16_u64, padded);
      expect_table<std::uint8_t, double>(size, u8_f64, padded);
      expect_table<float, double>(size, f32_f64, padded);
      expect_table<std::uint8_t, std::uint64_t>(size, u8_u64_plain, padded);
      expect_table<std::uint16_t, std::uint64_t>(size, u16_u64_squares, padded);
      expect_table<float, double>(size, f32_f64_squares, padded);
    }
}

TEST(SatscopeTest, EveryAlgorithmOfTheHost) {
  const auto names = algorithms(host, u8_u32);
  EXPECT_GE(names.size(), 2u);
  for (const auto& name : names) expect_table<std::uint8_t, std::uint32_t>({100, 77}, u8_u32, true, name);
}

TEST(SatscopeTest, APlanSaysWhatItUsesAndCanBeMoved) {
  Plan plan({64, 48}, u8_u32, {.algorithm = "host_serial", .device = host});
  auto moved = std::move(plan);
  EXPECT_EQ(moved.algorithm(), "host_serial");
  EXPECT_EQ(moved.device(), host);
  expect_error([&] { plan.algorithm(); }, "the plan was moved");
  expect_error([&] { plan(nullptr, 64, nullptr, 256); }, "the plan was moved");
  EXPECT_EQ(Plan({64, 48}, f32_f32, {.device = host}).algorithm(), "host_parallel");
}

TEST(SatscopeTest, WhatIsWrongIsSaidInOneLine) {
  const auto made = [](Size size, const Options& options) { return [=] { Plan(size, u8_u32, options); }; };
  expect_error(made({0, 5}, {.device = host}), "empty");
  expect_error(made({-1, 5}, {.device = host}), "empty");
  expect_error(made({8, 8}, {.algorithm = "nope", .device = host}), "no algorithm 'nope'");
  expect_error(made({8, 8}, {.algorithm = "2r1w", .device = host}), "runs on a GPU");
  expect_error(made({8, 8}, {.parameters = "W=64", .device = host}), "no parameter 'W'");
  expect_error(made({8, 8}, {.parameters = "W", .device = host}), "NAME=VALUE");
  expect_error([] { Plan({8, 8}, static_cast<Type>(77), {.device = host}); }, "no such type");
  expect_error(made({8, 0}, {.device = host}), "empty");
  expect_error(made({1, (1 << 30) + 1}, {.device = host}), "a side can have at most 1073741824");
  expect_error(made({8, 8}, {.device = static_cast<Device>(7)}), "no such device");
  expect_error(made({8, 8}, {.device = host, .threads = -5}), "-5 threads");

  Plan plan({8, 8}, u8_u32, {.device = host, .padded = true});
  std::vector<std::uint8_t> image(64);
  std::vector<std::uint32_t> table(81);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(table.data());
  expect_error([&] { plan(nullptr, 8, table.data(), 36); }, "the image has no memory");
  expect_error([&] { plan(image.data(), 8, nullptr, 36); }, "the table has no memory");
  expect_error([&] { plan(image.data(), 7, table.data(), 36); }, "the plan: a row of the image has 8 bytes");
  expect_error([&] { plan(image.data(), std::size_t{1} << 60, table.data(), 36); }, "the pitch of the image");
  expect_error([&] { plan(image.data(), std::size_t{1} << 60, table.data(), 36); }, "is too large");
  expect_error([&] { plan(image.data(), 8, table.data(), std::size_t{1} << 60); }, "the pitch of the table");
  expect_error([&] { plan(image.data(), 8, table.data(), 32); }, "a row of the table has 36 bytes");
  expect_error([&] { plan(image.data(), 8, table.data(), 38); }, "not a multiple of its elements' 4");
  expect_error([&] { plan(image.data(), 8, const_cast<std::uint8_t*>(bytes) + 1, 36); }, "multiple of 4 bytes");
  expect_error([&] { plan(bytes + 40, 8, table.data(), 36); }, "overlap");
  plan(image.data(), 8, table.data(), 36);
}

// The sum of every box is right, from tables with and without a border.
template <class Pixel, class Sum>
void expect_box_sums(Type type) {
  constexpr int w = 7, h = 5;
  const auto image = random_pixels<Pixel>(w * h);
  for (const bool padded : {false, true}) {
    Plan plan({w, h}, type, {.device = host, .padded = padded, .threads = 1});
    const auto pitch = (static_cast<std::size_t>(plan.table_size().width) + 3) * sizeof(Sum);
    std::vector<Sum> table(pitch / sizeof(Sum) * static_cast<std::size_t>(plan.table_size().height));
    plan(image.data(), w * sizeof(Pixel), table.data(), pitch);
    for (int y = 0; y <= h; ++y)
      for (int x = 0; x <= w; ++x)
        for (int below = y; below <= h; ++below)
          for (int right = x; right <= w; ++right) {
            Sum sum = 0;
            for (int j = y; j < below; ++j)
              for (int i = x; i < right; ++i) sum += static_cast<Sum>(image[static_cast<std::size_t>(j * w + i)]);
            ASSERT_EQ(box_sum(table.data(), pitch, {x, y, right - x, below - y}, padded), sum)
                << x << ',' << y << ' ' << right << ',' << below;
          }
  }
}

TEST(SatscopeTest, SumsOfBoxes) {
  expect_box_sums<std::uint8_t, std::uint32_t>(u8_u32);
  expect_box_sums<std::uint8_t, float>(u8_f32);
  expect_box_sums<double, double>(f64_f64);
}

// Of parts of boxes that lie outside, 0 of boxes of no pixels, and of a tilted box that reaches below the image the largest number.
TEST(SatscopeTest, SumsOfManyBoxesAtOnce) {
  constexpr int w = 37, h = 21;
  const auto image = drawn_pixels({w, h});
  std::vector<Box> boxes;
  for (int i = 0; i < 5000; ++i) boxes.push_back({i % 53 - 8, i % 31 - 5, i % 23 - 1, i % 19 - 1});
  for (const auto& [padded, tilted] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    Plan plan({w, h}, u8_u32, {.device = host, .padded = padded, .tilted = tilted, .threads = 2});
    constexpr std::size_t pitch = (w + 3) * 4;
    std::vector<std::uint32_t> table(pitch / 4 * (h + 1)), sums(boxes.size() + 1, 99);
    plan(image.data(), w, table.data(), pitch);
    plan.box_sums(table.data(), pitch, boxes.data(), static_cast<int>(boxes.size()), sums.data());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const int box[] = {boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height};
      ASSERT_EQ(sums[i], tilted ? gpu::test::tilted_sum_by_loops<std::uint32_t>({w, h}, box, ~0u)
                                : gpu::test::sum_by_loops<std::uint32_t>({w, h}, box))
          << i << (tilted ? " tilted" : "") << (padded ? " padded" : "");
    }
    EXPECT_EQ(sums.back(), 99u);
    plan.box_sums(nullptr, pitch, nullptr, 0, nullptr);
  }
}

TEST(SatscopeTest, WhatIsWrongWithManyBoxes) {
  Plan plan({8, 8}, u8_u32, {.device = host, .padded = true});
  std::vector<std::uint32_t> table(81), sums(3);
  const std::vector<Box> boxes(3);
  expect_error([&] { plan.box_sums(nullptr, 36, boxes.data(), 3, sums.data()); }, "the table has no memory");
  expect_error([&] { plan.box_sums(table.data(), 36, nullptr, 3, sums.data()); }, "the list of boxes has no memory");
  expect_error([&] { plan.box_sums(table.data(), 36, boxes.data(), 3, nullptr); }, "the list of sums has no memory");
  expect_error([&] { plan.box_sums(table.data(), 36, boxes.data(), -3, sums.data()); }, "-3 boxes");
  expect_error([&] { plan.box_sums(table.data(), 32, boxes.data(), 3, sums.data()); }, "a row of the table has 36 bytes");
  expect_error([&] { plan.box_sums(table.data(), 38, boxes.data(), 3, sums.data()); }, "not a multiple of its elements' 4");
  expect_error([&] { plan.box_sums(table.data(), 36, boxes.data(), 3, table.data() + 80); }, "the sums overlap the table");
  plan.box_sums(table.data(), 36, boxes.data(), 3, sums.data());
}

TEST(SatscopeTest, TiltedTables) {
  constexpr int w = 9, h = 6;
  const auto image = drawn_pixels({w, h});
  for (const bool padded : {false, true}) {
    Plan plan({w, h}, u8_u32, {.device = host, .padded = padded, .tilted = true});
    EXPECT_EQ(plan.algorithm(), "tilted");
    EXPECT_EQ(plan.parameters(), "");
    plan.tune();  // nothing to choose
    const int columns = plan.table_size().width, rows = plan.table_size().height;
    std::vector<std::uint32_t> table(static_cast<std::size_t>(columns * rows), 99);
    for (int i = 0; i < 2; ++i) plan(image.data(), w, table.data(), static_cast<std::size_t>(columns) * 4);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x)
        ASSERT_EQ(table[static_cast<std::size_t>(y * columns + x)],
                  gpu::test::triangle_by_loops<std::uint32_t>({w, h}, x - padded, y - padded))
            << x << ',' << y;
  }
}

TEST(SatscopeTest, Batches) {
  constexpr std::size_t w = 5, h = 3, count = 4, image_stride = 40;
  const auto images = random_pixels<std::uint8_t>(image_stride * count);
  for (const auto& [padded, tilted] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    Plan plan({w, h}, u8_u32, {.device = host, .padded = padded, .tilted = tilted, .threads = 2});
    const std::size_t columns = w + padded, rows = h + padded, sums = columns * rows + 2;
    std::vector<std::uint32_t> tables(sums * count, 99), one(columns * rows);
    for (const std::size_t distance : {image_stride, std::size_t{0}}) {
      plan(images.data(), w, tables.data(), columns * 4,
           {.count = count, .image_stride = distance, .table_stride = sums * 4});
      for (std::size_t i = 0; i < count; ++i) {
        plan(images.data() + i * distance, w, one.data(), columns * 4);
        EXPECT_TRUE(std::equal(one.begin(), one.end(), tables.begin() + static_cast<std::ptrdiff_t>(i * sums))) << i;
        EXPECT_EQ(tables[(i + 1) * sums - 2], 99u) << "behind table " << i;
      }
    }
    const auto before = tables;
    plan(images.data(), w, tables.data(), columns * 4, {.count = 0});
    plan(nullptr, 0, nullptr, 0, {.count = 0});
    EXPECT_EQ(tables, before);
  }
}

// Rows of image and table at multiples of 1, 2, 4, 8 and 16 bytes, or of their elements, and the first at any such address: chosen
// apart from each other, as are the distances of a batch. What lies between the rows stays what it was.
template <class Pixel, class Sum>
void expect_layouts(Type type) {
  constexpr std::size_t w = 37, h = 19, count = 3, spare = 64;
  constexpr std::size_t steps[] = {1, 2, 4, 8, 16};
  std::mt19937 random(11);
  const auto multiple = [&](std::size_t step, std::size_t least, std::size_t element) {
    step = std::max(step, element);
    return (least + step - 1) / step * step + step * (random() % 3);
  };
  std::vector<Plan> plans;
  for (const bool padded : {false, true})
    plans.emplace_back(Size{w, h}, type, Options{.device = host, .padded = padded, .threads = 2});
  for (const auto image_step : steps)
    for (const auto table_step : steps)
      for (const bool padded : {false, true}) {
        SCOPED_TRACE(std::to_string(image_step) + " and " + std::to_string(table_step) + (padded ? " padded" : ""));
        const std::size_t columns = w + padded, rows = h + padded;
        const auto image_pitch = multiple(image_step, w * sizeof(Pixel), sizeof(Pixel)),
                   table_pitch = multiple(table_step, columns * sizeof(Sum), sizeof(Sum));
        const auto image_stride = multiple(image_step, image_pitch * h, sizeof(Pixel)),
                   table_stride = multiple(table_step, table_pitch * rows, sizeof(Sum));
        const auto image_at = std::max(image_step, sizeof(Pixel)), table_at = std::max(table_step, sizeof(Sum));
        std::vector<unsigned char> images(image_at + image_stride * count + spare),
            tables(table_at + table_stride * count + spare, 0xcd);
        auto expected = tables;
        const auto pixels = random_pixels<Pixel>(w * h * count);
        for (std::size_t i = 0; i < count; ++i) {
          std::vector<Sum> above(w, Sum(0));
          for (std::size_t y = 0; y < rows; ++y) {
            auto* const row = &expected[table_at + i * table_stride + y * table_pitch];
            if (padded) std::memset(row, 0, sizeof(Sum));
            if (padded && y == 0) {
              std::memset(row, 0, columns * sizeof(Sum));
              continue;
            }
            const auto* const from = &pixels[(i * h + y - padded) * w];
            std::memcpy(&images[image_at + i * image_stride + (y - padded) * image_pitch], from, w * sizeof(Pixel));
            Sum sum = 0;
            for (std::size_t x = 0; x < w; ++x) {
              const Sum pixel = from[x];
              sum += squares(type) ? pixel * pixel : pixel;
              above[x] += sum;
            }
            std::memcpy(row + padded * sizeof(Sum), above.data(), w * sizeof(Sum));
          }
        }
        plans[padded](&images[image_at], image_pitch, &tables[table_at], table_pitch,
                      {.count = count, .image_stride = image_stride, .table_stride = table_stride});
        ASSERT_TRUE(tables == expected);
      }
}

TEST(SatscopeTest, ImagesAndTablesHaveLayoutsOfTheirOwn) {
  expect_layouts<std::uint8_t, std::uint32_t>(u8_u32);
  expect_layouts<std::uint8_t, float>(u8_f32);
  expect_layouts<std::uint32_t, std::uint32_t>(u32_u32);
  expect_layouts<double, double>(f64_f64);
  expect_layouts<std::uint8_t, std::uint64_t>(u8_u64);
  expect_layouts<std::uint16_t, std::uint64_t>(u16_u64_squares);
}

TEST(SatscopeTest, ABatchSideBySideInOnePicture) {
  constexpr std::size_t w = 5, h = 3, count = 4, pitch = count * w;
  const auto images = random_pixels<std::uint8_t>(pitch * h);
  std::vector<std::uint32_t> tables(pitch * h, 99), one(w * h);
  Plan plan({w, h}, u8_u32, {.device = host, .threads = 2});
  plan(images.data(), pitch, tables.data(), pitch * 4, {.count = count, .image_stride = w, .table_stride = w * 4});
  for (std::size_t i = 0; i < count; ++i) {
    plan(images.data() + i * w, pitch, one.data(), w * 4);
    for (std::size_t at = 0; at < one.size(); ++at) EXPECT_EQ(tables[at / w * pitch + i * w + at % w], one[at]) << i;
  }
  const auto refused = [&](int tables_of, std::size_t distance) {
    return [&, tables_of, distance] {
      plan(images.data(), pitch, tables.data(), pitch * 4, {.count = tables_of, .table_stride = distance});
    };
  };
  expect_error(refused(2, w * 4 - 4), "makes them overlap");
  expect_error(refused(2, 0), "makes them overlap");
  expect_error(refused(int{count} + 1, w * 4), "makes them overlap");  // the last begins in the first one's second row
}

// The left half of a picture and its right half, whose rows alternate.
TEST(SatscopeTest, AnImageAndItsTableSideBySide) {
  constexpr std::size_t w = 8, h = 5, pitch = 64;
  for (const bool padded : {false, true}) {
    std::vector<std::uint32_t> memory(pitch / 4 * (h + 1), 0x01010101u), table((w + 1) * (h + 1));
    auto* bytes = reinterpret_cast<std::uint8_t*>(memory.data());
    Plan plan({w, h}, u8_u32, {.device = host, .padded = padded});
    plan(bytes, pitch, table.data(), (w + 1) * 4);
    plan(bytes, pitch, bytes + w, pitch);
    for (std::size_t y = 0; y < h; ++y)
      for (std::size_t x = 0; x < w; ++x) EXPECT_EQ(memory[y * pitch / 4 + 2 + x], table[y * (w + 1) + x]) << x << ',' << y;
    // By a column, the one of zeros if there is one.
    expect_error([&] { plan(bytes, pitch, bytes + w - 4, pitch); }, "the image and the table overlap");
  }
}

TEST(SatscopeTest, WhatIsWrongWithABatch) {
  Plan plan({4, 4}, u8_u32, {.device = host});
  std::vector<std::uint32_t> memory(1000);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(memory.data());
  const auto with = [&](const Batch& batch, std::size_t image_at = 3000) {
    return [&, batch, image_at] { plan(bytes + image_at, 4, memory.data(), 16, batch); };
  };
  expect_error(with({.count = -1}), "a batch of -1 images");
  expect_error(with({.count = (1 << 30) + 1, .table_stride = 64}), "at most 1073741824 are taken in one call");
  expect_error(with({.count = 2, .image_stride = 16, .table_stride = 66}), "not a multiple of a sum's 4");
  expect_error(with({.count = 2, .image_stride = 16, .table_stride = 60}), "makes them overlap: one has 64 bytes");
  expect_error(with({.count = 2, .image_stride = ~std::size_t{0}, .table_stride = 64}), "too large");
  expect_error(with({.count = 2, .image_stride = 16, .table_stride = ~std::size_t{3}}), "too large");
  expect_error(with({.count = 3, .image_stride = 16, .table_stride = 64}, 150), "the images and the tables overlap");
  expect_error(with({.count = 3, .image_stride = 0, .table_stride = 64}, 180), "the images and the tables overlap");
  expect_error(with({.count = 3, .image_stride = 79, .table_stride = 80}, 65), "the images and the tables overlap");
  // The first image begins between two tables and ends in the second; the other one lies behind them all.
  expect_error(with({.count = 2, .image_stride = 400, .table_stride = 80}, 65), "the images and the tables overlap");
  // Each image behind its table; all images behind each other's.
  with({.count = 3, .image_stride = 80, .table_stride = 80}, 64)();
  with({.count = 3, .image_stride = 0, .table_stride = 64}, 192)();
  Plan of_words({4, 4}, u32_u32, {.device = host});
  expect_error(
      [&] { of_words(memory.data() + 500, 16, memory.data(), 16, {.count = 2, .image_stride = 66, .table_stride = 64}); },
      "the distance of two images, 66 bytes, is not a multiple of a pixel's 4");
}

TEST(SatscopeTest, InterleavedChannelsAreRefusedWhereNothingTakesThem) {
  std::vector<std::uint32_t> memory(1000);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(memory.data());
  const auto with = [&](Plan& plan, const Batch& batch) {
    return [&plan, &memory, bytes, batch] { plan(bytes + 3000, 4 * 3, memory.data(), 16, batch); };
  };
  Plan plan({4, 4}, u8_u32, {.device = host});
  EXPECT_FALSE(plan.takes_channels());
  expect_error(with(plan, {.table_stride = 64, .channels = 3}), "a plan for the host does not take interleaved channels");
  expect_error(with(plan, {.channels = 0}), "pixels of 0 channels");
  expect_error(with(plan, {.count = 2, .table_stride = 64, .channels = 1 << 30}), "channels are too many");
  expect_error(with(plan, {.table_stride = 64, .channels = -1}), "pixels of -1 channels");
}

// Its calls share the memory for the sums between bands of rows.
TEST(SatscopeTest, OnePlanInSeveralThreads) {
  constexpr std::size_t w = 300, h = 200;
  const auto image = random_pixels<std::uint8_t>(w * h);
  Plan plan({w, h}, u8_u32, {.device = host, .threads = 2});
  std::vector<std::uint32_t> expected(w * h);
  plan(image.data(), w, expected.data(), w * 4);
  std::vector<std::vector<std::uint32_t>> tables(3, std::vector<std::uint32_t>(w * h));
  {
    std::vector<std::jthread> threads;
    for (auto& table : tables)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) plan(image.data(), w, table.data(), w * 4);
      });
  }
  for (const auto& table : tables) EXPECT_EQ(table, expected);
}

TEST(SatscopeTest, DifferentPlansInDifferentThreads) {
  constexpr std::size_t w = 300, h = 200;
  const auto image = random_pixels<std::uint8_t>(w * h);
  const auto table_of = [&] {
    Plan plan({w, h}, u8_u32, {.device = host, .threads = 2});
    std::vector<std::uint32_t> table(w * h);
    for (int i = 0; i < 20; ++i) plan(image.data(), w, table.data(), w * 4);
    return table;
  };
  std::vector<std::uint32_t> other;
  std::thread thread([&] { other = table_of(); });
  const auto mine = table_of();
  thread.join();
  EXPECT_EQ(mine, other);
}

TEST(SatscopeTest, PlansShareThreads) {
  const auto users = [] { return detail::shared_threads(3).use_count() - 1; };
  std::vector<std::uint8_t> image(40 * 40, 1);
  std::vector<std::uint32_t> table(40 * 40);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(users(), 0) << "they end with the last plan";
    std::vector<Plan> plans;
    for (int side = 20; side < 40; ++side)
      plans.emplace_back(Size{side, side}, u8_u32, Options{.device = host, .threads = 3});
    EXPECT_EQ(users(), 20);
    const Filter filter({20, 20}, Filter::gray, "box_blur", {}, {.device = host, .threads = 3});
    const Plan other({20, 20}, u8_u32, {.device = host, .threads = 2});
    EXPECT_EQ(users(), 21);
    EXPECT_EQ(detail::shared_threads(3)->threads(), 3);
    for (int side = 20; side < 40; ++side) {
      const auto pitch = static_cast<std::size_t>(side);
      plans[pitch - 20](image.data(), pitch, table.data(), pitch * 4);
      EXPECT_EQ(table[pitch * pitch - 1], static_cast<unsigned>(side * side));
    }
  }
}

// In a child the threads of its parent do not exist: plans of its own have others, and those of its parent can be destroyed.
TEST(SatscopeTest, PlansAfterAFork) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not start threads after a fork";
#endif
  constexpr std::size_t side = 300;
  const std::vector<std::uint8_t> image(side * side, 1);
  std::vector<std::uint32_t> table(side * side);
  auto parents = std::make_unique<Plan>(Size{side, side}, u8_u32, Options{.device = host, .threads = 3});
  const auto child = [&] {
    alarm(60);
    const auto threads = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
    const auto before = threads();
    Plan plan({side, side}, u8_u32, {.device = host, .threads = 3});
    const bool started = threads() == before + 2;
    plan(image.data(), side, table.data(), side * 4);
    parents.reset();
    std::_Exit(started && table.back() == side * side ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
  (*parents)(image.data(), side, table.data(), side * 4);
  EXPECT_EQ(table.back(), side * side);
}

// Between two runs with one image the last cache forgets it. In a process of its own, for its memory.
TEST(SatscopeTest, APlanIsTunedOnMoreThanACacheHolds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) << 10;
  };
  const auto tune = [&] {
    Plan plan({200, 100}, u8_u32, {.device = host, .threads = 1});
    const auto before = peak(),
               cache = static_cast<std::size_t>(std::clamp(sysconf(_SC_LEVEL3_CACHE_SIZE), 1l << 20, 32l << 20));
    plan.tune();
    std::_Exit(peak() > before + 2 * cache ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(tune(), testing::ExitedWithCode(0), "");
}

TEST(SatscopeTest, WhyAnAlgorithmIsUsed) {
  EXPECT_EQ(Plan({64, 48}, u8_u32, {.algorithm = "host_serial", .device = host}).origin(), "named");
  Plan plan({64, 48}, u8_u32, {.device = host, .padded = true, .threads = 2});
  EXPECT_NE(plan.origin().find("parallel"), std::string::npos) << plan.origin();
  plan.tune();
  EXPECT_NE(plan.origin().find("measured here"), std::string::npos) << plan.origin();
  const auto names = algorithms(host, u8_u32);
  EXPECT_NE(std::find(names.begin(), names.end(), plan.algorithm()), names.end()) << plan.algorithm();
  const std::vector<std::uint8_t> image(64 * 48, 2);
  std::vector<std::uint32_t> table(65 * 49);
  plan(image.data(), 64, table.data(), 65 * 4);
  EXPECT_EQ(table.back(), 2u * 64 * 48);
}

TEST(SatscopeTest, WhatIsWrongWithATiltedPlan) {
  expect_error([] { Plan({8, 8}, f32_f32, {.device = host, .tilted = true}); }, "of the type u8_u32");
  expect_error(
      [] {
        Plan({8, 8}, u8_u32, {.algorithm = "host_serial", .device = host, .tilted = true});
      },
      "an algorithm of their own");
  expect_error(
      [] {
        Plan({8, 8}, u8_u32, {.parameters = "W=64", .device = host, .tilted = true});
      },
      "an algorithm of their own");
}

// The rounded mean of a window of side 3 whose border repeats the edge.
std::uint8_t mean(const std::vector<std::uint8_t>& image, int w, int h, int x, int y, int channels = 1, int channel = 0) {
  unsigned sum = 0;
  for (int j = y - 1; j <= y + 1; ++j)
    for (int i = x - 1; i <= x + 1; ++i)
      sum += image[static_cast<std::size_t>((std::clamp(j, 0, h - 1) * w + std::clamp(i, 0, w - 1)) * channels + channel)];
  return static_cast<std::uint8_t>((2 * sum + 9) / 18);
}

TEST(SatscopeTest, BoxFilterOfGrayAndOfColours) {
  constexpr int w = 13, h = 8;
  const Options on_host{.device = host, .threads = 2};
  const std::string window = "window=3x3 border=replicate";
  Filter gray({w, h}, Filter::gray, "box_blur", window, on_host);
  EXPECT_EQ(gray.result_channels(), 1);
  EXPECT_EQ(gray.device(), host);
  EXPECT_NE(gray.parameters().find("window=3x3"), std::string::npos) << gray.parameters();
  EXPECT_EQ(Filter({14, 300}, Filter::gray, "box_blur", {}, on_host).parameters(),
            "window=7x15 border=reflect101 passes=1 colour=off");
  const auto image = random_pixels<std::uint8_t>(w * h * 3);
  std::vector<std::uint8_t> result(w * h * 4, 7);
  gray(image.data(), w, result.data(), w + 1);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x)
      ASSERT_EQ(result[static_cast<std::size_t>(y * (w + 1) + x)], mean(image, w, h, x, y)) << x << ',' << y;
    EXPECT_EQ(result[static_cast<std::size_t>(y * (w + 1) + w)], 7) << "behind the row";
  }
  EXPECT_EQ(Filter({14, 300}, Filter::gray, "box_blur", "colour=auto", on_host).parameters(),
            "window=7x15 border=reflect101 passes=1 colour=off");
  EXPECT_EQ(Filter({14, 300}, Filter::bgr, "box_blur", {}, on_host).parameters(),
            "window=7x15 border=reflect101 passes=1 colour=on");
  auto colours = Filter({w, h}, Filter::bgr, "box_blur", window, on_host);
  EXPECT_EQ(colours.result_channels(), 4);
  std::vector<std::uint32_t> pixels(w * h);
  colours(image.data(), w * 3, pixels.data(), w * 4);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const auto level = [&](int channel) { return std::uint32_t{mean(image, w, h, x, y, 3, channel)}; };
      ASSERT_EQ(pixels[static_cast<std::size_t>(y * w + x)], level(2) | level(1) << 8 | level(0) << 16 | 0xff000000u);
    }
}

// One whose picture is of the channels alone computes neither gray nor its table, and on the host no table at all.
TEST(SatscopeTest, AFilterHasMemoryForWhatItReads) {
  constexpr std::size_t pixels = 640 * 480;
  const auto bytes_of = [&](const char* name, const char* parameters) {
    return Filter({640, 480}, Filter::bgr, name, parameters, {.device = host, .threads = 1}).memory_bytes();
  };
  EXPECT_EQ(bytes_of("none", ""), 0u);
  EXPECT_GE(bytes_of("box_blur", "colour=off"), 5 * pixels);
  EXPECT_EQ(bytes_of("box_blur", "colour=on"), 0u);
}

// Called again with another image, a filter and a plan are as those that were just made.
TEST(SatscopeTest, EveryCallIsAsTheFirstOne) {
  constexpr std::size_t w = 61, h = 47;
  std::mt19937 random(17);
  std::vector<std::uint8_t> image(w * h * 3);
  const Options options{.device = host, .threads = 2};
  std::vector<std::uint64_t> again(w * h), fresh(w * h);
  const auto expect_same = [&](auto&& kept, auto&& make, std::size_t image_pitch, std::size_t pitch) {
    for (int call = 0; call < 3; ++call) {
      for (auto& pixel : image) pixel = static_cast<std::uint8_t>(random());
      std::ranges::fill(again, 1);
      std::ranges::fill(fresh, 1);
      kept(image.data(), image_pitch, again.data(), pitch);
      make()(image.data(), image_pitch, fresh.data(), pitch);
      ASSERT_EQ(again, fresh) << call;
    }
  };
  for (const auto& name : algorithms(host, u8_u32))
    for (const bool tilted : {false, true}) {
      SCOPED_TRACE(name);
      const auto make = [&] {
        return Plan({w, h}, u8_u32, {.algorithm = tilted ? "" : name, .device = host, .tilted = tilted, .threads = 2});
      };
      expect_same(make(), make, w, w * 4);
    }
  EXPECT_GE(filters().size(), 3u);
  for (const auto& name : filters())
    for (const auto pixels : {Filter::gray, Filter::bgr}) {
      if (name == "none" && pixels == Filter::gray) continue;
      EXPECT_NE(name, "faces");
      SCOPED_TRACE(name + (pixels == Filter::gray ? " of gray" : " of colours"));
      const auto make = [&] { return Filter({w, h}, pixels, name, {}, options); };
      expect_same(make(), make, w * (pixels == Filter::gray ? 1 : 3),
                  w * static_cast<std::size_t>(make().result_channels()));
      EXPECT_NE(fresh[0], 1u) << "nothing was written";
    }
}

// 640 columns of cudaMallocPitch(): 1920 of 2048 bytes.
TEST(SatscopeTest, ColoursWhoseRowsBeginAtAnyByte) {
  constexpr std::size_t w = 13, h = 8, pitch = 64;
  const auto image = random_pixels<std::uint8_t>(w * 3 * h);
  std::vector<std::uint8_t> pitched(pitch * h);
  for (std::size_t y = 0; y < h; ++y)
    std::copy_n(image.begin() + std::ptrdiff_t{w * 3} * std::ptrdiff_t(y), w * 3, &pitched[y * pitch]);
  for (const auto& name : filters()) {
    Filter filter({w, h}, Filter::bgr, name, {}, {.device = host, .threads = 2});
    const auto bytes = w * static_cast<std::size_t>(filter.result_channels());
    std::vector<std::uint8_t> expected(bytes * h), found(bytes * h);
    filter(image.data(), w * 3, expected.data(), bytes);
    filter(pitched.data(), pitch, found.data(), bytes);
    EXPECT_EQ(found, expected) << name;
  }
}

TEST(SatscopeTest, WhatIsWrongWithAFilter) {
  const auto made = [](const std::string& name, const std::string& parameters, Options options = {.device = host}) {
    return [=] { Filter({8, 8}, Filter::gray, name, parameters, options); };
  };
  expect_error(made("nope", ""), "no filter 'nope'");
  expect_error(made("faces", ""), "is not a pixel filter");
  expect_error(made("box_blur", "window=2048x3"), "window");
  expect_error(made("box_blur", "sigma=2"), "no parameter 'sigma'");
  expect_error(made("box_blur", "colour=on"), "it needs a colour image");
  expect_error(made("none", ""), "it needs a colour image");
  expect_error(made("box_blur", "", {.device = host, .padded = true}), "leave Options::padded and tilted off");
  expect_error(made("box_blur", "", {.device = host, .tilted = true}), "leave Options::padded and tilted off");
  expect_error([] { Filter({8, 8}, static_cast<Filter::Pixels>(2), "box_blur", {}, {.device = host}); }, "pixels are");
  expect_error([] { Filter({0, 8}, Filter::gray, "box_blur", {}, {.device = host}); }, "empty");
  expect_error(
      [] {
        Filter({1 << 29, 1 << 29}, Filter::gray, "box_blur", {}, {.device = host});
      },
      "not enough memory for 536870912x536870912 pixels: ");

  Filter filter({8, 8}, Filter::bgr, "box_blur", {}, {.device = host});
  std::vector<std::uint8_t> image(3 * 64);
  std::vector<std::uint32_t> result(64);
  expect_error([&] { filter(nullptr, 24, result.data(), 32); }, "the image has no memory");
  expect_error([&] { filter(image.data(), 24, nullptr, 32); }, "the result has no memory");
  expect_error([&] { filter(image.data(), 21, result.data(), 32); }, "a row of the image has 24 bytes");
  expect_error([&] { filter(image.data(), 24, result.data(), 28); }, "a row of the canvas has 32 bytes");
  expect_error([&] { filter(result.data(), 24, result.data(), 32); }, "overlap");
  expect_error([&] { filter.draw(image.data(), 24, 1); }, "only a GPU draws on a surface");
  for (int i = 0; i < 2; ++i) filter(image.data(), 24, result.data(), 32);
}

}  // namespace
}  // namespace satscope
