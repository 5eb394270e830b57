// Running times that papers prove on the memory machine models (memory_machine.h), for comparison with observed ones.
//
// Theorems give orders, O(...): here this is the expression inside with constant 1, so that the ratio of an observed time
// to it is the implementation's constant. All are from Nakano, Optimal parallel algorithms for computing the sum, the
// prefix-sums, and the summed area table on the memory machine models (IEICE 2013), for powers of two and one number per
// word; they hold on both the UMM and the DMM. For the other algorithms the papers that satscope follows state no bound in
// memory machine units: Emoto et al. 2018 (2r2w to 1r1w_skss_lb) and Ha et al. 2012 count accesses, Chen et al. 2018
// clocks, Bugetti 2024 operations.
#pragma once

#include <optional>
#include <string_view>

namespace gpu::simulated {

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

// One access to each of n numbers, contiguous in every warp (Lemma 1).
PaperBound contiguous_access_bound(const MemoryProblem& problem);
// The lower bound, up to a constant, for the sum, the prefix sums and the summed area table (Theorem 3).
PaperBound lower_bound(const MemoryProblem& problem);
// The proved bound of a SatAlgorithm of this name; nullopt if there is none:
//   prefix_tree          Theorem 7
//   prefix_tree_blocked  Corollary 6, of prefix sums. Section 8 makes the table from row-wise prefix sums and transposes
//                        of no higher order; it is stated for Theorem 7, and holds for these too
//   prefix_doubling      Lemma 4, of prefix sums of n numbers: log n steps over all of them. The table takes log(width)
//                        steps along rows and log(height) along columns: log n in all
std::optional<PaperBound> paper_bound(std::string_view algorithm, const MemoryProblem& problem);

}  // namespace gpu::simulated
