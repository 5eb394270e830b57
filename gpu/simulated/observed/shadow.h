// Shadow cells: for every 4-byte word of memory, its last writer and its last reader.
//
// Only one writer and one reader are kept: every access that a cell records took place, but some are lost. If several
// threads wrote different bytes of one word, only the last one is known; of unordered readers of the same bytes, how far
// apart they are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpu::simulated {

struct Touch {
  enum Spread : std::uint32_t { one_thread, one_warp, one_block, several_blocks };

  std::uint32_t block = 0;                     // serial number among all that have run; 0: none
  std::int32_t place = 0;                      // an address in device code, as an offset from the detector's own
  std::uint16_t barriers = 0, warp_epoch = 0;  // completed at that time, modulo 2^16
  std::uint32_t thread : 10 = 0;               // number in the block; of several, the last
  std::uint32_t bytes : 4 = 0;                 // one bit per byte of the word
  std::uint32_t spread : 2 = 0;                // of readers
  std::uint32_t strong : 1 = 0;                // relaxed or atomic: such accesses do not race with one another
  std::uint32_t ever : 4 = 0;                  // for writers: all bytes that this block has written
};

struct ShadowCell {
  Touch writer, reader;
};
static_assert(sizeof(ShadowCell) == 32);

inline constexpr std::size_t word_bytes = 4;  // per cell

// Cells for a range of memory, in reserved address space of which only used pages become memory: 8 times the size of the
// accessed words.
class ShadowMemory {
 public:
  explicit ShadowMemory(std::size_t bytes);  // of memory to represent. Throws std::runtime_error, as Heap
  ~ShadowMemory();
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;

  ShadowCell* cells() const { return cells_; }
  void clear();  // all words are untouched

 private:
  std::size_t bytes_;
  ShadowCell* cells_;
};

}  // namespace gpu::simulated
