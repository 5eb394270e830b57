#include "app/pipeline/distribution.h"

#include "gpu/percentile.h"

namespace app {
namespace {

constexpr std::size_t few = 1024;

// The value with `rank` smaller or equal ones before it when two sorted runs are merged.
double of_rank(std::span<const double> a, std::span<const double> b, std::size_t rank) {
  // Binary search: how many values of a are among the first rank + 1.
  auto low = rank + 1 - std::min(rank + 1, b.size()), high = std::min(rank + 1, a.size());
  while (low < high) {
    const auto middle = (low + high) / 2;
    if (a[middle] < b[rank - middle])
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return b[rank];
  return low > rank ? a[low - 1] : std::max(a[low - 1], b[rank - low]);
}

}  // namespace

void Distribution::add(double value) {
  max_ = values_.empty() ? value : std::max(max_, value);
  last_ = value;
  sum_ += value;
  values_.push_back(value);
}

void Distribution::sort() const {
  if (sorted_ == values_.size()) return;
  const auto at = [&](std::size_t index) { return values_.begin() + static_cast<std::ptrdiff_t>(index); };
  std::sort(at(sorted_), values_.end());
  std::inplace_merge(at(older_), at(sorted_), values_.end());
  sorted_ = values_.size();
  if (sorted_ - older_ <= older_ / 8 + few) return;
  std::inplace_merge(values_.begin(), at(older_), values_.end());
  older_ = sorted_;
}

double Distribution::percentile(unsigned percent) const {
  if (values_.empty()) return 0;
  sort();
  return of_rank(older(), newer(), gpu::nearest_rank(values_.size(), percent));
}

double Distribution::share_above(double limit) const {
  if (values_.empty()) return 0;
  sort();
  const auto above = [&](std::span<const double> run) {
    return run.end() - std::upper_bound(run.begin(), run.end(), limit);
  };
  return static_cast<double>(above(older()) + above(newer())) / static_cast<double>(values_.size());
}

}  // namespace app
