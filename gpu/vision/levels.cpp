#include "gpu/vision/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace gpu::vision {
namespace {

// To nearest, halves to even, as the processor rounds by default.
int rounded(double value) { return static_cast<int>(std::lrint(value)); }

// OpenCV multiplies in double to find out which factors exist, and in float from then on.
Size window_at(Size window, float factor) {
  return {rounded(static_cast<float>(window.width) * factor), rounded(static_cast<float>(window.height) * factor)};
}

std::vector<float> factors_that_fit(Size frame, Size window, double scale_factor) {
  std::vector<float> factors;
  for (double factor = 1;; factor *= scale_factor) {
    if (rounded(window.width * factor) > frame.width || rounded(window.height * factor) > frame.height) return factors;
    factors.push_back(static_cast<float>(factor));
  }
}

std::vector<float> factors_within(std::span<const float> factors, Size window, Size least, Size most) {
  std::vector<float> within;
  const auto distance = [&](float factor) {
    const auto size = window_at(window, factor);
    const auto dx = std::int64_t{least.width} - size.width, dy = std::int64_t{least.height} - size.height;
    return static_cast<double>(dx) * static_cast<double>(dx) + static_cast<double>(dy) * static_cast<double>(dy);
  };
  for (const float factor : factors) {
    const auto size = window_at(window, factor);
    if (size.width > most.width || size.height > most.height) break;
    if (size.width >= least.width && size.height >= least.height) within.push_back(factor);
  }
  if (within.empty() && !factors.empty()) within.push_back(*std::ranges::min_element(factors, {}, distance));
  return within;
}

}  // namespace

std::vector<Level> levels_of(Size frame, Size window, const LevelOptions& options) {
  if (!(options.scale_factor >= least_scale_factor))
    throw std::invalid_argument("a scale factor of " + std::to_string(options.scale_factor) +
                                " gives too many levels: it must be 1.001 or more");
  if (frame.width < window.width || frame.height < window.height) return {};  // nothing is searched, of whatever size
  if (frame.width > most_frame_side || frame.height > most_frame_side)
    throw std::invalid_argument("a frame of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
                                " is too large for a cascade: reduce it to at most " + std::to_string(most_frame_side) +
                                " pixels per side");
  const bool limited = options.max_size.width != 0 && options.max_size.height != 0;
  const auto factors = factors_within(factors_that_fit(frame, window, options.scale_factor), window, options.min_size,
                                      limited ? options.max_size : frame);
  std::vector<Level> levels;
  int stripes = 0;  // OpenCV's threads share the rows of all levels in as many stripes as the first level has columns / 32
  for (const float factor : factors) {
    const auto width = static_cast<float>(frame.width) / factor, height = static_cast<float>(frame.height) / factor;
    Level level{factor, {rounded(width), rounded(height)}, factor >= 2 ? 1 : 2, 0, 0, window_at(window, factor)};
    const int columns = level.size.width + 1 - window.width, rows = level.size.height + 1 - window.height;
    if (stripes == 0) stripes = std::max((columns + 31) / 32, 1);
    // Each stripe has a whole number of steps, rounded up; but rows / step is rounded down, so that the last row may be
    // in none.
    const int stripe = std::max((rows / level.step + stripes - 1) / stripes, 1) * level.step;
    const int visited = std::min(stripes * stripe, rows);
    level.across = (columns + level.step - 1) / level.step;
    level.down = (visited + level.step - 1) / level.step;
    if (columns > 0 && visited > 0) levels.push_back(level);
  }
  return levels;
}

WindowGrid grid_of(const Level& level, Size window) {
  constexpr double unit = 4294967296.;
  // From the centre of the first window, less half a step, for which the nearest number is rounded.
  const auto shift = [&](int side) { return std::llrint(unit * (side - level.step) / (2. * level.step)); };
  return {std::llrint(unit / (2. * static_cast<double>(level.factor) * level.step)), shift(window.width),
          shift(window.height), level.across, level.down};
}

std::vector<Blend> blends_of(int from, int to) {
  std::vector<Blend> blends;
  blends.reserve(static_cast<std::size_t>(to));
  const double scale = 1.0 / (static_cast<double>(to) / from);
  for (int d = 0; d < to; ++d) {
    const double at = scale * (d + 0.5) - 0.5;
    const int first = static_cast<int>(std::floor(at));
    if (first < 0)
      blends.push_back({0, 0});
    else if (first >= from - 1)
      blends.push_back(Blend::of(from - 1, 0));
    else
      blends.push_back(Blend::of(first, rounded((at - first) * 256)));
  }
  return blends;
}

void resize_rows(ImageView<const std::uint8_t> frame, std::span<const Blend> columns, std::span<const Blend> rows,
                 ImageView<std::uint8_t> out) {
  if (columns.empty()) return;
  // Two rows are blended first, which the compiler vectorises, then neighbours in the result.
  const std::size_t left = columns.front().first, right = std::min(columns.back().first + 2, frame.width);
  std::vector<std::uint16_t> blended(right - left + 1);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    const auto [first, weight] = rows[y];
    const auto *upper = frame.row(first), *lower = weight != 0 ? frame.row(first + 1) : upper;
    for (std::size_t x = left; x < right; ++x)
      blended[x - left] = static_cast<std::uint16_t>(upper[x] * (256 - weight) + lower[x] * weight);
    auto* to = out.row(static_cast<int>(y));
    for (std::size_t x = 0; x < columns.size(); ++x) {
      const auto* const pair = &blended[columns[x].first - left];
      const unsigned first = pair[0], second = pair[1], share = columns[x].weight;
      to[x] = static_cast<std::uint8_t>((first * (256 - share) + second * share + 32768) >> 16);
    }
  }
}

}  // namespace gpu::vision
