// An effect that asks for all tables at once, and their expected contents: for the tests on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu::test {

// Copies of the tables, in memory of the device.
struct TableCopies {
  explicit TableCopies(Size size, Device device)
      : sum(size, device),
        tilted(size, device),
        channels{{size, device}, {size, device}, {size, device}},
        squares(size, device) {}

  Image<std::uint32_t> sum, tilted, channels[3];
  Image<std::uint64_t> squares;
};

// Copies the tables that it is given to those in its `prepared` state.
inline const Effect& all_tables() {
  static const Effect effect{
      .name = "all_tables",
      .title = {},
      .idea = {},
      .parameters = {},
      .channels = [](const Arguments&) { return 1; },
      .tables = [](const Arguments&, Device) { return Tables{.squares = true, .tilted = true, .channels = true}; },
      .traffic = {},
      .run =
          [](Context& context, const EffectInput& input, const EffectOutput&, const Arguments&) {
            const auto& copies = *static_cast<const TableCopies*>(input.prepared);
            const auto copy = [&](auto from, const auto& to) { context.copy("keep", from, to.view()); };
            copy(input.tables.sum, copies.sum);
            copy(input.tables.squares, copies.squares);
            copy(input.tables.tilted, copies.tilted);
            for (int i = 0; i < 3; ++i) copy(input.tables.channels[i], copies.channels[i]);
          },
  };
  return effect;
}

// The tables of a frame by their definitions, pixel by pixel.
struct TableReference {
  explicit TableReference(const HostFrame& frame) : copies(frame.size(), Device::host) {
    const auto size = frame.size();
    const auto gray = frame.gray.view();
    const auto colour = frame.colour.view();
    fill(copies.sum, [&](int i, int j) { return gray(i, j); });
    fill(copies.squares, [&](int i, int j) { return std::uint64_t{gray(i, j)} * gray(i, j); });
    fill(copies.channels[0], [&](int i, int j) { return colour(i, j).b; });
    fill(copies.channels[1], [&](int i, int j) { return colour(i, j).g; });
    fill(copies.channels[2], [&](int i, int j) { return colour(i, j).r; });
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        std::uint32_t sum = 0;
        for (int j = 0; j <= y; ++j)
          for (int i = std::max(0, x - (y - j)); i <= std::min(size.width - 1, x + (y - j)); ++i) sum += gray(i, j);
        copies.tilted.view()(x, y) = sum;
      }
  }

  TableCopies copies;

 private:
  template <class Sum, class Term>
  static void fill(const Image<Sum>& image, const Term& term) {
    const auto sums = image.view();
    for (int y = 0; y < sums.height; ++y) {
      Sum row = 0;
      for (int x = 0; x < sums.width; ++x) {
        row += static_cast<Sum>(term(x, y));
        sums(x, y) = row + (y > 0 ? sums(x, y - 1) : Sum(0));
      }
    }
  }
};

template <class T>
void expect_same(const char* what, const Image<T>& image, const Image<T>& expected) {
  Image<T> here(image.size(), Device::host);
  if (is_gpu(image.device()))
    copy_pixels(image, here);
  else
    std::ranges::copy(image.span(), here.span().begin());
  for (int y = 0; y < image.size().height; ++y)
    for (int x = 0; x < image.size().width; ++x)
      ASSERT_EQ(here.view()(x, y), expected.view()(x, y)) << what << " at " << x << "," << y;
}

inline void expect_same(const TableCopies& copies, const TableCopies& expected) {
  expect_same("sum", copies.sum, expected.sum);
  expect_same("squares", copies.squares, expected.squares);
  expect_same("tilted", copies.tilted, expected.tilted);
  for (int i = 0; i < 3; ++i) expect_same("channel", copies.channels[i], expected.channels[i]);
}

inline constexpr Size table_sizes[] = {{1, 1}, {1, 37}, {41, 1}, {2, 3}, {97, 65}, {66, 131}};

// Runs the effect by `algorithm` on a frame in memory of the context's device; new_context(workspace) makes a context there.
template <class NewContext>
void compute_all_tables(const SatAlgorithm& algorithm, Device device, ImageView<const Bgr> colour,
                        ImageView<const std::uint8_t> gray, const TableCopies& copies, const NewContext& new_context) {
  const Arguments arguments(algorithm.parameters);
  const Image<std::uint32_t> sum(gray.size(), device);
  const Image<std::uint8_t> picture(gray.size(), device);
  EffectInput input{colour, gray, {}, &copies, &algorithm, &arguments};
  input.tables.sum = sum.view();
  const auto run = [&](Context& context) {
    compute_sat(context, algorithm, gray, sum.view(), arguments);
    run_effect(context, all_tables(), input, Canvas{picture.view(), {}}, Arguments());
  };
  auto dry = Context::dry(device);
  run(dry);
  const Buffer<std::byte> workspace(dry.workspace_bytes(), device);
  auto context = new_context(std::span(workspace.data(), workspace.size()));
  run(context);
}

}  // namespace gpu::test
