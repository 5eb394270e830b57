// Rows of colour pixels on the host, in variants as the rows of a table are: row_scan.h chooses. All variants compute the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/image.h"

namespace gpu {

// The mean of a window: floor((2*sum + area) * multiplier / 2^shift), as effects::RoundedMean computes them.
struct MeanFactors {
  std::uint32_t area, multiplier;
  int shift;  // 32 or more
};

// A strip: the sums of a window's rows in every column. `Sum` is wide enough for them.
template <class Sum>
struct StripFunctions {
  // strip[i] += entering[i] - leaving[i]
  void (*move)(Sum* strip, const std::uint8_t* entering, const std::uint8_t* leaving, std::ptrdiff_t entries);
  // The windows of `columns` columns of a strip of three channels per pixel, the first one at its first column: that of pixel x
  // begins at column x. It reads width + columns - 1 of them.
  void (*means)(const Sum* strip, int columns, const MeanFactors& mean, std::uint8_t* out, int width);
};

inline const Bgr* row_of(const BgrView& colour, int y) {
  return reinterpret_cast<const Bgr*>(reinterpret_cast<const std::uint8_t*>(colour.data) + y * colour.pitch);
}

struct PixelRows {
  void (*luma)(const Bgr* pixels, std::uint8_t* gray, int width);
  void (*rgba)(const Bgr* pixels, Rgba* out, int width);
  StripFunctions<std::uint16_t> strip16;  // of up to 257 rows of bytes
  StripFunctions<std::uint32_t> strip32;
};

}  // namespace gpu
