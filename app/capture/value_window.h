// The window of values: which values of a source of 16 bits are shown, from black to white. Integers only, so that a picture is the
// same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app::capture {

inline constexpr int largest_value = 65'535;

struct ValueWindow {
  int from = 0, to = largest_value;  // from < to
  friend bool operator==(const ValueWindow&, const ValueWindow&) = default;
};

// 255 * (value - from) / (to - from), rounded half up; black below, white above.
constexpr std::uint8_t level_of(std::uint16_t value, const ValueWindow& window) {
  const int range = window.to - window.from, above = std::clamp<int>(value, window.from, window.to) - window.from;
  return static_cast<std::uint8_t>((510 * above + range) / (2 * range));
}
// The same for many; `levels` has as many.
void levels_of(std::span<const std::uint16_t> values, const ValueWindow& window, std::uint8_t* levels);

// ValueCounts: how often each value occurs in a picture, of which the automatic window follows.
class ValueCounts {
 public:
  ValueCounts() : counts_(largest_value + 1) {}

  void add(std::uint16_t value) { ++counts_[value], ++all_; }
  // From the least to the greatest value, where of each a thousandth of all values are left out: hot and dead pixels decide
  // nothing. Where these are one value, nothing is left out; where the picture has one value alone, it is all of them, 0 to 65535.
  ValueWindow automatic() const;

 private:
  ValueWindow without(std::uint64_t left_out) const;

  std::vector<std::uint32_t> counts_;
  std::uint64_t all_ = 0;
};

// "500-4000"; nullopt unless it is two whole numbers from 0 to 65535, the second above the first.
std::string values_text(const ValueWindow& window);
std::optional<ValueWindow> value_window_from(std::string_view text);

}  // namespace app::capture
