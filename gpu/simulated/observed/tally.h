// Tally: adds up the requests of warps, and records them for the memory machine models.
#pragma once

#include "gpu/simulated/memory_machine.h"
#include "gpu/simulated/observed/access_log.h"
#include "gpu/simulated/simulation.h"

namespace gpu::simulated {

// An atomic counts as one atomic and also as one load and one store of its size, so that memory traffic includes it
// (the counters of GPUs show it as neither). For the memory machines it is one request.
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
