#include "gpu/simulated/device_code.h"

#include <chrono>
#include <cstring>
#include <string>

#include "gpu/simulated/block.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/heap.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/weak_memory.h"

namespace gpu::simulated {
namespace {

Thread& self() { return *current_thread(); }

void report(Thread& thread, Observer::Access access, const void* at, std::size_t bytes, const void* caller) {
  if (auto* observer = thread.block->launch().observer()) observer->accessed(thread, access, at, bytes, caller);
}

// A processor does not require it everywhere; a GPU does.
void require_aligned(Thread& thread, const void* at, std::size_t alignment, const char* what, const void* caller) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignment == 0) return;
  thread.block->fail(
      thread,
      std::string("misaligned: ") + what + " an address that is not a multiple of " + std::to_string(alignment) + " bytes",
      caller);
}

// Null if accesses take effect at once, and in order: as in the memory of a block, and outside random schedules.
WeakMemory* weak_memory(const Thread& thread, const void* at) {
  auto* const memory = thread.block->launch().weak_memory();
  return memory && the_gpu().heap().owns(at) ? memory : nullptr;
}

// The observer is called before other threads can run.
template <class Word>
Word load_and_report(const Word* at, const void* caller) {
  Thread& thread = self();
  require_aligned(thread, at, sizeof(Word), "a relaxed load from", caller);
  const bool known = thread.loads.knows(at);
  if (!known) report(thread, Observer::Access::relaxed_load, at, sizeof(Word), caller);
  auto* const memory = weak_memory(thread, at);
  const Word word = memory ? memory->load(thread, at) : load_word_once(at);
  const bool again = thread.loads.again(at, word);
  if (known) report(thread, again ? Observer::Access::poll : Observer::Access::relaxed_load, at, sizeof(Word), caller);
  thread.block->loaded(thread, again, caller);
  return word;
}

template <class Word>
void store_and_report(Word* at, Word word, const void* caller) {
  Thread& thread = self();
  require_aligned(thread, at, sizeof(Word), "a relaxed store to", caller);
  report(thread, Observer::Access::relaxed_store, at, sizeof(Word), caller);
  if (auto* const memory = weak_memory(thread, at))
    memory->store(thread, at, word);
  else
    store_word_once(at, word);
  thread.block->wrote();
}

template <class Word>
Word add_and_report(Word* at, Word value, const void* caller) {
  Thread& thread = self();
  report(thread, Observer::Access::atomic, at, sizeof(Word), caller);
  auto* const memory = weak_memory(thread, at);
  const Word before = memory ? memory->add(thread, at, value) : __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  thread.block->wrote();
  return before;
}

}  // namespace

unsigned thread_x() { return self().index.x; }
unsigned thread_y() { return self().index.y; }
unsigned thread_z() { return self().index.z; }
unsigned block_x() { return self().block->index().x; }
unsigned block_y() { return self().block->index().y; }
unsigned block_z() { return self().block->index().z; }
unsigned block_extent_x() { return self().block->launch().block().x; }
unsigned block_extent_y() { return self().block->launch().block().y; }
unsigned block_extent_z() { return self().block->launch().block().z; }
unsigned grid_extent_x() { return self().block->launch().grid().x; }
unsigned grid_extent_y() { return self().block->launch().grid().y; }
unsigned grid_extent_z() { return self().block->launch().grid().z; }
int lane() { return static_cast<int>(self().lane); }

void sync_threads(Source source) { self().block->barrier(self(), source); }
bool sync_threads_or(bool predicate, Source source) { return self().block->barrier(self(), source, predicate); }
void sync_warp(unsigned mask, Source source) {
  self().block->rendezvous(self(), mask, 0, Observer::Rendezvous::sync_warp, source);
}
unsigned ballot(unsigned mask, bool predicate, Source source) {
  Thread& thread = self();
  return thread.warp->ballot[thread.block->rendezvous(thread, mask, predicate, Observer::Rendezvous::ballot, source)];
}
std::uint64_t shuffle_bits(unsigned mask, std::uint64_t bits, int from, Source source) {
  Thread& thread = self();
  const unsigned set = thread.block->rendezvous(thread, mask, bits, Observer::Rendezvous::shuffle, source);
  return thread.warp->value[set][static_cast<unsigned>(from) % lanes_per_warp];
}

void add_product(std::uint32_t (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], Source source) {
  Thread& thread = self();
  Warp& warp = *thread.warp;
  auto& mine = warp.operands[thread.rendezvous & 1][thread.lane];
  std::memcpy(mine.a, a, sizeof mine.a);
  std::memcpy(mine.b, b, sizeof mine.b);
  const unsigned set = thread.block->rendezvous(thread, ~0u, 0, Observer::Rendezvous::shuffle, source);
  const auto& of_lane = warp.operands[set];
  const unsigned row = thread.lane / 4, first_column = thread.lane % 4 * 2;
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned part = 0; part < 8; ++part) {  // four at a time of the 32 products of a sum
      const auto& of_a = of_lane[4 * row + part % 4].a[part / 4 * 2 + i / 2];
      const auto& of_b = of_lane[4 * (first_column + i % 2) + part % 4].b[part / 4];
      for (unsigned k = 0; k < 4; ++k) sums[i] += static_cast<std::uint32_t>(of_a[k]) * of_b[k];
    }
}

