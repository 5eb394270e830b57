#include "gpu/simulated/device_code.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <type_traits>

#include "gpu/simulated/block.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/heap.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/place.h"
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

// What waits for a word: an atomic that is used as a load, or takes a lock.
template <class Word>
bool may_poll(const AtomicChange<Word>& change) {
  switch (change.operation) {
    case AtomicOperation::add:
    case AtomicOperation::add_float:
    case AtomicOperation::bit_or:
    case AtomicOperation::bit_xor: return change.operand == 0;
    case AtomicOperation::exchange:
    case AtomicOperation::compare_exchange: return true;
    default: return false;
  }
}

template <class Word>
Word change_at_once(Word* at, const AtomicChange<Word>& change) {
  if (change.operation == AtomicOperation::add) return __atomic_fetch_add(at, change.operand, __ATOMIC_RELAXED);
  Word before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &before, change(before), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return before;
}

template <class Word>
Word change_and_report(Word* at, const AtomicChange<Word>& change, const void* caller) {
  Thread& thread = self();
  require_aligned(thread, at, sizeof(Word), "an atomic at", caller);
  const bool polls = may_poll(change), known = polls && thread.loads.knows(at);
  if (!known) report(thread, Observer::Access::atomic, at, sizeof(Word), caller);
  auto* const memory = weak_memory(thread, at);
  const Word before = memory ? memory->change(thread, at, change) : change_at_once(at, change);
  const bool again = polls && change(before) == before && thread.loads.again(at, before);
  if (known) report(thread, again ? Observer::Access::poll : Observer::Access::atomic, at, sizeof(Word), caller);
  if (again)
    thread.block->found_again(thread, caller);
  else
    thread.block->wrote();
  return before;
}

}  // namespace

template <class Word>
Word AtomicChange<Word>::operator()(Word before) const {
  using Signed = std::make_signed_t<Word>;
  using Float = std::conditional_t<sizeof(Word) == 4, float, double>;
  const auto as_signed = [](Word word) { return static_cast<Signed>(word); };
  switch (operation) {
    case AtomicOperation::add: return before + operand;
    case AtomicOperation::add_float:
      return std::bit_cast<Word>(std::bit_cast<Float>(before) + std::bit_cast<Float>(operand));
    case AtomicOperation::minimum: return std::min(before, operand);
    case AtomicOperation::minimum_signed: return as_signed(operand) < as_signed(before) ? operand : before;
    case AtomicOperation::maximum: return std::max(before, operand);
    case AtomicOperation::maximum_signed: return as_signed(operand) > as_signed(before) ? operand : before;
    case AtomicOperation::bit_and: return before & operand;
    case AtomicOperation::bit_or: return before | operand;
    case AtomicOperation::bit_xor: return before ^ operand;
    case AtomicOperation::exchange: return operand;
    case AtomicOperation::compare_exchange: return before == expected ? operand : before;
    case AtomicOperation::increment: return before >= operand ? 0 : before + 1;
    case AtomicOperation::decrement: return before == 0 || before > operand ? operand : before - 1;
  }
  return before;
}
template struct AtomicChange<std::uint32_t>;
template struct AtomicChange<std::uint64_t>;

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

void sync_threads(Source source) { self().block->barrier(self(), source, __builtin_return_address(0)); }
unsigned sync_threads_count(bool predicate, Source source) {
  return self().block->barrier(self(), source, __builtin_return_address(0), predicate);
}
void sync_warp(unsigned mask, Source source) {
  self().block->rendezvous(self(), mask, 0, Observer::Rendezvous::sync_warp, source);
}
unsigned ballot(unsigned mask, bool predicate, Source source) {
  return self().block->rendezvous(self(), mask, predicate, Observer::Rendezvous::ballot, source).ballot;
}
std::uint64_t shuffle_bits(unsigned mask, std::uint64_t bits, int from, Source source) {
  const auto& meeting = self().block->rendezvous(self(), mask, bits, Observer::Rendezvous::shuffle, source);
  const auto lane = static_cast<unsigned>(from) % lanes_per_warp;
  return meeting.lanes >> lane & 1 ? meeting.value[lane] : no_value;
}
LaneValues warp_exchange(unsigned mask, std::uint64_t bits, WarpExchange what, Source source) {
  const auto kind = what == WarpExchange::match ? Observer::Rendezvous::ballot : Observer::Rendezvous::shuffle;
  const auto& meeting = self().block->rendezvous(self(), mask, bits, kind, source);
  LaneValues values;
  values.lanes = meeting.lanes;
  std::copy_n(meeting.value, lanes_per_warp, values.value);
  return values;
}
unsigned warp_active(Source source) { return self().block->active_lanes(self(), source); }

void add_product(std::uint32_t (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], Source source) {
  Thread& thread = self();
  Warp& warp = *thread.warp;
  if (warp.alive != warp.all)
    thread.block->fail(thread, "divergent warp: lanes have returned that others wait for at " + place_of(source), nullptr);
  const auto set = thread.rendezvous & 1;
  auto& mine = warp.operands[set][thread.lane];
  std::memcpy(mine.a, a, sizeof mine.a);
  std::memcpy(mine.b, b, sizeof mine.b);
  thread.block->rendezvous(thread, ~0u, 0, Observer::Rendezvous::shuffle, source);
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
std::uint32_t atomic_change(std::uint32_t* at, AtomicChange<std::uint32_t> change) {
  return change_and_report(at, change, __builtin_return_address(0));
}
std::uint64_t atomic_change(std::uint64_t* at, AtomicChange<std::uint64_t> change) {
  return change_and_report(at, change, __builtin_return_address(0));
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

void device_assert(const char* expression, const char* file, unsigned line, const char* function) {
  if (Thread* const thread = current_thread())
    thread->block->fail(*thread,
                        std::string("assertion failed: ") + expression + ", at " +
                            std::string(std::filesystem::path(file).filename()) + ':' + std::to_string(line),
                        nullptr);
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
  std::abort();
}

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
// thread that waits for nothing and never ends, and others run while one waits for them without saying so, as by a volatile load. Host
// code has no thread.
extern "C" void __sanitizer_cov_trace_pc() {
  using namespace gpu::simulated;
  constexpr unsigned turn = 1u << 18;  // basic blocks: less than a millisecond
  thread_local unsigned left [[gnu::tls_model("initial-exec")]] = turn;
  const bool stopped = the_gpu().stopped();
  if (--left != 0 && !stopped) return;
  left = turn;
  auto* const thread = current_thread();
  if (!thread) return;
  if (stopped) thread->block->fail(*thread, "stopped: the program ends", __builtin_return_address(0));
  thread->block->pause(*thread);
}
