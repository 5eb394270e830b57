// Schedule: who runs next, where more than one may. A GPU promises no order of blocks, nor of the warps in one; orders
// that it might take are tried by seed.
#pragma once

#include <cstdint>

namespace gpu::simulated {

struct Schedule {
  enum class Kind { in_order, random };
  Kind kind = Kind::in_order;
  std::uint64_t seed = 0;  // of a random schedule; one seed is one order, because blocks then share one core
};

// The settings of the simulated GPU, which every launch takes as they are when it starts.
struct GpuSettings {
  int resident_blocks = 264;  // at once on the GPU; two on each multiprocessor of an H200
  int cores = 0;              // of the host, to run blocks on; 0: all. Random schedules and observed builds use one
  Schedule schedule{};
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
  // 0 .. count - 1. The bias of a remainder does not matter to schedules.
  unsigned below(unsigned count) { return static_cast<unsigned>((*this)() % count); }

 private:
  std::uint64_t state_;
};

}  // namespace gpu::simulated
