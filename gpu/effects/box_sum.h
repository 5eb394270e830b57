// Sums over boxes of an image from its inclusive table, modulo 2^32: exact if the box's own sum is below 2^32. And their rounded
// means.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "gpu/effects/border.h"
#include "gpu/image.h"
#include "gpu/pictures/edge_pixels.h"

namespace gpu::effects {

using SatView = ImageView<const std::uint32_t>;

// Sum of the first `width` columns and `height` rows; 0 if either is 0.
constexpr std::uint32_t corner_sum(const SatView& sat, int width, int height) {
  return width > 0 && height > 0 ? sat(width - 1, height - 1) : 0u;
}

// Sum of the pixels x0 <= x < x1, y0 <= y < y1 of a box inside the image.
constexpr std::uint32_t box_sum(const SatView& sat, int x0, int y0, int x1, int y1) {
  return corner_sum(sat, x1, y1) - corner_sum(sat, x0, y1) - corner_sum(sat, x1, y0) + corner_sum(sat, x0, y0);
}

// The side of a window that nobody chose, along a side of the frame. In one that is smaller than the usual window, every window
// would have nearly the whole of it: half of it leaves something to see.
inline constexpr int least_window_side = 3;
constexpr int window_side_within(int frame_side, int usual) {
  if (frame_side >= usual) return usual;
  return frame_side < least_window_side ? 1 : std::max(least_window_side, (frame_side / 2 - 1) | 1);
}

// The sums over a window around every pixel. The pixel has index `side / 2` in its window (cv::blur's anchor), so that odd
// windows are centred.
struct WindowSums {
  SatView sat;
  Size window;
  Border border;
  // Where the table's entries for the sum of a window inside the image lie, in entries: from (x, y) to the one above and left
  // of the window, and from there to the one below. Computed once, not by every thread.
  std::int64_t to_first, to_below;

  constexpr WindowSums(const SatView& sat, Size window, Border border)
      : sat(sat),
        window(window),
        border(border),
        to_first(-(window.height / 2 + 1) * sat.stride - (window.width / 2 + 1)),
        to_below(window.height * sat.stride) {}

  // Row y, for F::row of a pixel function: use(x, sum, count, whole) for every x, where `count` is the number of summed
  // pixels and `whole` is std::true_type if the compiler can rely on count == window.pixels().
  template <class Spans, class Use>
  constexpr void row(int y, const Spans& spans, const Use& use) const {
    const int begin = y - window.height / 2, end = begin + window.height;
    if constexpr (requires { Spans::loops; }) {
      row_at_once(begin, end, spans, use);
    } else if (begin >= 1 && end <= sat.height) {
      const std::uint32_t *above = sat.row(begin - 1), *below = sat.row(end - 1);
      columns(
          spans, [above, below](int x) { return below[x] - above[x]; }, window.height, use);
    } else {
      const AxisTerms terms = axis_terms(begin, end, sat.height, border);
      const SatView table = sat;
      columns(
          spans,
          [terms, table](int x) {
            std::uint32_t sum = 0;
            for (int k = 0; k < AxisTerms::count; ++k)
              sum += static_cast<std::uint32_t>(terms.weight[k]) * table(x, terms.last[k]);
            return sum;
          },
          inside(begin, end, sat.height), use);
    }
  }

  // The bytes of the table that a GPU's threads request for the sums of all windows: an entry for each combination of the
  // terms of a column and of a row, which are two where the window lies inside the image and does not begin at its edge.
  constexpr std::uint64_t read_bytes() const {
    const auto terms = [](int side, int n) {
      const int inner = std::max(0, n - side);
      return static_cast<std::uint64_t>(2 * std::int64_t{inner} + AxisTerms::count * std::int64_t{n - inner});
    };
    return terms(window.width, sat.width) * terms(window.height, sat.height) * sizeof(std::uint32_t);
  }

  // The pixels whose windows lie inside the image, and do not begin at its edge: the sum of such a window.
  constexpr PixelRange interior() const {
    const int left = window.width / 2, above = window.height / 2;
    return {left + 1, sat.width - (window.width - left) + 1, above + 1, sat.height - (window.height - above) + 1};
  }
  constexpr std::uint32_t inner_sum(int x, int y) const {
    const std::uint32_t* above = sat.data + (y * sat.stride + x + to_first);
    const std::uint32_t* below = above + to_below;
    return (below[window.width] - above[window.width]) - (below[0] - above[0]);
  }

