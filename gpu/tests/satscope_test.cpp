// satscope::Plan on the host: its tables are the reference's, padded too, and what is wrong is an Error of one line.
#include "gpu/satscope.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace satscope {
namespace {

template <class Pixel>
std::vector<Pixel> random_pixels(std::size_t count) {
  std::mt19937 random(7);
  std::vector<Pixel> pixels(count);
  for (auto& pixel : pixels) pixel = static_cast<Pixel>(random() % 256);
  return pixels;
}

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
        row += type == u8_u64 ? pixel * pixel : pixel;
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
  EXPECT_EQ(Plan({64, 48}, f32_f32, {.device = host}).algorithm(), "host_parallel");
}

template <class F>
void expect_error(const F& f, const char* says) {
  try {
    f();
    ADD_FAILURE() << says;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
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

  Plan plan({8, 8}, u8_u32, {.device = host, .padded = true});
  std::vector<std::uint8_t> image(64);
  std::vector<std::uint32_t> table(81);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(table.data());
  expect_error([&] { plan(nullptr, 8, table.data(), 36); }, "the image has no memory");
  expect_error([&] { plan(image.data(), 8, nullptr, 36); }, "the table has no memory");
  expect_error([&] { plan(image.data(), 7, table.data(), 36); }, "a row of");
  expect_error([&] { plan(image.data(), 8, table.data(), 32); }, "a row of the table has 36 bytes");
  expect_error([&] { plan(image.data(), 8, table.data(), 38); }, "no multiple of its elements' 4");
  expect_error([&] { plan(image.data(), 8, const_cast<std::uint8_t*>(bytes) + 1, 36); }, "multiple of 4 bytes");
  expect_error([&] { plan(bytes + 40, 8, table.data(), 36); }, "overlap");
  plan(image.data(), 8, table.data(), 36);
}

}  // namespace
}  // namespace satscope
