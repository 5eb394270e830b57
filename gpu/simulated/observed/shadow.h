// Shadow cells: for every word of 4 bytes of memory, who wrote it last and who read it last.
//
// One writer and one reader are kept, not all: a cell tells of no access that is not one, but may forget some. Of several
// threads that wrote different bytes of one word only the last is known; of readers that nothing orders, how far apart they
// are, if they read the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpu::simulated {

struct Touch {
  enum Spread : std::uint32_t { one_thread, one_warp, one_block, several_blocks };

  std::uint32_t block = 0;        // serial number among all that have run; 0: nobody
  std::int32_t place = 0;         // an address in device code, as an offset from the detector's own
  std::uint16_t barriers = 0, warp_epoch = 0;  // completed then, modulo 2^16
  std::uint32_t thread : 10 = 0;  // number in the block; of several, the last
  std::uint32_t bytes : 4 = 0;    // a bit for each of the word's
  std::uint32_t spread : 2 = 0;   // of readers
  std::uint32_t strong : 1 = 0;   // relaxed or atomic: such accesses do not race with one another
  std::uint32_t ever : 4 = 0;     // of writers: bytes that this block has written at all
};

struct ShadowCell {
  Touch writer, reader;
};
static_assert(sizeof(ShadowCell) == 32);

inline constexpr std::size_t word_bytes = 4;  // that a cell stands for

// Cells for a range of memory, in address space that is reserved and becomes memory where it is used: 8 times that of the
// words looked at.
class ShadowMemory {
 public:
  explicit ShadowMemory(std::size_t bytes);  // of memory to stand for. Throws std::runtime_error, as Heap
  ~ShadowMemory();
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;

  ShadowCell* cells() const { return cells_; }
  void clear();  // nobody has touched anything

 private:
  std::size_t bytes_;
  ShadowCell* cells_;
};

}  // namespace gpu::simulated
