// How long a thread waits for a word that another block has to write: until it comes, or for a number of polls, after which
// the block computes the word itself (sat_decoupled_fallback.cu).
#pragma once

namespace gpu::sat {

// For algorithms whose order of blocks proves that every word comes.
struct Endless {
  static constexpr bool ends = false;
  constexpr bool poll_again() { return true; }
  constexpr bool over() const { return false; }
  constexpr void give_up() {}
};

struct Patience {
  static constexpr bool ends = true;
  int polls;

  // After a poll in vain.
  constexpr bool poll_again() { return --polls >= 0; }
  constexpr bool over() const { return polls < 0; }
  constexpr void give_up() { polls = -1; }
};

}  // namespace gpu::sat
