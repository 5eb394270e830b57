// RunTickets: serial numbers for the blocks of a launch, and the number of the launch, its run. Blocks write the run's number
// into each slot, and take slots of other runs as empty (run_slots.cuh), so that nothing is cleared between runs. The host
// counts nothing, so that a captured launch may be replayed.
//
//   every block     take() at its start, or draw() and drawn(): its serial number and the run's number, by one atomic addition
//                   end() when none of its threads uses a slot any more
//   the last block  to take a ticket prepares the next run: nobody else needs the word any more
//
// The next launch on the stream starts after this one has ended, and takes the serial numbers 0, 1, ... of the next run.
//
// Runs are numbered 1 .. last_run; in all-zero memory the next one is 1. After the last one the numbers start again, and a slot
// from long ago could be taken for a new one. In that run, therefore, blocks count their ends, too, and the last one to end
// clears all slots and begins again with 1. By then nobody uses the slots. But not every sum that was published has been read:
// fences put its publication, and the preparation of the next run, before the clearing. One thread clears, which may
// take a second, once in a thousand million runs.
//
// A run that was aborted leaves some tickets taken: then all of the memory has to be cleared, as for the first run
// (PersistentMemory::distrust()).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/sat/block/tagged_word.cuh"

namespace gpu::sat {

// In global memory, zeroed before the first run together with the slots.
struct alignas(16) RunTickets {
  static constexpr std::uint32_t last_run = (std::uint32_t{1} << 30) - 1;  // a slot has two more bits for its status

  struct Ticket {
    int serial;         // 0 .. blocks - 1, in the order of taking
    std::uint32_t run;  // the same for all blocks of a launch
  };

  unsigned long long word;  // completed runs in the high half, tickets taken of the next one in the low half
  unsigned ended;           // blocks, in the last run only

  // By one thread of each of the launch's `blocks` blocks, once.
  __device__ Ticket take(unsigned blocks) { return drawn(draw(), blocks); }
  // The same in two steps, between which the thread does other work: it need not wait for the addition.
  __device__ unsigned long long draw() { return atomicAdd(&word, 1ull); }
  __device__ Ticket drawn(unsigned long long before, unsigned blocks) {
    const Ticket ticket{static_cast<int>(before), static_cast<std::uint32_t>(before >> 32) + 1};
    if (static_cast<unsigned>(before) + 1 == blocks) store_word(&word, static_cast<std::uint64_t>(ticket.run) << 32);
    return ticket;
  }
  // By one thread of each block, behind a barrier that follows the block's last access to a slot. `words`: all slots that have
  // ever been used with these tickets.
  template <class Sum>
  __device__ void end(std::uint32_t run, unsigned blocks, TaggedWord<Sum>* words, std::size_t count) {
    if (run != last_run) return;
    __threadfence();
    if (atomicAdd(&ended, 1u) + 1 != blocks) return;
    __threadfence();
    for (std::size_t i = 0; i < count; ++i) words[i].publish(0, Sum(0));
    atomicAdd(&ended, 0u - blocks);
    store_word(&word, std::uint64_t{0});
  }
};

}  // namespace gpu::sat
