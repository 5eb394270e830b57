// Workers: threads of the operating system that run the blocks of a launch, each its own, one at a time.
#pragma once

namespace gpu::simulated {

class Launch;

// Returns when the launch has no block left to run, or has failed. The calling thread is the first worker; the others are
// kept from launch to launch, and so are blocks' stacks and shared memory. One launch at a time.
void run_workers(Launch& launch, int workers);

}  // namespace gpu::simulated
