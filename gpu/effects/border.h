// The pixels outside an image, one axis at a time: the sum over any interval of an endless row of pixels, as a combination
// of a few prefix sums of the real pixels. Every border is periodic or constant, so that no loop is needed, however far the
// interval extends.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/image.h"

namespace gpu::effects {

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

}  // namespace gpu::effects
