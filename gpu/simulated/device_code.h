// The functions of the simulated GPU that device code calls, through cuda/cuda_runtime.h and through the simulated versions
// of PTX instructions in gpu/.
//
// A function that waits (a barrier, a shuffle, a poll) lets other threads run meanwhile. Nothing else does: between two
// such points a thread runs alone in its block. (In observed builds a thread that runs for long also waits for its warp.)
#pragma once

#include <bit>
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

// threadIdx, blockIdx and the like are objects whose members call these functions when read.
template <unsigned (*ask)()>
struct Coordinate {
  operator unsigned() const { return ask(); }
};
template <unsigned (*ask_x)(), unsigned (*ask_y)(), unsigned (*ask_z)()>
struct Coordinates {
  [[no_unique_address]] Coordinate<ask_x> x;
  [[no_unique_address]] Coordinate<ask_y> y;
  [[no_unique_address]] Coordinate<ask_z> z;
};
using ThreadIndex = Coordinates<thread_x, thread_y, thread_z>;
using BlockIndex = Coordinates<block_x, block_y, block_z>;
using BlockExtent = Coordinates<block_extent_x, block_extent_y, block_extent_z>;
using GridExtent = Coordinates<grid_extent_x, grid_extent_y, grid_extent_z>;

// Barriers and warp operations. A mask without some of the lanes is a Fault: gpu/ has none, and partial warp operations are
// not simulated. All threads of one operation must be at the same place in the source.
using Source = std::source_location;
[[gnu::noinline]] void sync_threads(Source source);
[[gnu::noinline]] bool sync_threads_or(bool predicate, Source source);
[[gnu::noinline]] void sync_warp(unsigned mask, Source source);
[[gnu::noinline]] unsigned ballot(unsigned mask, bool predicate, Source source);
[[gnu::noinline]] std::uint64_t shuffle_bits(unsigned mask, std::uint64_t bits, int from, Source source);

// mma.sync (PTX ISA): add_product() of gpu/cuda/intrinsics.cuh, by its definition. Lanes exchange operands as in a shuffle.
[[gnu::noinline]] void add_product(std::uint32_t (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                   Source source);

[[gnu::noinline]] void let_others_run();

// The clock of the processor that simulates, and the number of the place that the block has among the resident blocks.
[[gnu::noinline]] std::uint64_t nanoseconds();
[[gnu::noinline]] std::uint32_t multiprocessor();

template <class T>
T shuffle(unsigned mask, T value, int from, Source source) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(
        static_cast<std::uint32_t>(shuffle_bits(mask, std::bit_cast<std::uint32_t>(value), from, source)));
  else
    return std::bit_cast<T>(shuffle_bits(mask, std::bit_cast<std::uint64_t>(value), from, source));
}

// Shared memory of the block: the dynamic bytes of the launch, and, for each `key`, `bytes` more for a static variable.
[[gnu::noinline]] unsigned char* dynamic_shared_bytes();
[[gnu::noinline]] void* static_shared_bytes(const void* key, std::size_t bytes, std::size_t alignment);

// ld.relaxed.gpu and st.relaxed.gpu (PTX ISA, "Memory Consistency Model"): one access each, ordered with nothing else: random
// schedules make others see them late, and in another order (weak_memory.h).
// A thread that loads the same value again counts as waiting, and other blocks run. Up to twelve words may be polled in
// turn. (A thread that polls more, or with an atomic that changes nothing, never counts as waiting: it would hang.)
[[gnu::noinline]] std::uint64_t load_relaxed(const std::uint64_t* at);
[[gnu::noinline]] unsigned __int128 load_relaxed(const unsigned __int128* at);
[[gnu::noinline]] void store_relaxed(std::uint64_t* at, std::uint64_t word);
[[gnu::noinline]] void store_relaxed(unsigned __int128* at, unsigned __int128 word);
[[gnu::noinline]] std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value);
[[gnu::noinline]] std::uint64_t atomic_add(std::uint64_t* at, std::uint64_t value);
[[gnu::noinline]] std::uint64_t atomic_min(std::uint64_t* at, std::uint64_t value);
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

[[gnu::noinline]] void write_surface(unsigned long long surface, int x_bytes, int y, const void* value, std::size_t bytes);

}  // namespace gpu::simulated
