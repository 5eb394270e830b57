#include "gpu/pictures/box_sums.h"

#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu {
namespace {

// The part of begin .. begin + length - 1 that lies in 0 .. size - 1; empty parts have first >= past.
struct Clipped {
  int first, past;

  template <class Integer>
  constexpr Clipped(Integer begin, Integer length, int size) : first(0), past(0) {
    if (length <= 0 || begin >= size) return;
    constexpr auto most = std::numeric_limits<Integer>::max();
    const Integer end = begin > most - length ? most : begin + length;
    first = begin > 0 ? static_cast<int>(begin) : 0;
    past = end >= size ? size : end > 0 ? static_cast<int>(end) : 0;
  }
  constexpr bool empty() const { return first >= past; }
};

// A function of (x, y) for the box y * across + x, so that it is run as pixels are.
template <class Sum, class Integer>
struct SumOfBox {
  ImageView<const Sum> table;
  int border;  // columns and rows of zeros that the table has
  ImageView<const Integer> boxes;
  ImageView<Sum> sums;
  int across;

  // The sum of the first `columns` and `rows` of the image.
  constexpr Sum corner(int columns, int rows) const {
    const int x = columns - 1 + border, y = rows - 1 + border;
    return x >= 0 && y >= 0 ? table(x, y) : Sum(0);
  }
  constexpr Sum of(const Integer* box) const {
    const Clipped x(box[0], box[2], table.width - border), y(box[1], box[3], table.height - border);
    if (x.empty() || y.empty()) return Sum(0);
    return (corner(x.past, y.past) - corner(x.first, y.past)) - (corner(x.past, y.first) - corner(x.first, y.first));
  }
  constexpr void operator()(int x, int y) const {
    const int i = y * across + x;
    if (i < boxes.height) sums(0, i) = of(boxes.row(i));
  }
};

// The same of tilted boxes. (R. Lienhart and J. Maydt, An extended set of Haar-like features for rapid object detection,
// ICIP 2002.)
template <class Sum, class Integer>
struct SumOfTiltedBox {
  ImageView<const Sum> table;
  int border;
  ImageView<const Integer> boxes;
  ImageView<Sum> sums;
  int across;

  // So that no sum of two of them, and a side of an image, overflows.
  static constexpr std::int64_t limited(Integer value) {
    constexpr auto most = std::int64_t{1} << 60;
    const std::int64_t wide = value;
    return wide > most ? most : wide < -most ? -most : wide;
  }
  constexpr int width() const { return table.width - border; }
  constexpr int height() const { return table.height - border; }
  // The row of the triangle in the table that has the same pixels of the image as the one with the tip (x, y): beside the image
  // that of the nearest column, as many rows higher.
  constexpr std::int64_t row_of(std::int64_t x, std::int64_t y) const {
    const std::int64_t beyond = x < 0 ? -x : x >= width() ? x - (width() - 1) : 0;
    return y - beyond;
  }
  constexpr Sum triangle(std::int64_t x, std::int64_t y) const {
    const auto row = row_of(x, y);
    const auto column = x < 0 ? 0 : x >= width() ? width() - 1 : x;
    return row < 0 ? Sum(0) : table(static_cast<int>(column) + border, static_cast<int>(row) + border);
  }
  constexpr Sum of(const Integer* box) const {
    const auto x = limited(box[0]), y = limited(box[1]), w = limited(box[2]), h = limited(box[3]);
    if (w <= 0 || h <= 0 || x + w < 2 || x - h >= width()) return Sum(0);  // nothing in the image's columns
    // The tips of the triangles whose lowest rows end above the box, at its left and right corners, and at its lowest pixel.
    const auto tip_x = x - 1, tip_y = y - 1;
    if (row_of(tip_x + w - h, tip_y + w + h) >= height()) {
      if constexpr (std::numeric_limits<Sum>::has_quiet_NaN)
        return std::numeric_limits<Sum>::quiet_NaN();
      else
        return ~Sum(0);
    }
    return (triangle(tip_x + w - h, tip_y + w + h) - triangle(tip_x - h, tip_y + h)) -
           (triangle(tip_x + w, tip_y + w) - triangle(tip_x, tip_y));
  }
  constexpr void operator()(int x, int y) const {
    const int i = y * across + x;
    if (i < boxes.height) sums(0, i) = of(boxes.row(i));
  }
};

template <class Sum, class Integer>
void run(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes, const AnyImageView& sums) {
  // A warp on a GPU; on the host enough that a row of boxes is worth waking a thread.
  const int across = std::min(context.device() == Device::host ? 1024 : 32, boxes.count);
  const Size shape{across, ceil_div(boxes.count, across)};
  if (boxes.tilted)
    context.for_each_pixel(
        "box sums", shape,
        SumOfTiltedBox<Sum, Integer>{table.as<const Sum>(), padded, boxes.as<Integer>(), sums.as<Sum>(), across});
  else
    context.for_each_pixel(
        "box sums", shape,
        SumOfBox<Sum, Integer>{table.as<const Sum>(), padded, boxes.as<Integer>(), sums.as<Sum>(), across});
}

template <class Sum>
void run(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes, const AnyImageView& sums) {
  if (boxes.wide)
    run<Sum, std::int64_t>(context, table, padded, boxes, sums);
  else
    run<Sum, std::int32_t>(context, table, padded, boxes, sums);
}

}  // namespace

void sum_boxes(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes, const AnyImageView& sums) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::sum_boxes))
    return there(context, table, padded, boxes, sums);
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("sum_boxes: " + why); };
  if (stored(table.type) != table.type || size_of(table.type) < 4) refuse("no table has sums of 8 or 16 bits");
  if (sums.type != table.type) refuse("the sums and the table have different types");
  if (sums.width != 1 || sums.height != boxes.count)
    refuse(std::to_string(boxes.count) + " boxes, and memory for " + std::to_string(sums.height) + " sums");
  const ViewArgument read("the table", table), written("the sums", sums, ViewArgument::written);
  const auto list = boxes.wide ? ViewArgument("the list of boxes", boxes.as<std::int64_t>())
                               : ViewArgument("the list of boxes", boxes.as<std::int32_t>());
  check_views(context, "sum_boxes", {read});
  if (padded && (table.width < 2 || table.height < 2)) refuse("a padded table has at least two columns and rows");
  if (boxes.count == 0) return;
  check_views(context, "sum_boxes", {list});
  check_views(context, "sum_boxes", {written});
  if (!context.is_dry() && (overlap(read, written) || overlap(list, written)))
    refuse("the sums overlap the table or the list of boxes");
  switch (table.type) {
    case ElementType::u32: return run<std::uint32_t>(context, table, padded, boxes, sums);
    case ElementType::u64: return run<std::uint64_t>(context, table, padded, boxes, sums);
    case ElementType::f32: return run<float>(context, table, padded, boxes, sums);
    case ElementType::f64: return run<double>(context, table, padded, boxes, sums);
    default: return;  // not the type of a table
  }
}

}  // namespace gpu
