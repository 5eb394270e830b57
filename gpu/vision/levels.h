// Levels: the sizes to which a frame is reduced, so that a cascade's window, whose size is fixed, finds objects of every size; and
// the pixels of each level. Both are exactly those of cv::CascadeClassifier::detectMultiScale() on the CPU (OpenCV 4).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/image.h"

namespace gpu::vision {

// Pixel d of a reduced row is (256 - weight) parts of pixel `first` and `weight` parts of the one after it, which is not used (and
// may be missing) if `weight` is 0. Bilinear interpolation with weights of 8 bits: INTER_LINEAR_EXACT. In one word, of which a GPU's
// thread loads several at once.
struct Blend {
  static constexpr int first_bits = 23, weight_bits = 9;
  std::uint32_t first : first_bits, weight : weight_bits;  // weight: 0 to 256

  static constexpr unsigned most_first = (1u << first_bits) - 1, weight_mask = (1u << weight_bits) - 1;
  static constexpr Blend of(int first, int weight) {
    return {static_cast<unsigned>(first) & most_first, static_cast<unsigned>(weight) & weight_mask};
  }
  // As memory has it.
  static constexpr Blend of_word(std::uint32_t word) { return {word & most_first, word >> first_bits}; }
  friend constexpr bool operator==(Blend, Blend) = default;
};
static_assert(sizeof(Blend) == 4);
inline constexpr int most_frame_side = Blend::most_first;  // pixels: their coordinates fit Blend::first

struct LevelOptions {
  double scale_factor = 1.1;          // from each level to the next: least_scale_factor or more
  Size min_size = {}, max_size = {};  // of a window in the frame. A side 0 of max_size: the frame's size
};
inline constexpr double least_scale_factor = 1.001;

struct Level {
  float factor;      // pixels of the frame per pixel of the level
  Size size;         // of the level's picture, in pixels
  int step;          // pixels from one window to the next, to the right and downwards
  int across, down;  // how many windows are visited: window (i, j) has its top left pixel at (i * step, j * step)
  Size window;       // of each window, in pixels of the frame
};

// Where window `number` of a level's row or column begins in the frame, in pixels: to nearest, halves to even.
constexpr int place_in_frame(int number, int step, float factor) {
  return static_cast<int>(std::lrint(static_cast<float>(number * step) * factor));
}

// OpenCV skips the window on the right of one that it visits and the first stage rejects: of a run of rejected windows, and the one
// behind it, every second one is visited. `rejections`: of windows directly on the left, all of which were evaluated.
constexpr bool is_visited(int rejections) { return rejections % 2 == 0; }
// rejected(i): whether the first stage rejects window i of the row.
template <class Rejected>
constexpr int rejections_before(int column, const Rejected& rejected) {
  int first = column;
  while (first > 0 && rejected(first - 1)) --first;
  return column - first;
}

// The levels of a frame for windows of `window` pixels, the largest picture first; those without a window are left out. If no
// window has a size between the limits, the level whose windows are nearest to the lower limit is used, as in OpenCV. Throws
// std::invalid_argument for a scale factor below least_scale_factor, and for a frame above most_frame_side.
std::vector<Level> levels_of(Size frame, Size window, const LevelOptions& options);

// The window of a level whose centre is nearest to a pixel of the frame. Integers alone: the same window on every device.
struct WindowGrid {
  std::int64_t scale = 0;                 // windows per half pixel of the frame, times 2^32
  std::int64_t shift_x = 0, shift_y = 0;  // likewise, from the centre of the first window
  int across = 0, down = 0;               // as in Level

  // -1: the centre of no window is nearest there, because all lie further inside.
  constexpr int column(int x) const { return nearest(x, shift_x, across); }
  constexpr int row(int y) const { return nearest(y, shift_y, down); }

 private:
  constexpr int nearest(int at, std::int64_t shift, int count) const {
    const auto number = (scale * (2 * at + 1) - shift) >> 32;
    return number >= 0 && number < count ? static_cast<int>(number) : -1;
  }
};
// `window`: the cascade's, in pixels of the level.
WindowGrid grid_of(const Level& level, Size window);

// The `to` pixels of a row that is reduced, or enlarged, from `from` pixels.
std::vector<Blend> blends_of(int from, int to);

// The pixels of the rows `rows` of a level, one after another, into `out`: its size is columns.size() x rows.size(). Sums of
// weights, column times row, are exact; only the result is rounded. Neither more columns of the frame than these use are read, nor more
// rows.
void resize_rows(ImageView<const std::uint8_t> frame, std::span<const Blend> columns, std::span<const Blend> rows,
                 ImageView<std::uint8_t> out);

}  // namespace gpu::vision
