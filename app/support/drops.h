// Drops: how many frames were dropped, by reason. Whoever drops a frame counts it here, where that happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace app {

enum class DropReason {
  not_taken,  // the source had the next one first: capture/mailbox.h
  failed,     // its picture failed
  no_room,    // of a recording: the encoder or the disk is behind
  gpu_error,  // of a recording: its pixels did not arrive
};

class Drops {
 public:
  void add(DropReason reason, std::uint64_t frames = 1) { counts_[static_cast<std::size_t>(reason)] += frames; }
  std::uint64_t of(DropReason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t all() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

 private:
  std::array<std::uint64_t, 4> counts_{};
};

}  // namespace app
