// Rows of colour pixels on the host, in variants as the rows of a table are: row_scan.h chooses. All variants compute the same.
#pragma once

#include <cstdint>

#include "gpu/image.h"

namespace gpu {

inline const Bgr* row_of(const BgrView& colour, int y) {
  return reinterpret_cast<const Bgr*>(reinterpret_cast<const std::uint8_t*>(colour.data) + y * colour.pitch);
}

struct PixelRows {
  void (*luma)(const Bgr* pixels, std::uint8_t* gray, int width);
};

}  // namespace gpu
