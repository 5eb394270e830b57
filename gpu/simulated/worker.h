// Workers: threads of the operating system that run the blocks of a launch. Each runs its own blocks, one at a time.
#pragma once

namespace gpu::simulated {

class Launch;

// Returns when the launch has no block left to run, or has failed. The calling thread is the first worker; the others, and
// the stacks and shared memory of blocks, are kept between launches. One launch at a time.
void run_workers(Launch& launch, int workers);

}  // namespace gpu::simulated
