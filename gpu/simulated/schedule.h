// Schedule: which warp or block runs next, and what it sees of the others (weak_memory.h, PreviousLaunches). A GPU leaves much of
// that open; random schedules try possible orders, each given by a seed.
#pragma once

#include <cstdint>

namespace gpu::simulated {

struct Schedule {
  enum class Kind { in_order, random };
  Kind kind = Kind::in_order;
  std::uint64_t seed = 0;  // of a random schedule. A seed gives one order, because all blocks then run on one core
};

// The settings of the simulated GPU. A launch uses those at its start.
struct GpuSettings {
  int resident_blocks = 264;  // at once on the GPU; two on each multiprocessor of an H200
  int cores = 0;              // host cores that run blocks; 0: all. Random schedules and observed builds use one
  Schedule schedule{};
  int taken = 0;  // resident blocks' places that other work holds: launches have no room there, and do not know of it
};

// A small generator (Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014: SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 .. count - 1. The bias of the remainder does not matter for schedules.
  unsigned below(unsigned count) { return static_cast<unsigned>((*this)() % count); }

 private:
  std::uint64_t state_;
};

}  // namespace gpu::simulated