std::uint64_t nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
std::uint32_t multiprocessor() { return static_cast<std::uint32_t>(self().block->resident_place()); }

void let_others_run() { self().block->yield(self()); }

unsigned char* dynamic_shared_bytes() { return reinterpret_cast<unsigned char*>(self().block->shared().dynamic()); }
void* static_shared_bytes(const void* key, std::size_t bytes, std::size_t alignment) {
  return self().block->static_shared(key, bytes, alignment);
}

std::uint64_t load_relaxed(const std::uint64_t* at) { return load_and_report(at, __builtin_return_address(0)); }
unsigned __int128 load_relaxed(const unsigned __int128* at) { return load_and_report(at, __builtin_return_address(0)); }
void store_relaxed(std::uint64_t* at, std::uint64_t word) { store_and_report(at, word, __builtin_return_address(0)); }
void store_relaxed(unsigned __int128* at, unsigned __int128 word) {
  store_and_report(at, word, __builtin_return_address(0));
}
std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
  return add_and_report(at, value, __builtin_return_address(0));
}
std::uint64_t atomic_add(std::uint64_t* at, std::uint64_t value) {
  return add_and_report(at, value, __builtin_return_address(0));
}
std::uint64_t atomic_min(std::uint64_t* at, std::uint64_t value) {
  Thread& thread = self();
  report(thread, Observer::Access::atomic, at, sizeof *at, __builtin_return_address(0));
  std::uint64_t before;
  if (auto* const memory = weak_memory(thread, at)) {
    before = memory->least(thread, at, value);
  } else {
    before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value < before && !__atomic_compare_exchange_n(at, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  }
  thread.block->wrote();
  return before;
}
void fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  Thread& thread = self();
  if (auto* const memory = thread.block->launch().weak_memory()) memory->fence(thread);
  thread.block->fenced(thread);
}

void copy_async(void* to, const void* from, unsigned bytes, unsigned alignment) {
  Thread& thread = self();
  const void* const caller = __builtin_return_address(0);
  require_aligned(thread, from, alignment, "an asynchronous copy from", caller);
  require_aligned(thread, to, alignment, "an asynchronous copy to", caller);
  thread.copies.push_back(
      {to, from, bytes, thread.copy_group, caller, thread.block->barriers(), thread.warp->epoch, thread.waited});
}
void commit_async_copies() { ++self().copy_group; }
void wait_for_async_copies(unsigned groups_behind) {
  Thread& thread = self();
  auto* observer = thread.block->launch().observer();
  std::size_t arrived = 0;
  for (const auto& copy : thread.copies) {
    if (copy.group + groups_behind >= thread.copy_group) break;
    if (observer) observer->copied(thread, copy);
    std::memcpy(copy.to, copy.from, copy.bytes);
    ++arrived;
  }
  thread.copies.erase(thread.copies.begin(), thread.copies.begin() + static_cast<std::ptrdiff_t>(arrived));
}

void require_aligned(const void* at, unsigned alignment) {
  require_aligned(self(), at, alignment, "a store to", __builtin_return_address(0));
}

void let_next_launch_start() { self().block->let_next_launch_start(self()); }
void wait_for_previous_launch() { self().block->wait_for_previous_launch(self()); }

void write_surface(unsigned long long surface, int x_bytes, int y, const void* value, std::size_t bytes) {
  Thread& thread = self();
  const void* const caller = __builtin_return_address(0);
  auto& memory = SurfaceMemory::of(surface);
  if (!memory.holds(x_bytes, y, bytes))
    thread.block->fail(thread,
                       "out of bounds: a store of " + std::to_string(bytes) +
                           " bytes to a surface, at byte x = " + std::to_string(x_bytes) +
                           " of row y = " + std::to_string(y) + "; it has " + std::to_string(memory.row_bytes()) +
                           " bytes per row and " + std::to_string(memory.height()) + " rows",
                       caller);
  if (x_bytes % static_cast<int>(bytes) != 0)
    thread.block->fail(
        thread,
        "misaligned: a store of " + std::to_string(bytes) + " bytes to a surface, at byte x = " + std::to_string(x_bytes),
        caller);
  if (auto* observer = thread.block->launch().observer()) observer->surface_written(thread, bytes, caller);
  std::memcpy(memory.at(static_cast<std::size_t>(x_bytes), static_cast<std::size_t>(y)), value, bytes);
}

}  // namespace gpu::simulated

// The code of users' kernels calls this at the start of every basic block (-fsanitize-coverage=trace-pc), so that stop() also ends a
// thread that waits for nothing and never ends. Host code has no thread.
extern "C" void __sanitizer_cov_trace_pc() {
  using namespace gpu::simulated;
  if (!the_gpu().stopped()) return;
  if (auto* const thread = current_thread())
    thread->block->fail(*thread, "stopped: the program ends", __builtin_return_address(0));
}
