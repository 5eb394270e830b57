#include "app/pipeline/distribution.h"

#include <cmath>

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

double Distribution::Sum::per_second() const {
  return nanoseconds > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(nanoseconds) : 0;
}

void Distribution::add(double microseconds) {
  max_ = values_.empty() ? microseconds : std::max(max_, microseconds);
  last_ = microseconds;
  nanoseconds_ += std::llround(microseconds * 1000);
  values_.push_back(microseconds);
}

double Distribution::mean() const {
  if (values_.empty()) return 0;
  const auto count = static_cast<std::int64_t>(values_.size());
  return static_cast<double>((2 * nanoseconds_ + count) / (2 * count)) / 1000;
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

double Distribution::permille(unsigned permille) const {
  if (values_.empty()) return 0;
  sort();
  return of_rank(older(), newer(), gpu::nearest_rank_permille(values_.size(), permille));
}

Distribution::Sum Distribution::largest(unsigned permille) const {
  sort();
  const auto wanted = (values_.size() * permille + 999) / 1000;
  Sum sum{wanted, 0};
  auto a = older(), b = newer();
  for (std::size_t i = 0; i < wanted; ++i) {
    auto& run = b.empty() || (!a.empty() && a.back() > b.back()) ? a : b;
    sum.nanoseconds += std::llround(run.back() * 1000);
    run = run.first(run.size() - 1);
  }
  return sum;
}

std::size_t Distribution::count_above(double limit) const {
  sort();
  const auto above = [&](std::span<const double> run) {
    return static_cast<std::size_t>(run.end() - std::upper_bound(run.begin(), run.end(), limit));
  };
  return above(older()) + above(newer());
}

double Distribution::share_above(double limit) const {
  if (values_.empty()) return 0;
  return static_cast<double>(count_above(limit)) / static_cast<double>(values_.size());
}

}  // namespace app
