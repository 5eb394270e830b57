// Distribution: the exact mean, percentiles and maximum of any number of values. Adding a value and asking for a percentile
// stay cheap as their number grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace app {

class Distribution {
 public:
  void add(double value);

  std::size_t count() const { return values_.size(); }
  // All 0 where there is no value.
  double last() const { return last_; }
  double sum() const { return sum_; }
  double mean() const { return values_.empty() ? 0 : sum_ / static_cast<double>(values_.size()); }
  double max() const { return max_; }
  double percentile(unsigned percent) const;  // by nearest rank
  double share_above(double limit) const;     // of the values, 0..1

 private:
  void sort() const;
  std::span<const double> older() const { return std::span(values_).first(older_); }
  std::span<const double> newer() const { return std::span(values_).subspan(older_); }

  // Three runs: many sorted values, fewer sorted ones, and unsorted ones, added since the last percentile was asked for.
  mutable std::vector<double> values_;
  mutable std::size_t older_ = 0, sorted_ = 0;
  double last_ = 0, sum_ = 0, max_ = 0;
};

}  // namespace app
