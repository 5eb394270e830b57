// Slots of look-backs, and words of one_wave (wave_exchange.cuh), that persist from run to run and are not cleared between
// them: each says which run has published it, and a slot of another run reads as `empty` (look_back.cuh). The number of the
// run comes with the block's ticket (run_tickets.cuh).
//
// The memory belongs to a context and the size of its slots, not to an algorithm: all runs that use it follow one another on
// the context's stream, take their numbers from the same tickets, and may give the slots any meaning.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpu/context.h"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/run_tickets.cuh"
#include "gpu/sat/block/tagged_word.cuh"

namespace gpu::sat {

// A pointer to a slot, as the run with this number sees it. The slot's tag is 4 run + status.
template <class Sum>
struct RunSlot {
  TaggedWord<Sum>* word;
  std::uint32_t run;

  __device__ void publish(Status status, Sum sum) const { word->publish(4 * run + static_cast<std::uint32_t>(status), sum); }
  __device__ Published<Sum> read() const {
    const auto seen = word->read();
    const std::uint32_t status = seen.tag - 4 * run;  // 4 or more in a slot of another run
    return {seen.value, status < 4 ? static_cast<Status>(status) : Status::empty};
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
