// Observer: is notified of what device code does. The scheduler calls it if one is installed; the observed build of the
// kernels has one that counts accesses and finds races.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace gpu::simulated {

class Block;
struct AsyncCopy;
struct Thread;
struct Warp;

// What a launch may run beside until its threads wait: nothing, because it starts in order; the launch before it; or also those
// beside which that one might run, since it let the next one start before it had waited itself.
enum class Beside { nothing, previous, chain };

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const void* kernel, dim3 grid, dim3 block, std::uint64_t blocks, Beside beside) = 0;
  virtual void launch_ends() = 0;
  virtual void block_begins(Block& block) = 0;
  virtual void block_ends(Block& block) = 0;
  // All lanes have arrived, and none has continued.
  enum class Rendezvous { shuffle, ballot, sync_warp };
  virtual void warp_synchronised(Block& block, Warp& warp, Rendezvous kind) = 0;
  virtual void block_synchronised(Block& block) = 0;  // __syncthreads
  // A plain access that the compiler reports, before it is done. `caller`: an address in device code. Accesses of the
  // thread's own stack are among them.
  virtual void touched(Thread& thread, bool writes, const void* at, std::size_t bytes, const void* caller) = 0;
  // Accesses that the compiler does not report, before they are done. A poll is a relaxed load that returned the value that
  // the thread had seen there before; this is known only after the load, when the address has proved valid.
  enum class Access { relaxed_load, poll, relaxed_store, atomic };
  virtual void accessed(Thread& thread, Access access, const void* at, std::size_t bytes, const void* caller) = 0;
  // A copy by cp.async, when it arrives.
  virtual void copied(Thread& thread, const AsyncCopy& copy) = 0;
  virtual void surface_written(Thread& thread, std::size_t bytes, const void* caller) = 0;
  virtual void allocated(const void* data, std::size_t bytes) = 0;
  virtual void released(const void* data, std::size_t bytes) = 0;
};

}  // namespace gpu::simulated