 private:
  // The whole row on the host, where its windows share their prefix sums.
  template <class Spans, class Use>
  void row_at_once(int begin, int end, const Spans& spans, const Use& use) const {
    const int width = sat.width, side = window.width, before = side / 2;
    const std::uint32_t* first = extended_row(sat, axis_terms(begin, end, sat.height, border), before, side - before,
                                              border);
    const int all = static_cast<int>(window.pixels()), rows = inside(begin, end, sat.height);
    const bool clips = border == Border::clip, cut = clips && rows < window.height;
    // The windows that count whole.
    const int from = cut ? 0 : clips ? std::min(before, width) : 0;
    const int to = cut ? 0 : clips ? std::max(from, width - side + before + 1) : width;
    spans.within(from, to, [=](int x) { use(x, first[x + side] - first[x], all, std::true_type{}); });
    spans.without(from, to, [=](int x) {
      use(x, first[x + side] - first[x], inside(x - before, x - before + side, width) * rows, std::false_type{});
    });
  }

  static constexpr int inside(int begin, int end, int n) { return std::clamp(end, 0, n) - std::clamp(begin, 0, n); }

  // `strip(x)`: the sum of columns 0..x over the window's rows, of which `rows` lie inside the image.
  template <class Spans, class Strip, class Use>
  constexpr void columns(const Spans& spans, const Strip& strip, int rows, const Use& use) const {
    const int before = window.width / 2, after = window.width - before - 1, width = sat.width;
    const int first = std::min(before + 1, width), past = std::max(first, width - after);
    const int side = window.width;
    const auto border_kind = border;
    const int all = static_cast<int>(window.pixels());
    if (border_kind == Border::clip && rows < window.height)
      spans.within(first, past,
                   [=](int x) { use(x, strip(x + after) - strip(x - before - 1), side * rows, std::false_type{}); });
    else
      spans.within(first, past, [=](int x) { use(x, strip(x + after) - strip(x - before - 1), all, std::true_type{}); });
    spans.without(first, past, [=](int x) {
      const int begin = x - before, end = begin + side;
      const AxisTerms terms = axis_terms(begin, end, width, border_kind);
      std::uint32_t sum = 0;
      for (int k = 0; k < AxisTerms::count; ++k) sum += static_cast<std::uint32_t>(terms.weight[k]) * strip(terms.last[k]);
      const int count = border_kind == Border::clip ? inside(begin, end, width) * rows : all;
      use(x, sum, count, std::false_type{});
    });
  }
};

// sum / area rounded to the nearest whole number, halves up, without dividing: floor((2*sum + area) / (2*area)).
//
// That is floor(m / d) with m = 2*sum + area and d = 2*area, and floor(m * multiplier / 2^shift) is the same where
// multiplier = ceil(2^shift / d) and m * (multiplier * d - 2^shift) < 2^shift (Granlund and Montgomery, Division by invariant
// integers using multiplication, PLDI 1994, theorem 4.2). Here m < 256 * d, because no pixel exceeds 255, so that it holds for
// every area up to max_area: a test checks each of them. `shift` is at least 32: only the high half of the product is shifted.
class RoundedMean {
 public:
  static constexpr int max_side = 2047;
  static constexpr std::uint32_t max_area = max_side * max_side;

  constexpr explicit RoundedMean(std::uint32_t area)
      : area_(area),
        shift_(31 + std::bit_width(2 * area - 1)),
        multiplier_(static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + 2 * area - 1) / (2 * area))) {}

  constexpr std::uint8_t operator()(std::uint32_t sum) const {
    const auto product = static_cast<std::uint64_t>(2 * sum + area_) * multiplier_;
    return static_cast<std::uint8_t>(static_cast<std::uint32_t>(product >> 32) >> (shift_ - 32));
  }

  constexpr std::uint32_t area() const { return area_; }
  constexpr int shift() const { return shift_; }
  constexpr std::uint32_t multiplier() const { return multiplier_; }

 private:
  std::uint32_t area_;
  int shift_;
  std::uint32_t multiplier_;
};

}  // namespace gpu::effects
