// Slots of look-backs, and words of one_wave, that persist from run to run and are not cleared between them: each says which run
// has published it, and a slot of another run reads as `empty` (look_back.cuh). The number of the run comes with the block's ticket.
//
// The memory belongs to a context and the size of its slots, not to an algorithm: all runs that use it follow one another on
// the context's stream, take their numbers from the same tickets, and may give the slots any meaning.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpu/context.h"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/tagged_word.cuh"

namespace gpu::sat {

// RunTickets: serial numbers for the blocks of a launch, and the number of the launch, its run. Blocks write the run's number
// into each slot, and take slots of other runs as empty, so that nothing is cleared between runs. The host counts nothing, so
// that a captured launch may be replayed.
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
// (PersistentMemory::invalidate()).
//
// Two launches at once, on streams that do not wait for each other, are a mistake of the caller (gpu/cuda/stream_order.h and the lock of
// a plan's calls prevent it): their blocks share out the tickets of two runs, and may take more of one run than it has. Then their
// tables are wrong. No memory beside the slots is touched, because a serial number never exceeds the grid, and a slot that a later
// run has written is the end of a walk. But a block may wait without end: for a slot that an earlier run has overwritten late, or
// that a launch with another grid never writes.
//
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
    const auto last = blocks - 1, taken = static_cast<unsigned>(before);
    const Ticket ticket{static_cast<int>(taken < last ? taken : last), static_cast<std::uint32_t>(before >> 32) + 1};
    if (taken >= last) store_word(&word, static_cast<std::uint64_t>(ticket.run) << 32);
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

// A pointer to a slot, as the run with this number sees it. The slot's tag is 4 run + status.
template <class Sum>
struct RunSlot {
  TaggedWord<Sum>* word;
  std::uint32_t run;

  __device__ void publish(Status status, Sum sum) const { word->publish(4 * run + static_cast<std::uint32_t>(status), sum); }
  // A slot of an earlier run is empty. One of a later run, written only if both ran at once, is global: nothing else comes.
  __device__ Published<Sum> read() const { return published(load()); }
  __device__ Tagged<Sum> load() const { return word->read(); }
  __device__ Published<Sum> published(Tagged<Sum> seen) const {
    const std::uint32_t first = 4 * run, status = (seen.tag > first ? seen.tag : first) - first;
    return {seen.value, status < 2 ? static_cast<Status>(status) : Status::global};
  }
  __device__ const RunSlot* operator->() const { return this; }
  __device__ RunSlot operator+(std::ptrdiff_t slots) const { return {word + slots, run}; }
  __device__ RunSlot operator-(std::ptrdiff_t slots) const { return {word - slots, run}; }
};

// The tag of words that a run publishes without a status: each says only that its sum has come. Never 0; a look-back would read
// it as `empty`, but reads no words of its own run.
__device__ inline std::uint32_t tag_of_run(std::uint32_t run) { return 4 * run; }

// The memory of one run: its tickets, and `count` slots or more.
template <class Sum>
struct RunSlots {
  static constexpr std::string_view name = sizeof(Sum) == 4 ? "slots of 8 bytes" : "slots of 16 bytes";
  static constexpr std::size_t tickets_bytes = 256;  // before the slots, in sectors of their own

  RunTickets* tickets;
  TaggedWord<Sum>* words;
  std::size_t count;

  // Bytes for `slots` slots, rounded up by less than a quarter: images of many sizes need memory of few sizes, all of which
  // stays allocated.
  static constexpr std::size_t bytes(std::size_t slots) {
    const auto needed = tickets_bytes + slots * sizeof(TaggedWord<Sum>);
    const auto step = std::max<std::size_t>(std::bit_floor(needed) / 4, 256);
    return (needed + step - 1) / step * step;
  }
  // Queues clearing before the first run. Throws what Context::persistent() does.
  static RunSlots of(Context& context, std::size_t slots) {
    auto* const memory = context.persistent<std::byte>(name, bytes(slots));
    return {reinterpret_cast<RunTickets*>(memory), reinterpret_cast<TaggedWord<Sum>*>(memory + tickets_bytes),
            (bytes(slots) - tickets_bytes) / sizeof(TaggedWord<Sum>)};
  }

  // By one thread of each block, as RunTickets::end().
  __device__ void end(std::uint32_t run, unsigned blocks) const { tickets->end(run, blocks, words, count); }
};

}  // namespace gpu::sat
