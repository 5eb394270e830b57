#include "app/capture/frame.h"

#include <algorithm>
#include <charconv>

#include "gpu/pictures/host_vectors.h"

namespace app::capture {
namespace {

// The quotient by a range that is known only now, without a division, which no vector has: a product with a reciprocal of 24 bits,
// rounded down, is right or 1 too small, and what is left says which. All of it fits 32 bits, as `above` is at most `range`:
// 255 * 2^24 + 2^23 < 2^32.
struct Quotient {
  explicit Quotient(const ValueWindow& window)
      : range(static_cast<std::uint32_t>(window.to - window.from)), reciprocal((std::uint32_t{255} << 24) / range) {}

  std::uint32_t of(std::uint32_t above) const {
    const auto guess = (above * reciprocal + (1u << 23)) >> 24;
    return guess + (510 * above + range - guess * (2 * range) >= 2 * range);
  }

  std::uint32_t range, reciprocal;
};

}  // namespace

void levels_of(std::span<const std::uint16_t> values, const ValueWindow& window, std::uint8_t* levels) {
  gpu::run_with(gpu::host_vectors_here().back(), [&] {
    // Copies: a byte that is written may be one of anything else.
    const Quotient quotient(window);
    const auto from = static_cast<std::uint16_t>(window.from), to = static_cast<std::uint16_t>(window.to);
    const auto* __restrict value = values.data();
    auto* __restrict level = levels;
    const auto count = static_cast<std::ptrdiff_t>(values.size());
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const auto inside = std::min(std::max(value[i], from), to);
      level[i] = static_cast<std::uint8_t>(quotient.of(static_cast<std::uint32_t>(inside - from)));
    }
  });
}

ValueWindow ValueCounts::without(std::uint64_t left_out) const {
  const auto end = [left_out](auto at) {  // behind so many values
    for (std::uint64_t passed = *at; passed <= left_out;) passed += *++at;
    return at;
  };
  return {static_cast<int>(end(counts_.begin()) - counts_.begin()),
          static_cast<int>(end(counts_.rbegin()).base() - counts_.begin()) - 1};
}

ValueWindow ValueCounts::automatic() const {
  constexpr int part = 1000;
  if (all_ == 0) return {};
  for (const auto left_out : {all_ / part, std::uint64_t{0}})
    if (const auto window = without(left_out); window.from < window.to) return window;
  return {};
}

std::string values_text(const ValueWindow& window) { return std::to_string(window.from) + '-' + std::to_string(window.to); }

std::optional<ValueWindow> value_window_from(std::string_view text) {
  ValueWindow window;
  const auto* const end = text.data() + text.size();
  const auto [dash, no_from] = std::from_chars(text.data(), end, window.from);
  if (no_from != std::errc() || dash == end || *dash != '-') return {};
  const auto [last, no_to] = std::from_chars(dash + 1, end, window.to);
  const bool valid = no_to == std::errc() && last == end && window.from >= 0 && window.from < window.to;
  return valid && window.to <= largest_value ? std::optional(window) : std::nullopt;
}

}  // namespace app::capture
