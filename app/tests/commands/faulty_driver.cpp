// A substitute for the library of the observed GPU, whose simulations report a different fault for each algorithm.
#include <build_identity.h>

#include <new>
#include <stdexcept>

#include "gpu/execution/driver.h"
#include "gpu/simulated/observed/simulation.h"

namespace {

using namespace gpu::simulated;

Simulation simulate(const SimulationRequest& request) {
  Simulation simulation;
  simulation.equal = true;
  simulation.launches = 1;
  if (request.algorithm == "2r2w") {
    simulation.equal = false;
    simulation.mismatch = "(3, 4) is 5, not 6";
  } else if (request.algorithm == "2r1w") {
    simulation.races.push_back({"global write after read", "first.cuh:1", "second.cuh:2", 3});
  } else if (request.algorithm == "1r1w") {
    throw std::runtime_error("deadlock: no block can continue\nblock 0 waits at first.cuh:1");
  } else if (request.algorithm == "prefix_tree") {
    throw std::bad_alloc();
  }
  return simulation;
}

#ifdef OTHER_BUILD
constexpr auto identity = build_identity + 1;
#else
constexpr auto identity = build_identity;
#endif

constexpr Driver driver = {
    .identity = identity,
    .build = Build::observed,
    .simulate = simulate,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Driver* satscope_simulated_driver() { return &driver; }
