// Distribution: the exact mean, percentiles and maximum of any number of times. Adding one and asking for a percentile stay
// cheap as their number grows.
//
// Values are microseconds in whole nanoseconds, and so is all that is computed from them. Sums are integers: no figure
// depends on the order of the values, so that figures computed from a log are the same to the last digit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace app {

class Distribution {
 public:
  struct Sum {
    std::size_t count = 0;
    std::int64_t nanoseconds = 0;
    double per_second() const;  // count / time, 0 for no time
  };

  void add(double microseconds);

  std::size_t count() const { return values_.size(); }
  // All 0 where there is no value.
  double last() const { return last_; }
  Sum sum() const { return {values_.size(), nanoseconds_}; }
  double mean() const;  // rounded to whole nanoseconds, halves up
  double max() const { return max_; }
  double percentile(unsigned percent) const { return permille(percent * 10); }  // by nearest rank
  double permille(unsigned permille) const;                                     // likewise: 999 is the 99.9th percentile
  Sum largest(unsigned permille) const;  // of so many of the largest values, the number of them rounded up
  std::size_t count_above(double limit) const;
  double share_above(double limit) const;  // of the values, 0..1

 private:
  void sort() const;
  std::span<const double> older() const { return std::span(values_).first(older_); }
  std::span<const double> newer() const { return std::span(values_).subspan(older_); }

  // Three runs: many sorted values, fewer sorted ones, and unsorted ones, added since the last percentile was asked for.
  mutable std::vector<double> values_;
  mutable std::size_t older_ = 0, sorted_ = 0;
  std::int64_t nanoseconds_ = 0;
  double last_ = 0, max_ = 0;
};

}  // namespace app
