// Tables of every type, boxes inside, at the edges, outside, empty and inverted, and their sums by loops over the pixels.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/pictures/box_sums.h"
#include "gpu/tests/copy_pixels.h"

namespace gpu::test {

// Four integers per box, and one behind each that no box has.
template <class Integer>
std::vector<Integer> boxes_of(Size size) {
  constexpr auto least = std::numeric_limits<Integer>::min(), most = std::numeric_limits<Integer>::max();
  const Integer w = size.width, h = size.height;
  std::vector<Integer> list;
  const auto add = [&](Integer x, Integer y, Integer width, Integer height) {
    list.insert(list.end(), {x, y, width, height, 77});
  };
  for (Integer y = -1; y <= h; y += 3)
    for (Integer x = -1; x <= w; x += 4)
      for (Integer side = 1; side <= w + 2; side += 5) add(x, y, side, side / 2 + 1);
  for (const Integer x : {Integer{0}, least, most, w, Integer{-1}})
    for (const Integer width : {Integer{0}, Integer{-3}, most, least, w, Integer{1}}) {
      add(x, 0, width, h);
      add(0, x, w, width);
      add(x, x, width, width);
    }
  return list;
}

// Whole numbers, so small that the sums of all are exact.
template <class Sum>
Sum pixel_at(int x, int y) {
  const int value = (x * 7 + y * 13 + x * y) % 11;
  return static_cast<Sum>(std::is_signed_v<Sum> ? value - 5 : value);
}

template <class Sum, class Integer>
Sum sum_by_loops(Size size, const Integer* box) {
  Sum sum = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      // x - box[0] >= 0 first: the difference may not fit otherwise.
      if (x >= box[0] && y >= box[1] && box[2] > 0 && box[3] > 0 &&
          (box[0] < 0 ? box[0] + box[2] > x : x - box[0] < box[2]) &&
          (box[1] < 0 ? box[1] + box[3] > y : y - box[1] < box[3]))
        sum += pixel_at<Sum>(x, y);
  return sum;
}

// The sum of a tilted box; `without`: what it is if pixels lie below the image.
template <class Sum, class Integer>
Sum tilted_sum_by_loops(Size size, const Integer* box, Sum without) {
  const auto limited = [&](int i) {
    return std::clamp(static_cast<std::int64_t>(box[i]), -(std::int64_t{1} << 60), std::int64_t{1} << 60);
  };
  const auto x = limited(0), y = limited(1), w = limited(2), h = limited(3);
  const auto has = [&](std::int64_t i, std::int64_t j) {
    const auto along = (j - y) + (i - x + 1), across = (j - y) - (i - x + 1);
    return along >= 0 && along < 2 * w && across >= 0 && across < 2 * h;
  };
  Sum sum = 0;
  for (int i = 0; i < size.width; ++i) {
    // A box has successive pixels of a column: is the first of them, or of those below the image, one of its own?
    const auto highest = std::max<std::int64_t>(y + std::abs(i - x + 1), size.height);
    if (w > 0 && h > 0 && has(i, highest)) return without;
    for (int j = 0; j < size.height; ++j)
      if (w > 0 && h > 0 && has(i, j)) sum += pixel_at<Sum>(i, j);
  }
  return sum;
}

// Memory of the device with what the vector has.
template <class T>
Buffer<T> on(Device device, const std::vector<T>& here) {
  if (is_gpu(device)) return on_device(here);
  Buffer<T> copy(here.size(), device);
  std::ranges::copy(here, copy.data());
  return copy;
}

// The tilted table by loops.
template <class Sum>
Sum triangle_by_loops(Size size, int x, int y) {
  Sum sum = 0;
  for (int j = 0; j <= std::min(y, size.height - 1); ++j)
    for (int i = std::max(0, x - (y - j)); i <= std::min(size.width - 1, x + (y - j)); ++i) sum += pixel_at<Sum>(i, j);
  return sum;
}

// `device`: where the memory of the context's tables is.
template <class Sum, class Integer>
void expect_box_sums(Context& context, Device device, Size size, bool padded, bool tilted) {
  SCOPED_TRACE(std::to_string(size.width) + 'x' + std::to_string(size.height) + (padded ? " padded" : "") +
               (tilted ? " tilted" : ""));
  const Size whole{size.width + padded, size.height + padded};
  const int stride = whole.width + 1;
  std::vector<Sum> table(static_cast<std::size_t>(stride * whole.height));
  const ImageView<Sum> entries{table.data(), whole.width, whole.height, stride};
  for (int y = padded; y < whole.height; ++y) {
    Sum row = 0;
    for (int x = padded; x < whole.width; ++x) {
      row += pixel_at<Sum>(x - padded, y - padded);
      entries(x, y) = tilted ? triangle_by_loops<Sum>(size, x - padded, y - padded)
                             : row + (y > 0 ? entries(x, y - 1) : Sum(0));
    }
  }
  const auto list = boxes_of<Integer>(size);
  const int count = static_cast<int>(list.size()) / 5;
  std::vector<Sum> found(static_cast<std::size_t>(2 * count) + 8, Sum(99));  // every second one, and the last, stay 99
  const auto table_there = on(device, table), found_there = on(device, found);
  const auto list_there = on(device, list);

  sum_boxes(context, ImageView<const Sum>{table_there.data(), whole.width, whole.height, stride}, padded,
            {list_there.data(), count, 5, sizeof(Integer) == 8, tilted}, ImageView<Sum>{found_there.data(), 1, count, 2});
  if (is_gpu(context.device())) check(cudaStreamSynchronize(context.stream()));
  if (is_gpu(device))
    found = from_device(found_there);
  else
    std::ranges::copy(found_there.span(), found.begin());
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto* box = &list[5 * at];
    constexpr auto below = std::numeric_limits<Sum>::has_quiet_NaN ? Sum(1e6) : std::numeric_limits<Sum>::max();
    const auto expected = tilted ? tilted_sum_by_loops<Sum>(size, box, below) : sum_by_loops<Sum>(size, box);
    const auto sum = found[2 * at] == found[2 * at] ? found[2 * at] : below;  // NaN
    ASSERT_EQ(sum, expected) << box[0] << ',' << box[1] << ' ' << box[2] << 'x' << box[3];
    ASSERT_EQ(found[2 * at + 1], Sum(99)) << i;
  }
  for (std::size_t i = 2 * static_cast<std::size_t>(count); i < found.size(); ++i) ASSERT_EQ(found[i], Sum(99));
}

inline void expect_box_sums(Context& context, Device device) {
  for (const Size size : {Size{1, 1}, {1, 9}, {9, 1}, {33, 20}})
    for (const bool padded : {false, true})
      for (const bool tilted : {false, true}) {
        const auto expect_sums = [&]<class... Sum>(Sum...) {
          (expect_box_sums<Sum, std::int32_t>(context, device, size, padded, tilted), ...);
          (expect_box_sums<Sum, std::int64_t>(context, device, size, padded, tilted), ...);
        };
        expect_sums(std::uint32_t(), std::uint64_t(), float(), double());
      }
}

}  // namespace gpu::test
