// What the kernels call, for a build without CUDA: it needs their addresses and names, for dry replays, and starts none.
#include "gpu/simulated/device_code.h"

#include <cstdlib>

namespace gpu::simulated {

unsigned thread_x() { std::abort(); }
unsigned thread_y() { std::abort(); }
unsigned thread_z() { std::abort(); }
unsigned block_x() { std::abort(); }
unsigned block_y() { std::abort(); }
unsigned block_z() { std::abort(); }
unsigned block_extent_x() { std::abort(); }
unsigned block_extent_y() { std::abort(); }
unsigned block_extent_z() { std::abort(); }
unsigned grid_extent_x() { std::abort(); }
unsigned grid_extent_y() { std::abort(); }
unsigned grid_extent_z() { std::abort(); }
int lane() { std::abort(); }

void sync_threads(Source) { std::abort(); }
bool sync_threads_or(bool, Source) { std::abort(); }
void sync_warp(unsigned, Source) { std::abort(); }
unsigned ballot(unsigned, bool, Source) { std::abort(); }
std::uint64_t shuffle_bits(unsigned, std::uint64_t, int, Source) { std::abort(); }
void add_product(std::uint32_t (&)[4], const std::uint32_t (&)[4], const std::uint32_t (&)[2], Source) { std::abort(); }
void let_others_run() { std::abort(); }
std::uint64_t nanoseconds() { std::abort(); }
std::uint32_t multiprocessor() { std::abort(); }
unsigned char* dynamic_shared_bytes() { std::abort(); }
void* static_shared_bytes(const void*, std::size_t, std::size_t) { std::abort(); }

std::uint64_t load_relaxed(const std::uint64_t*) { std::abort(); }
unsigned __int128 load_relaxed(const unsigned __int128*) { std::abort(); }
void store_relaxed(std::uint64_t*, std::uint64_t) { std::abort(); }
void store_relaxed(unsigned __int128*, unsigned __int128) { std::abort(); }
std::uint32_t atomic_add(std::uint32_t*, std::uint32_t) { std::abort(); }
std::uint64_t atomic_add(std::uint64_t*, std::uint64_t) { std::abort(); }
std::uint64_t atomic_min(std::uint64_t*, std::uint64_t) { std::abort(); }
void fence() { std::abort(); }
void copy_async(void*, const void*, unsigned, unsigned) { std::abort(); }
void commit_async_copies() { std::abort(); }
void wait_for_async_copies(unsigned) { std::abort(); }
void require_aligned(const void*, unsigned) { std::abort(); }
void let_next_launch_start() { std::abort(); }
void wait_for_previous_launch() { std::abort(); }
void write_surface(unsigned long long, int, int, const void*, std::size_t) { std::abort(); }

}  // namespace gpu::simulated
