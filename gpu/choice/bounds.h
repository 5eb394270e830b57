// The bounds by which every timing is divided: work that touches as much memory as a table needs and sums nothing, measured
// like an algorithm. On the CPU an algorithm can be faster, by stores that bypass the caches.
//
// copy          a memcpy that reads and writes, in all, as many bytes as image and table have together
// convert_copy  reads the image and writes its pixels, in the table's type, to the table: one read and one write per
//               pixel, and no sum
// convert_words device only: the same by more threads, of four pixels each: a word of bytes
// memset        host only: all threads clear the table, the least possible time if stores are the limit
#pragma once

#include <span>
#include <string_view>

#include "gpu/sat.h"

namespace gpu {

struct Bound {
  std::string_view name;
  // `table` directly follows `image` in memory, and the rows of both begin at multiples of 256 bytes. The image is not
  // changed. Host and CUDA contexts only.
  void (*run)(Context& context, AnyConstImageView image, AnyImageView table);
};

std::span<const Bound> bounds(Device device);
// The bound over which the program states overheads. The benchmark takes the fastest one of a GPU (Results::bound).
std::string_view decisive_bound(Device device, SatType type);

}  // namespace gpu
