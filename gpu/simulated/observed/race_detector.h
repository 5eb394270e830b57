// RaceDetector: finds unordered accesses to one word by two threads, at least one of which writes.
//
// The order is that on which the kernels of gpu/ rely: launches are ordered, dependent ones from wait_for_previous_launch() on;
// __syncthreads() orders the threads of a
// block, __syncwarp() the lanes of its mask, and what they know of others. Shuffles and ballots do not order memory (CUDA C++ Programming Guide, "Warp Shuffle
// Functions"). Nothing orders the blocks of one launch: a relaxed word carries its own value, and orders no other word.
// Relaxed and atomic accesses do not race with one another.
//
// A race in the run is found whatever order the threads ran in, unless the two accesses are further apart than the shadow
// memory records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/simulated/observed/simulation.h"

namespace gpu::simulated {

// Shadow cells: for every 4-byte word of memory, its last writer and its last reader.
//
// Only one writer and one reader are kept: every access that a cell records took place, but some are lost. If several
// threads wrote different bytes of one word, only the last one is known; of unordered readers of the same bytes, how far
// apart they are, and which was the last: where some lanes of a warp synchronise, the others of several readers are forgotten.

struct Touch {
  enum Spread : std::uint32_t { one_thread, one_warp, one_block, several_blocks };

  std::uint32_t block = 0;                     // serial number among all that have run; 0: none
  std::uint32_t place_low = 0;                 // of place()
  std::uint16_t barriers = 0, warp_epoch = 0;  // completed at that time, modulo 2^16
  std::uint32_t thread : 10 = 0;               // number in the block; of several, the last
  std::uint32_t bytes : 4 = 0;                 // one bit per byte of the word
  std::uint32_t spread : 2 = 0;                // of readers
  std::uint32_t strong : 1 = 0;                // relaxed or atomic: such accesses do not race with one another
  std::uint32_t ever : 4 = 0;                  // for writers: all bytes that this block has written
  std::uint32_t place_high : 11 = 0;           // of place()

  // An address in device code, up to 4 TB from the detector's own: the libraries of users' kernels may lie beyond what the simulated
  // GPU and the shadow memory reserve, 2.3 TB.
  void set_place(const void* address);
  const void* place() const;
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

// Which thread touches memory, and when.
struct Toucher {
  std::uint32_t block = 0;  // serial number
  std::uint32_t thread = 0;
  std::uint16_t barriers = 0, warp_epoch = 0;
  // Barriers complete before the access: for an asynchronous copy, those when it started, otherwise the same as above.
  std::uint16_t barriers_before = 0, warp_epoch_before = 0;
  std::uint32_t first_block = 1;  // blocks with smaller serial numbers ended before the access
  // Of each lane of the warp: what it did in earlier warp epochs came before the access. Null: what all did before warp_epoch_before.
  const std::uint16_t* known = nullptr;
};

class RaceDetector {
 public:
  enum class Memory { global, shared };
  struct Access {
    bool reads, writes;
    bool strong = false;  // relaxed or atomic
  };

  // Launches are ordered: blocks with serial numbers from this one on belong to the new launch.
  void launch_begins(std::uint32_t first_block) { first_block_ = first_block; }
  // `bytes` bytes at `offset` of the memory that `cells` represent.
  void touch(Memory memory, ShadowCell* cells, std::size_t offset, std::size_t bytes, Access access, const Toucher& who,
             const void* place);
  // A thread reads the target of its own asynchronous copy, started at `copy_place`, before it has waited for the copy.
  void read_early(const void* copy_place, const void* place);

  // Merged by source line, the most frequent first. `lines_of`: as in SimulationRequest.
  std::vector<Race> races(std::span<const std::string> lines_of) const;
  void clear() { found_.clear(); }

 private:
  enum class What : std::uint8_t { read_after_write, write_after_write, write_after_read, never_written, read_early };
  struct Found {
    What what;
    Memory memory;
    const void *first, *second;
    bool other_launch;  // the first was of a launch before
    bool operator==(const Found&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Found& found) const;
  };
  bool ordered(const Touch& earlier, const Toucher& who, Memory memory) const;
  void read(ShadowCell& cell, const Touch& now, const Toucher& who, Memory memory, const void* place);
  void write(ShadowCell& cell, const Touch& now, const Toucher& who, Memory memory, const void* place);
  // `earlier`: whose access came first, if that is known.
  void report(What what, Memory memory, const Touch* earlier, const void* second);
  static std::string text(const Found& found);

  std::uint32_t first_block_ = 1;
  std::unordered_map<Found, std::uint64_t, Hash> found_;
};

}  // namespace gpu::simulated
