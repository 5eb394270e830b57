// Running times that papers prove on the memory machine models (memory_machine.h), to be held against observed ones.
//
// Theorems give orders, O(...): here the expression inside with constant 1, so that the ratio of an observed time to it
// is the constant that an implementation has. All are of Nakano, Optimal parallel algorithms for computing the sum, the
// prefix-sums, and the summed area table on the memory machine models (IEICE 2013), for powers of two and one number per
// word; they hold on the UMM and the DMM alike. For the other algorithms no bound in memory machine units is stated in the
// papers that satscope follows: Emoto et al. 2018 (2r2w to 1r1w_skss_lb) and Ha et al. 2012 count accesses, Chen et al.
// 2018 clocks, Bugetti 2024 operations.
#pragma once

#include <optional>
#include <string_view>

namespace gpu::simulated {

struct MemoryProblem {
  double width = 1, height = 1;   // of the image in pixels, 1 or more. The papers' n = width * height, square or not
  double memory_width = 32;       // w, words
  double latency = 1;             // l, time units
  double threads = 1;             // p, those that run at once
  double work_space = 1;          // k, numbers: prefix_tree_blocked only
};

struct PaperBound {
  double time_units;
  std::string_view formula;  // "n/w + nl/p + l log n"; logarithms are of base 2
  std::string_view source;   // "Theorem 7", of the paper above
};

// Of one access, contiguous in every warp, to each of n numbers (Lemma 1).
PaperBound contiguous_access_bound(const MemoryProblem& problem);
// What no algorithm for the sum, the prefix sums or the summed area table can beat but for a constant (Theorem 3).
PaperBound lower_bound(const MemoryProblem& problem);
// What is proved for a SatAlgorithm of this name; nullopt where nothing is:
//   prefix_tree          Theorem 7
//   prefix_tree_blocked  Corollary 6, of prefix sums. Section 8, which makes the table from row-wise prefix sums
//                        and transposes of no higher order, is for Theorem 7, and holds for these alike
//   prefix_doubling      Lemma 4, of prefix sums of n numbers: log n steps over all of them. The table takes log(width)
//                        steps along rows and log(height) along columns: log n in all
std::optional<PaperBound> paper_bound(std::string_view algorithm, const MemoryProblem& problem);

}  // namespace gpu::simulated
