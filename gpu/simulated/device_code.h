// The functions of the simulated GPU that device code calls, through cuda/cuda_runtime.h and through the simulated versions
// of PTX instructions in gpu/.
//
// A function that waits (a barrier, a shuffle, a poll) lets other threads run meanwhile. Nothing else does: between two
// such points a thread runs alone in its block. (In observed builds a thread that runs for long also waits for its warp; and in users'
// kernels one that runs for very long lets others run.)
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace gpu::simulated {

// Coordinates of the calling thread, block and launch. const: a thread keeps its coordinates.
[[gnu::const]] unsigned thread_x();
[[gnu::const]] unsigned thread_y();
[[gnu::const]] unsigned thread_z();
[[gnu::const]] unsigned block_x();
[[gnu::const]] unsigned block_y();
[[gnu::const]] unsigned block_z();
[[gnu::const]] unsigned block_extent_x();
[[gnu::const]] unsigned block_extent_y();
[[gnu::const]] unsigned block_extent_z();
[[gnu::const]] unsigned grid_extent_x();
[[gnu::const]] unsigned grid_extent_y();
[[gnu::const]] unsigned grid_extent_z();
[[gnu::const]] int lane();

// threadIdx, blockIdx, blockDim and gridDim. What is not used of them costs nothing.
[[gnu::always_inline]] inline uint3 thread_index() { return {thread_x(), thread_y(), thread_z()}; }
[[gnu::always_inline]] inline uint3 block_index() { return {block_x(), block_y(), block_z()}; }
[[gnu::always_inline]] inline dim3 block_extent() { return {block_extent_x(), block_extent_y(), block_extent_z()}; }
[[gnu::always_inline]] inline dim3 grid_extent() { return {grid_extent_x(), grid_extent_y(), grid_extent_z()}; }

// Barriers and warp operations. All threads of one operation must be at the same place in the source. Those of a warp are the lanes of
// the mask that have not returned; they must have the same mask, with their own lane in it: otherwise it is a Fault.
using Source = std::source_location;
[[gnu::noinline]] void sync_threads(Source source);
[[gnu::noinline]] unsigned sync_threads_count(bool predicate, Source source);
[[gnu::noinline]] void sync_warp(unsigned mask, Source source);
[[gnu::noinline]] unsigned ballot(unsigned mask, bool predicate, Source source);
// What lane `from` has brought; `no_value` if it takes no part, which CUDA leaves undefined.
inline constexpr std::uint64_t no_value = 0xdeadbeefdeadbeef;
[[gnu::noinline]] std::uint64_t shuffle_bits(unsigned mask, std::uint64_t bits, int from, Source source);
// What each lane has brought, and which have taken part, a bit per lane.
struct LaneValues {
  std::uint32_t lanes;
  std::uint64_t value[32];
};
enum class WarpExchange : std::uint8_t { reduction, match };
[[gnu::noinline]] LaneValues warp_exchange(unsigned mask, std::uint64_t bits, WarpExchange what, Source source);
// The lanes that run this call together (__activemask()).
[[gnu::noinline]] unsigned warp_active(Source source);

// mma.sync (PTX ISA): add_product() of gpu/cuda/intrinsics.cuh, by its definition. Lanes exchange operands as in a shuffle.
[[gnu::noinline]] void add_product(std::uint32_t (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                   Source source);

[[gnu::noinline]] void let_others_run();

// The clock of the processor that simulates, and the number of the place that the block has among the resident blocks.
[[gnu::noinline]] std::uint64_t nanoseconds();
[[gnu::noinline]] std::uint32_t multiprocessor();

// Shared memory of the block: the dynamic bytes of the launch, and, for each `key`, `bytes` more for a static variable.
[[gnu::noinline]] unsigned char* dynamic_shared_bytes();
[[gnu::noinline]] void* static_shared_bytes(const void* key, std::size_t bytes, std::size_t alignment);

// ld.relaxed.gpu and st.relaxed.gpu (PTX ISA, "Memory Consistency Model"): one access each, ordered with nothing else: random
// schedules make others see them late, and in another order (weak_memory.h).
// A thread that loads the same value again counts as waiting, and other blocks run. Up to twelve words may be polled in
// turn. (A thread that polls more never counts as waiting: it would hang.)
[[gnu::noinline]] std::uint64_t load_relaxed(const std::uint64_t* at);
[[gnu::noinline]] unsigned __int128 load_relaxed(const unsigned __int128* at);
[[gnu::noinline]] void store_relaxed(std::uint64_t* at, std::uint64_t word);
[[gnu::noinline]] void store_relaxed(unsigned __int128* at, unsigned __int128 word);
// Changes a word indivisibly, in global or shared memory; returns what it was. Operands and results are bits of the operation's type. The
// order in which threads add floating-point numbers, and so how the sum is rounded, is that of the schedule.
// A thread that loads a word in this way, or waits for a lock, lets others run, as if it polled.
enum class AtomicOperation : std::uint8_t {
  add,
  add_float,
  minimum,
  minimum_signed,
  maximum,
  maximum_signed,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange,
  increment,
  decrement
};
template <class Word>
struct AtomicChange {
  AtomicOperation operation;
  Word operand;
  Word expected = 0;  // of compare_exchange

  Word operator()(Word before) const;
};
[[gnu::noinline]] std::uint32_t atomic_change(std::uint32_t* at, AtomicChange<std::uint32_t> change);
[[gnu::noinline]] std::uint64_t atomic_change(std::uint64_t* at, AtomicChange<std::uint64_t> change);
// __threadfence(): orders the thread's accesses before and after it, for all threads.
[[gnu::noinline]] void fence();

// cp.async (PTX ISA). Bytes arrive as late as permitted: when the thread waits for their group. Both addresses are multiples of
// `alignment`, otherwise it is a fault.
[[gnu::noinline]] void copy_async(void* to, const void* from, unsigned bytes, unsigned alignment);
[[gnu::noinline]] void commit_async_copies();
[[gnu::noinline]] void wait_for_async_copies(unsigned groups_behind);

// For instructions that are plain stores here: a fault unless `at` is a multiple of `alignment`.
[[gnu::noinline]] void require_aligned(const void* at, unsigned alignment);

// griddepcontrol (PTX ISA). In random schedules some blocks of a dependent launch run before the launch before it, until they wait.
[[gnu::noinline]] void let_next_launch_start();
[[gnu::noinline]] void wait_for_previous_launch();

// A Fault that names the line; in host code as libc's assert().
[[noreturn, gnu::noinline]] void device_assert(const char* expression, const char* file, unsigned line,
                                               const char* function);

[[gnu::noinline]] void write_surface(unsigned long long surface, int x_bytes, int y, const void* value, std::size_t bytes);

}  // namespace gpu::simulated
