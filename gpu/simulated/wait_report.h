// What the threads of a block that cannot continue wait for, for the message of a Fault.
#pragma once

#include <string>

namespace gpu::simulated {

class Block;

// "block (0, 0, 0): threads 0 to 31 wait at __syncthreads(), tile_sums.cuh:73; 32 to 63 have returned". Threads that wait
// for the same are listed together.
std::string wait_report(const Block& block);

}  // namespace gpu::simulated
