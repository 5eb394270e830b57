// The running time of a kernel on Nakano's memory machines, in their time units (Nakano, Optimal parallel algorithms for
// computing the sum, the prefix-sums, and the summed area table on the memory machine models, IEICE 2013, sec. 2).
//
//   UMM  the global memory: a pipeline that accepts one address group of w words per time unit
//   DMM  a shared memory: a pipeline with w banks that accepts one word per bank and time unit
//
// A warp's request of k stages enters over k time units and is complete l - 1 later; until then the warp sends no other.
// Computation costs nothing.
//
// What the models cannot express:
//   - More than one outstanding request per thread. At high latencies the results for kernels that prefetch (1r1w_skss with
//     asynchronous copies, or plain loads that the compiler moves before their uses) are too slow.
//   - Caches, sectors smaller than a group, the page order of DRAM, the cost of a launch.
//   - Waiting for another block. The polls of a look-back count as the requests that were observed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpu::simulated {

// One step of a warp, in 16 bits.
class Step {
 public:
  static constexpr unsigned max_stages = 0x7fff;

  static constexpr Step barrier() { return Step(0); }
  // Stages: 1 .. max_stages; larger values count as max_stages. 0 would be a barrier and counts as 1.
  static constexpr Step global(unsigned stages) { return Step(clamped(stages)); }
  static constexpr Step shared(unsigned stages) { return Step(clamped(stages) | shared_bit); }

  constexpr bool is_barrier() const { return bits_ == 0; }
  constexpr bool is_shared() const { return (bits_ & shared_bit) != 0; }
  constexpr unsigned stages() const { return bits_ & max_stages; }

 private:
  static constexpr unsigned shared_bit = 0x8000;
  static constexpr unsigned clamped(unsigned stages) { return stages < 1 ? 1 : stages > max_stages ? max_stages : stages; }
  constexpr explicit Step(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}

  std::uint16_t bits_;
};

using WarpTrace = std::vector<Step>;          // in the warp's own order
using BlockTrace = std::vector<WarpTrace>;    // [warp]
using LaunchTrace = std::vector<BlockTrace>;  // [block], in the order in which blocks start

struct MachineParameters {
  unsigned latency = 400;      // l of the UMM, 1 or more. That of the DMMs is 1
  std::size_t resident = 264;  // resident blocks, 1 or more; the next starts when one ends
};

// From the start of the first block to the end of the last, in time units.
//
// The UMM alone: requests to shared memory cost nothing. Takes time and memory proportional to the steps. Ready warps
// are served in the order in which they became ready, initially by number: the paper's round-robin if all make the same
// requests. A barrier waits for the warps of its block that have not ended. Both functions throw std::invalid_argument if
// a parameter is 0.
std::uint64_t umm_time(const LaunchTrace& launch, const MachineParameters& parameters);
// Every resident block has its own DMM (latency 1) beside the one UMM, and all run concurrently: the memories of the
// hierarchical memory machine (Nakano, IPDPSW 2013), with one DMM per block instead of one per multiprocessor.
std::uint64_t dmm_umm_time(const LaunchTrace& launch, const MachineParameters& parameters);

// Stages of one warp's request, from the byte addresses of its active lanes (32 at most, in the lanes' order) and the
// size of each access in bytes (1, 2, 4, 8 or 16). `width` lanes are dispatched at a time, a power of two from 4 to 32;
// inactive lanes are skipped. 0 if there are no addresses.
//
// UMM: the address groups of `width` 4-byte words that a dispatch touches, summed over dispatches.
unsigned umm_stages(std::span<const std::uint64_t> addresses, unsigned size, unsigned width);
// DMM: the most words that any of `width` banks must serve, summed over dispatches. Lanes that access the same word do
// not conflict. Accesses of 8 and 16 bytes are served in halves and quarters of a dispatch, as on NVIDIA's GPUs.
unsigned dmm_stages(std::span<const std::uint64_t> addresses, unsigned size, unsigned width);

// Running times that papers prove on these machines, for comparison with observed ones.
//
// Theorems give orders, O(...): here this is the expression inside with constant 1, so that the ratio of an observed time
// to it is the implementation's constant. All are from Nakano, Optimal parallel algorithms for computing the sum, the
// prefix-sums, and the summed area table on the memory machine models (IEICE 2013), for powers of two and one number per
// word; they hold on both the UMM and the DMM. For the other algorithms the papers that satscope follows state no bound in
// memory machine units: Emoto et al. 2018 (2r2w to 1r1w_skss_lb) and Ha et al. 2012 count accesses, Chen et al. 2018
// clocks, Bugetti 2024 operations.

struct MemoryProblem {
  double width = 1, height = 1;  // of the image in pixels, 1 or more. The papers' n = width * height, square or not
  double memory_width = 32;      // w, words
  double latency = 1;            // l, time units
  double threads = 1;            // p, resident at once
  double work_space = 1;         // k, numbers: prefix_tree_blocked only
};

struct PaperBound {
  double time_units;
  std::string_view formula;  // "n/w + nl/p + l log n"; logarithms to base 2
  std::string_view source;   // "Theorem 7", of the paper above
};

// The proved bound of a SatAlgorithm of this name; nullopt if there is none:
//   prefix_tree          Theorem 7
//   prefix_tree_blocked  Corollary 6, of prefix sums. Section 8 makes the table from row-wise prefix sums and transposes
//                        of no higher order; it is stated for Theorem 7, and holds for these too
//   prefix_doubling      Lemma 4, of prefix sums of n numbers: log n steps over all of them. The table takes log(width)
//                        steps along rows and log(height) along columns: log n in all
std::optional<PaperBound> paper_bound(std::string_view algorithm, const MemoryProblem& problem);

}  // namespace gpu::simulated
