// Tally: adds up what warps request, and notes it for the memory machine models.
#pragma once

#include "gpu/simulated/memory_machine.h"
#include "gpu/simulated/observed/access_log.h"
#include "gpu/simulated/simulation.h"

namespace gpu::simulated {

// An atomic counts as one load and one store of its size, beside being one atomic: so it is in the memory's traffic, though
// GPUs' own counters show it as neither. It is one request to the memory machines.
class Tally {
 public:
  explicit Tally(int width) : width_(static_cast<unsigned>(width)) {}

  // `trace`: of the warp.
  void add(const WarpRequest& request, WarpTrace& trace);
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }

 private:
  unsigned width_;  // of the memory machines
  Counts counts_;
};

}  // namespace gpu::simulated
