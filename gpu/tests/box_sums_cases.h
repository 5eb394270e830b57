// Tables of every type, boxes inside, at the edges, outside, empty and inverted, and their sums by loops over the pixels.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/box_sums.h"
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

// Memory of the device with what the vector has, and back.
template <class T>
Buffer<T> on_device(const std::vector<T>& here, Device device) {
  Buffer<T> there(here.size(), device);
  if (device == Device::host)
    std::memcpy(there.data(), here.data(), here.size() * sizeof(T));
  else
    copy_bytes(there.data(), here.data(), here.size() * sizeof(T));
  return there;
}
template <class T>
void fetch(const Buffer<T>& there, std::vector<T>& here) {
  if (there.device() == Device::host)
    std::memcpy(here.data(), there.data(), here.size() * sizeof(T));
  else
    copy_bytes(here.data(), there.data(), here.size() * sizeof(T));
}

// `device`: where the memory of the context's tables is.
template <class Sum, class Integer>
void expect_box_sums(Context& context, Device device, Size size, bool padded) {
  SCOPED_TRACE(std::to_string(size.width) + 'x' + std::to_string(size.height) + (padded ? " padded" : ""));
  const Size whole{size.width + padded, size.height + padded};
  const int stride = whole.width + 1;
  std::vector<Sum> table(static_cast<std::size_t>(stride * whole.height));
  const ImageView<Sum> entries{table.data(), whole.width, whole.height, stride};
  for (int y = padded; y < whole.height; ++y) {
    Sum row = 0;
    for (int x = padded; x < whole.width; ++x) {
      row += pixel_at<Sum>(x - padded, y - padded);
      entries(x, y) = row + (y > 0 ? entries(x, y - 1) : Sum(0));
    }
  }
  const auto list = boxes_of<Integer>(size);
  const int count = static_cast<int>(list.size()) / 5;
  std::vector<Sum> found(static_cast<std::size_t>(2 * count) + 8, Sum(99));  // every second one, and the last, stay 99
  const auto table_there = on_device(table, device), found_there = on_device(found, device);
  const auto list_there = on_device(list, device);

  sum_boxes(context, ImageView<const Sum>{table_there.data(), whole.width, whole.height, stride}, padded,
            {list_there.data(), count, 5, sizeof(Integer) == 8}, ImageView<Sum>{found_there.data(), 1, count, 2});
  if (is_gpu(context.device())) check(cudaStreamSynchronize(context.stream()));
  fetch(found_there, found);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto* box = &list[5 * at];
    ASSERT_EQ(found[2 * at], (sum_by_loops<Sum>(size, box))) << box[0] << ',' << box[1] << ' ' << box[2] << 'x' << box[3];
    ASSERT_EQ(found[2 * at + 1], Sum(99)) << i;
  }
  for (std::size_t i = 2 * static_cast<std::size_t>(count); i < found.size(); ++i) ASSERT_EQ(found[i], Sum(99));
}

inline void expect_box_sums(Context& context, Device device) {
  for (const Size size : {Size{1, 1}, {1, 9}, {9, 1}, {33, 20}})
    for (const bool padded : {false, true}) {
      expect_box_sums<std::uint32_t, std::int32_t>(context, device, size, padded);
      expect_box_sums<std::uint32_t, std::int64_t>(context, device, size, padded);
      expect_box_sums<std::uint64_t, std::int32_t>(context, device, size, padded);
      expect_box_sums<std::uint64_t, std::int64_t>(context, device, size, padded);
      expect_box_sums<float, std::int32_t>(context, device, size, padded);
      expect_box_sums<float, std::int64_t>(context, device, size, padded);
      expect_box_sums<double, std::int32_t>(context, device, size, padded);
      expect_box_sums<double, std::int64_t>(context, device, size, padded);
    }
}

}  // namespace gpu::test
