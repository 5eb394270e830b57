// The state of the threads and warps of a resident block, and the fibers that threads are.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

#include "gpu/simulated/gpu.h"
#include "gpu/simulated/weak_memory.h"

#if !defined(__x86_64__) || defined(SATSCOPE_UCONTEXT)
#include <ucontext.h>
#endif

namespace gpu::simulated {

// Fiber: a stack with a function that can be suspended and resumed anywhere; this is its suspended point of execution. Device
// threads are fibers, because a kernel switches between them hundreds of thousands of times: threads of the operating system switch
// too slowly for that. On other processors than x86-64, and where SATSCOPE_UCONTEXT is defined (in tests), ucontext's.
struct Fiber {
#if defined(__x86_64__) && !defined(SATSCOPE_UCONTEXT)
  void* stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
};

// The first switch to `fiber` calls entry(), which must not return, on the stack of `bytes` bytes at `stack`.
void prepare_fiber(Fiber& fiber, char* stack, std::size_t bytes, void (*entry)());
// Suspends the running code into `from` and resumes `to`. Both belong to one thread of the operating system.
void switch_fiber(Fiber& from, Fiber& to);

inline constexpr unsigned lanes_per_warp = 32;
inline constexpr unsigned max_threads = 1024;  // per block

class Block;
struct Warp;

// peers: for the other lanes of its warp to catch up (Block::let_warp_catch_up, Block::active_lanes). launch: for the end of the
// launch before.
enum class Wait : std::uint8_t { none, warp, barrier, word, peers, launch, returned };

// cp.async of one thread, oldest first.
struct AsyncCopy {
  void* to;
  const void* from;
  unsigned bytes, group;
  const void* caller;                  // an address in device code
  std::uint32_t barriers, warp_epoch;  // completed when it started
  bool waited;                         // the thread had waited for the launch before
};

// The words that a thread last loaded with load_relaxed(), to distinguish a first load from a poll.
class RecentLoads {
 public:
  // Records that `word` was loaded from `at`; true if the thread saw the same there before.
  bool again(const void* at, unsigned __int128 word) {
    for (unsigned i = 0; i < known_; ++i)
      if (auto& entry = entries_[i]; entry.at == at) {
        const bool same = entry.word == word;
        entry.word = word;
        return same;
      }
    entries_[next_] = {at, word};
    known_ = std::max(known_, next_ + 1);
    next_ = (next_ + 1) % entries_.size();
    return false;
  }
  bool knows(const void* at) const {
    return std::any_of(entries_.begin(), entries_.begin() + known_, [&](const PolledWord& entry) { return entry.at == at; });
  }
  void clear() { known_ = next_ = 0; }

 private:
  struct PolledWord {
    const void* at;
    unsigned __int128 word;
  };
  std::array<PolledWord, 12> entries_;  // more than any thread polls in turn
  unsigned known_ = 0, next_ = 0;
};

struct Thread {
  // For another block. Its fiber is prepared when it first runs, because most threads reuse another's stack.
  void begin(Block& its_block, Warp& its_warp, unsigned its_number, dim3 its_index, bool has_to_wait) {
    block = &its_block;
    warp = &its_warp;
    number = its_number;
    lane = its_number % lanes_per_warp;
    index = its_index;
    wait = Wait::none;
    begun = false;
    waited = !has_to_wait;
    rendezvous = 0;
    mask = 0;
    gathers = false;
    found_again = 0;
    at = nullptr;
    loads.clear();
    copies.clear();
    copy_group = 0;
    memory.clear();
  }

  Fiber fiber;
  Block* block = nullptr;
  Warp* warp = nullptr;
  dim3 index;                     // threadIdx
  unsigned number = 0, lane = 0;  // in the block, in the warp
  Wait wait = Wait::none;
  bool begun = false;
  bool waited = true;            // for the launch before; only in dependent launches does a thread have to
  std::uint32_t rendezvous = 0;  // of its whole warp, reached so far
  std::uint32_t mask = 0;        // of its warp operation, or what active_lanes() found
  bool gathers = false;          // in active_lanes()
  unsigned found_again = 0;      // atomics in a row that found the same word again
  const void* at = nullptr;      // where it waits for a word or at a barrier: an address in device code
  std::source_location source;   // of its barrier or warp operation
  RecentLoads loads;
  std::vector<AsyncCopy> copies;
  unsigned copy_group = 0;
  ThreadMemory memory;
};

// What a lane brings to add_product(): the bytes of its words.
struct Operands {
  std::uint8_t a[4][4], b[2][4];
};

// Lanes of a warp that meet for an operation. Masks have one bit per lane.
struct Meeting {
  const Warp* warp = nullptr;
  std::uint32_t mask = 0;     // who is to come, unless they return
  std::uint32_t arrived = 0;  // who waits
  std::uint32_t lanes = 0;    // who came, once all had
  std::uint32_t ballot = 0;   // whose value is not 0
  std::uint32_t unread = 0;   // of `lanes`: who has not continued. Not counted where the whole warp meets
  Observer::Rendezvous kind{};
  std::source_location source;
  std::uint64_t value[lanes_per_warp];
};

struct Warp {
  unsigned number = 0, lanes = 0;  // lanes that exist
  // One bit per lane. ready: it has work, and waits neither for others nor for a word.
  std::uint32_t all = 0, alive = 0, ready = 0;
  std::uint32_t rendezvous = 0;  // of all lanes that have not returned, completed
  std::uint32_t epoch = 0;       // __syncwarp()s completed: only those order memory
  // Where all of them meet. Two alternate: a lane that reaches the next rendezvous has read the values of this one.
  Meeting whole[2] = {};
  Operands operands[2][lanes_per_warp] = {};
};

}  // namespace gpu::simulated
