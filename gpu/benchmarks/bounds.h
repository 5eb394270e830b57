// The bounds that every timing is divided by: what no algorithm can beat, measured like one.
//
// copy          a memcpy that reads and writes as many bytes, in all, as image and table have together
// convert_copy  reads the image and writes its pixels, in the table's type, to the table: one read and one write a
//               pixel, and no sum
// memset        host only: all threads clear the table, the least a table costs where stores are the limit
#pragma once

#include <span>
#include <string_view>

#include "gpu/sat.h"

namespace gpu::benchmarks {

struct Bound {
  std::string_view name;
  // `table` follows `image` in memory at once, as in Stage. The image stays as it was.
  void (*run)(Context& context, AnyConstImageView image, AnyImageView table);
};

std::span<const Bound> bounds(Device device);
// The one that overheads are counted from.
std::string_view decisive_bound(Device device, SatType type);

}  // namespace gpu::benchmarks
