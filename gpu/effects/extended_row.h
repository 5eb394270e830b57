// Prefix sums of a row of pixels that continues beyond its ends, as a border says. On the host one array of them gives the
// sums of all windows of a row, at a cost that does not depend on the window; border.h does the same for one window alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/effects/border.h"

namespace gpu::effects {

class ExtendedRow {
 public:
  // `prefix[i]`: the sum of the first i of n >= 1 pixels, for 0 <= i <= n.
  ExtendedRow(const std::uint32_t* prefix, int n, Border border) : prefix_(prefix), n_(n), border_(border) {}

  // out[k]: the sum of the pixels from 0 to begin + k (exclusive), negative sums before 0, for 0 <= k < count.
  void fill(int begin, int count, std::uint32_t* out) const {
    if (border_ == Border::reflect) return reflected(begin, count, n_, 0, out);
    if (border_ == Border::reflect101 && n_ > 1) return reflected(begin, count, n_ - 1, 1, out);
    const bool repeat = border_ == Border::replicate || border_ == Border::reflect101;  // a single pixel reflected
    const auto first = repeat ? prefix_[1] : 0u, last = repeat ? prefix_[n_] - prefix_[n_ - 1] : 0u;
    const int before = std::clamp(-begin, 0, count), inside = std::clamp(n_ - begin, before, count);
    line(out, before, static_cast<std::uint32_t>(begin) * first, first);
    forward(out + before, inside - before, 0, prefix_ + std::max(begin, 0));
    const auto past = static_cast<std::uint32_t>(begin + inside - n_);
    line(out + inside, count - inside, prefix_[n_] + past * last, last);
  }

 private:
  // See detail::reflected() of border.h.
  void reflected(int begin, int count, int turn, int mirrored, std::uint32_t* out) const {
    const int period = n_ + turn - mirrored;
    const auto whole = prefix_[n_] + prefix_[turn] - prefix_[mirrored];
    for (int k = 0; k < count;) {
      const detail::Periodic at(begin + k, period);
      const auto sum = static_cast<std::uint32_t>(at.quotient) * whole;
      const int r = at.remainder;
      const int length = std::min(count - k, r <= n_ ? n_ - r + 1 : period - r);
      if (r <= n_)
        forward(out + k, length, sum, prefix_ + r);
      else
        backward(out + k, length, sum + prefix_[n_] + prefix_[turn], prefix_ + n_ + turn - r);
      k += length;
    }
  }
  static void forward(std::uint32_t* __restrict out, int count, std::uint32_t sum, const std::uint32_t* __restrict from) {
    for (int k = 0; k < count; ++k) out[k] = sum + from[k];
  }
  static void backward(std::uint32_t* __restrict out, int count, std::uint32_t sum, const std::uint32_t* __restrict from) {
    for (int k = 0; k < count; ++k) out[k] = sum - from[-k];
  }
  static void line(std::uint32_t* out, int count, std::uint32_t sum, std::uint32_t step) {
    for (int k = 0; k < count; ++k) out[k] = sum + static_cast<std::uint32_t>(k) * step;
  }

  const std::uint32_t* prefix_;
  int n_;
  Border border_;
};

}  // namespace gpu::effects
