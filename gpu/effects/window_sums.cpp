#include "gpu/effects/window_sums.h"

#include <algorithm>
#include <vector>

#include "gpu/pictures/host_vectors.h"

namespace gpu::effects {
namespace {

// out[i]: the sum of the first i pixels, for 0 <= i <= width.
void prefix_sums(ImageView<const std::uint32_t> table, const AxisTerms& rows, std::uint32_t* __restrict out) {
  const int width = table.width;
  const auto weight = [&](int k) { return static_cast<std::uint32_t>(rows.weight[k]); };
  const auto row = [&](int k) { return table.row(rows.last[k]); };
  const std::uint32_t *below = row(AxisTerms::end), *above = row(AxisTerms::begin);
  const auto plus = weight(AxisTerms::end), minus = weight(AxisTerms::begin);
  out[0] = 0;
  if (plus == 1 && minus == static_cast<std::uint32_t>(-1))  // as in most rows
    for (int x = 0; x < width; ++x) out[x + 1] = below[x] - above[x];
  else
    for (int x = 0; x < width; ++x) out[x + 1] = plus * below[x] + minus * above[x];
  for (int k = 0; k < AxisTerms::end; ++k)
    if (const auto times = weight(k)) {
      const std::uint32_t* more = row(k);
      for (int x = 0; x < width; ++x) out[x + 1] += times * more[x];
    }
}

// Continues the prefix sums `of` n pixels beyond them: of[k] for begin <= k < end, where `k` is before 0 or past n.
class Beyond {
 public:
  Beyond(std::uint32_t* of, int n, Border border) : of_(of), n_(n), border_(border) {}

  void fill(int begin, int end) const {
    if (border_ == Border::reflect) return reflected(begin, end, n_, 0);
    if (border_ == Border::reflect101 && n_ > 1) return reflected(begin, end, n_ - 1, 1);
    const bool repeat = border_ == Border::replicate || border_ == Border::reflect101;  // a single pixel reflected
    const int edge = begin < 0 ? 0 : n_;
    const auto pixel = !repeat ? 0u : begin < 0 ? of_[1] : of_[n_] - of_[n_ - 1];
    const auto sum = of_[edge];
    for (int k = begin; k < end; ++k) of_[k] = sum + static_cast<std::uint32_t>(k - edge) * pixel;
  }

 private:
  // See detail::reflected().
  void reflected(int begin, int end, int turn, int mirrored) const {
    const int period = n_ + turn - mirrored;
    const auto whole = of_[n_] + of_[turn] - of_[mirrored];
    for (int k = begin; k < end;) {
      const detail::Periodic at(k, period);
      const auto sum = static_cast<std::uint32_t>(at.quotient) * whole;
      const int r = at.remainder;
      const int length = std::min(end - k, r <= n_ ? n_ - r + 1 : period - r);
      if (r <= n_)
        for (int i = 0; i < length; ++i) of_[k + i] = sum + of_[r + i];
      else
        for (int i = 0; i < length; ++i) of_[k + i] = sum + of_[n_] + of_[turn] - of_[n_ + turn - r - i];
      k += length;
    }
  }

  std::uint32_t* of_;
  int n_;
  Border border_;
};

}  // namespace

const std::uint32_t* extended_row(ImageView<const std::uint32_t> table, const AxisTerms& rows, int before, int after,
                                  Border border) {
  thread_local std::vector<std::uint32_t> memory;
  const int width = table.width;
  const auto size = static_cast<std::size_t>(before) + static_cast<std::size_t>(width) + static_cast<std::size_t>(after) + 1;
  if (memory.size() < size) memory.resize(size);
  std::uint32_t* out = memory.data() + before;
  run_with(host_vectors_here().back(), [&] { prefix_sums(table, rows, out); });
  const Beyond beyond(out, width, border);
  beyond.fill(-before, 0);
  beyond.fill(width + 1, width + after + 1);
  return memory.data();
}

}  // namespace gpu::effects
