// The usual groups of CUDA's cooperative groups: a block, tiles of a warp, the lanes that run together, and the grid without its barrier.
// Replaces the toolkit's header of that name. reduce() and scans are in cooperative_groups/.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cooperative_groups {

using gpu::simulated::Source;

namespace detail {

inline unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane() { return static_cast<unsigned>(gpu::simulated::lane()); }

// A value of any size, by words.
template <class T, class Shuffle>
T shuffle_words(const T& value, Shuffle shuffle) {
  if constexpr (gpu::simulated::word_type<T>) {
    return shuffle(value);
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "shuffles move types that can be copied byte by byte");
    std::uint32_t words[(sizeof(T) + 3) / 4] = {};
    std::memcpy(words, &value, sizeof(T));
    for (auto& word : words) word = shuffle(word);
    T result;
    std::memcpy(&result, words, sizeof(T));
    return result;
  }
}

// What groups of lanes have in common. Group::mask(): its lanes. rank: the place of a lane among them.
template <class Group>
class LaneGroup {
 public:
  void sync(Source source = Source::current()) const { __syncwarp(mask(), source); }
  unsigned thread_rank() const { return rank_of(lane()); }
  unsigned num_threads() const { return static_cast<unsigned>(std::popcount(mask())); }
  unsigned size() const { return num_threads(); }

  bool any(int predicate, Source source = Source::current()) const { return __any_sync(mask(), predicate, source) != 0; }
  bool all(int predicate, Source source = Source::current()) const { return __all_sync(mask(), predicate, source) != 0; }
  // A bit per rank.
  unsigned ballot(int predicate, Source source = Source::current()) const {
    return ranks_of(__ballot_sync(mask(), predicate, source));
  }
  template <class T>
  unsigned match_any(T value, Source source = Source::current()) const {
    return ranks_of(__match_any_sync(mask(), value, source));
  }
  template <class T>
  unsigned match_all(T value, int& all_same, Source source = Source::current()) const {
    return ranks_of(__match_all_sync(mask(), value, &all_same, source));
  }

  template <class T>
  T shfl(T value, unsigned rank, Source source = Source::current()) const {
    return from_lane(value, lane_of(rank % num_threads()), source);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, Source source = Source::current()) const {
    const auto rank = thread_rank();
    return from_lane(value, lane_of(rank < delta ? rank : rank - delta), source);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, Source source = Source::current()) const {
    const auto rank = thread_rank();
    return from_lane(value, lane_of(rank + delta < num_threads() ? rank + delta : rank), source);
  }

 protected:
  template <class T>
  T from_lane(const T& value, unsigned from, Source source) const {
    const auto lanes = mask();
    return shuffle_words(value, [&](auto word) { return __shfl_sync(lanes, word, static_cast<int>(from), 32, source); });
  }
  unsigned lane_of(unsigned rank) const {
    auto lanes = mask();
    for (; rank > 0; --rank) lanes &= lanes - 1;
    return static_cast<unsigned>(std::countr_zero(lanes));
  }

 private:
  unsigned mask() const { return static_cast<const Group&>(*this).mask(); }
  unsigned rank_of(unsigned of_lane) const { return static_cast<unsigned>(std::popcount(mask() & ((1u << of_lane) - 1))); }
  unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (auto rest = mask(); rest != 0; rest &= rest - 1, ++rank) ranks |= (lanes >> std::countr_zero(rest) & 1) << rank;
    return ranks;
  }
};

}  // namespace detail

class thread_block {
 public:
  static void sync(Source source = Source::current()) { __syncthreads(source); }
  static unsigned thread_rank() { return detail::rank_in_block(); }
  static unsigned num_threads() { return detail::block_size(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// The lanes of a warp that ran coalesced_threads() together.
class coalesced_group : public detail::LaneGroup<coalesced_group> {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}
  unsigned mask() const { return mask_; }
  unsigned meta_group_rank() const { return 0; }
  unsigned meta_group_size() const { return 1; }

 private:
  unsigned mask_;
};
inline coalesced_group coalesced_threads(Source source = Source::current()) { return coalesced_group(__activemask(source)); }

// `Size` neighbouring lanes of a warp.
template <unsigned Size, class Parent = void>
class thread_block_tile : public detail::LaneGroup<thread_block_tile<Size, Parent>> {
 public:
  static_assert(Size <= 32, "tiles of more than a warp are not simulated: use the block");
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

  static unsigned mask() { return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << (detail::lane() & ~(Size - 1)); }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return detail::lane() % Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  T shfl_xor(T value, unsigned other, Source source = Source::current()) const {
    const auto lane = detail::lane(), from = lane ^ other;
    return this->from_lane(value, from / Size == lane / Size ? from : lane, source);
  }

  thread_block_tile(unsigned meta_rank, unsigned meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}

 private:
  unsigned meta_rank_, meta_size_;  // which of how many of its parent
};

template <unsigned Size>
thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {detail::rank_in_block() / Size, (detail::block_size() + Size - 1) / Size};
}
template <unsigned Size, unsigned Whole, class Parent>
thread_block_tile<Size, thread_block_tile<Whole, Parent>> tiled_partition(const thread_block_tile<Whole, Parent>& whole) {
  static_assert(Size <= Whole, "a tile of a tile is not larger than it");
  return {whole.thread_rank() / Size, Whole / Size};
}
template <class Group>
coalesced_group tiled_partition(const Group&, unsigned) {
  static_assert(sizeof(Group) == 0,
                "tiles whose size is known at run time only are not simulated: tiled_partition<32>(block)");
  return coalesced_group(0);
}

class grid_group {
 public:
  static unsigned long long thread_rank() { return block_rank() * detail::block_size() + detail::rank_in_block(); }
  static unsigned long long num_threads() { return num_blocks() * detail::block_size(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long num_blocks() { return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z; }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  template <class Never = void>
  static void sync() {
    static_assert(!std::is_void_v<Never>,
                  "a barrier of the whole grid is not simulated: end the kernel, and launch another");
  }
};
inline grid_group this_grid() { return {}; }

template <class Group>
void sync(const Group& group, Source source = Source::current()) {
  group.sync(source);
}
template <class Group, class... Rest>
void memcpy_async(const Group&, Rest&&...) {
  static_assert(sizeof(Group) == 0, "memcpy_async() is not simulated: each thread copies its part, then group.sync()");
}

}  // namespace cooperative_groups
