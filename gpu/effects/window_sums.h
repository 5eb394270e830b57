// Sums over boxes and windows of an image from its inclusive table, modulo 2^32: exact if the box's own sum is below 2^32.
// What borders put outside the image. Rounded means.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "gpu/image.h"
#include "gpu/pictures/edge_pixels.h"

namespace gpu::effects {

// The pixels outside an image, one axis at a time: the sum over any interval of an endless row of pixels, as a combination
// of a few prefix sums of the real pixels. Every border is periodic or constant, so that no loop is needed, however far the
// interval extends.
enum class Border {
  reflect101,  // gfedcb|abcdefgh|gfedcba
  reflect,     // fedcba|abcdefgh|hgfedcb
  replicate,   // aaaaaa|abcdefgh|hhhhhhh
  constant,    // 000000|abcdefgh|0000000
  clip,        // nothing: the interval ends at the image's edge
};
inline constexpr auto border_choices = "reflect101,reflect,replicate,constant,clip";  // in the order of Border
inline constexpr auto border_labels = "Reflect (edge once),Reflect (edge twice),Repeat the edge,Black,Clip the window";

// Sum of the interval = sum over k of weight[k] * prefix(last[k] + 1), where prefix(n) is the sum of the first n pixels.
// Unused terms have weight 0 and a valid `last`.
struct AxisTerms {
  static constexpr int count = 5, end = 3, begin = 4;  // the terms of the interval's ends
  int last[count] = {};
  int weight[count] = {};

  constexpr void set(int term, int prefix_of, int times) {
    if (prefix_of <= 0) return;
    last[term] = prefix_of - 1;
    weight[term] = times;
  }
};

namespace detail {

// i = period * quotient + remainder, 0 <= remainder < period. Nearly every i is within one period of the image, where two
// comparisons are cheaper than a division.
struct Periodic {
  int quotient, remainder;

  constexpr Periodic(int i, int period) : quotient(0), remainder(i) {
    if (i >= -period && i < 2 * period) {
      quotient = i < 0 ? -1 : i >= period;
    } else {
      quotient = i / period - (i % period < 0);
    }
    remainder -= quotient * period;
  }
};

// One period is the n pixels and then, backwards, all of them (reflect) or all except the two ends (reflect101). `turn` is
// where the backward part starts and `mirrored` where it ends, as prefixes: n and 0, or n - 1 and 1.
constexpr AxisTerms reflected(int begin, int end, int n, int turn, int mirrored) {
  const int period = n + turn - mirrored;
  int whole = 0;  // periods in the interval
  int back = 0;   // backward parts that are begun: each adds prefix(n) + prefix(turn) - ...
  AxisTerms terms;
  const auto add = [&](int term, int i, int sign) {
    const Periodic at(i, period);
    whole += sign * at.quotient;
    if (at.remainder <= n) {
      terms.set(term, at.remainder, sign);
    } else {
      back += sign;
      terms.set(term, n + turn - at.remainder, -sign);
    }
  };
  add(AxisTerms::end, end, 1);
  add(AxisTerms::begin, begin, -1);
  terms.set(0, n, whole + back);
  terms.set(1, turn, whole + back);
  terms.set(2, mirrored, -whole);
  return terms;
}

}  // namespace detail

// The interval begin <= i < end along an axis of n >= 1 pixels.
constexpr AxisTerms axis_terms(int begin, int end, int n, Border border) {
  if (border == Border::reflect) return detail::reflected(begin, end, n, n, 0);
  if (border == Border::reflect101 && n > 1) return detail::reflected(begin, end, n, n - 1, 1);
  AxisTerms terms;
  terms.set(AxisTerms::end, std::clamp(end, 0, n), 1);
  terms.set(AxisTerms::begin, std::clamp(begin, 0, n), -1);
  if (border == Border::replicate || border == Border::reflect101) {  // a single pixel reflected is the pixel repeated
    const int before = std::max(0, std::min(end, 0) - begin), after = std::max(0, end - std::max(begin, n));
    terms.set(0, n, after);
    terms.set(1, n - 1, -after);
    terms.set(2, 1, before);
  }
  return terms;
}

// Prefix sums of a row of pixels that continues beyond its ends. On the host one array of them gives the sums of all windows of a
// row, at a cost that does not depend on the window; axis_terms() does the same for one window alone.
//
// The pixels of the row are sums of a column's pixels: `rows` combines rows of the inclusive `table` to them. out[k]: the sum of
// the pixels from 0 to k - before (exclusive), modulo 2^32, negative sums before 0, for 0 <= k <= before + width + after, where
// `before` and `after` are not negative. Valid until the thread calls this again.
const std::uint32_t* extended_row(ImageView<const std::uint32_t> table, const AxisTerms& rows, int before, int after,
                                  Border border);

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

// How many of begin .. end - 1 lie in 0 .. n - 1.
constexpr int inside(int begin, int end, int n) { return std::clamp(end, 0, n) - std::clamp(begin, 0, n); }

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
