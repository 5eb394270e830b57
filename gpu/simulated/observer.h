// Observer: is told what device code does. The scheduler calls it where one is installed; the observed build of the
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

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const void* kernel, dim3 grid, dim3 block, std::uint64_t blocks) = 0;
  virtual void launch_ends() = 0;
  virtual void block_begins(Block& block) = 0;
  virtual void block_ends(Block& block) = 0;
  // All lanes have come, and none has gone on.
  enum class Rendezvous { shuffle, ballot, sync_warp };
  virtual void warp_meets(Block& block, Warp& warp, Rendezvous kind) = 0;
  virtual void block_meets(Block& block) = 0;  // __syncthreads
  // A plain access that the compiler tells of, before it is done. `caller`: an address in device code. Accesses of the
  // thread's own stack are among them.
  virtual void touched(Thread& thread, bool writes, const void* at, std::size_t bytes, const void* caller) = 0;
  // Accesses that the compiler does not tell of, before they are done. A poll is a relaxed load that showed the thread what
  // it had seen there before; whether a load is one is known afterwards, when the address has proved good.
  enum class Access { relaxed_load, poll, relaxed_store, atomic };
  virtual void accessed(Thread& thread, Access access, const void* at, std::size_t bytes, const void* caller) = 0;
  // A copy by cp.async, when it arrives.
  virtual void copied(Thread& thread, const AsyncCopy& copy) = 0;
  virtual void surface_written(Thread& thread, std::size_t bytes, const void* caller) = 0;
  virtual void allocated(const void* data, std::size_t bytes) = 0;
  virtual void released(const void* data, std::size_t bytes) = 0;
};

}  // namespace gpu::simulated
