// What the kernels that search (gpu/vision/window_search.h) share: the sums over the node records of a stage, and what becomes of a
// window that passed all stages.
//
// A feature's value is a sum of table entries with small integer weights. For tiles an entry has two windows' entries in its
// halves, and so has the value; for patches it is one number. Every value is exact, and so is its float. The value of an LBP
// feature is -1 or 0 (IntegerFeature): below the threshold of its node, 0, or not.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/sat/block/warp.cuh"
#include "gpu/vision/packed_cascade.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {

using sat::whole_warp;

struct NodeOffsets {
  uint4 packed;
  unsigned shift;  // of an offset, which makes it bytes
  __device__ unsigned row(int k) const { return half(k < 2 ? packed.x : packed.y, k); }
  __device__ unsigned column(int k) const { return half(k < 2 ? packed.z : packed.w, k); }
  __device__ unsigned corner(int k) const { return half(k < 2 ? packed.x : k < 4 ? packed.y : packed.z, k); }
  __device__ bool of_tilted() const { return packed.w & 0xffffu; }
  __device__ unsigned place_in_tree() const { return packed.w >> 16; }

 private:
  __device__ unsigned half(unsigned pair, int k) const { return (k % 2 == 0 ? pair & 0xffffu : pair >> 16) << shift; }
};

// The weighted sum of a grid of corners, for N windows, or pairs of them: sums[n] = start + ... , modulo 2^32. load(n, offset in
// bytes) is an entry of window n's table.
template <int N, class Load>
__device__ __forceinline__ void sum_of_grid(unsigned kind, const NodeOffsets& at, unsigned start, unsigned (&sums)[N],
                                            const Load& load) {
  const unsigned r0 = at.row(0), r1 = at.row(1), c0 = at.column(0), c1 = at.column(1);
  switch (static_cast<CornerPattern>(kind & node_kind::pattern)) {
    case CornerPattern::two_rows: {
      const unsigned r2 = at.row(2);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const unsigned upper = load(n, r0 + c0) - load(n, r0 + c1), middle = load(n, r1 + c0) - load(n, r1 + c1),
                       lower = load(n, r2 + c0) - load(n, r2 + c1);
        sums[n] = start + 2u * middle - upper - lower;
      }
      break;
    }
    case CornerPattern::two_columns: {
      const unsigned c2 = at.column(2);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const unsigned upper = load(n, r0 + c0) + load(n, r0 + c2), lower = load(n, r1 + c0) + load(n, r1 + c2);
        sums[n] = start + upper - lower + 2u * (load(n, r1 + c1) - load(n, r0 + c1));
      }
      break;
    }
    case CornerPattern::two_columns_minus: {
      const unsigned c2 = at.column(2);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const unsigned upper = load(n, r0 + c0) + load(n, r0 + c2), lower = load(n, r1 + c0) + load(n, r1 + c2);
        sums[n] = start + lower - upper + 2u * (load(n, r0 + c1) - load(n, r1 + c1));
      }
      break;
    }
    case CornerPattern::three_rows: {
      const unsigned r2 = at.row(2), r3 = at.row(3);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const unsigned d0 = load(n, r0 + c0) - load(n, r0 + c1), d1 = load(n, r1 + c0) - load(n, r1 + c1),
                       d2 = load(n, r2 + c0) - load(n, r2 + c1), d3 = load(n, r3 + c0) - load(n, r3 + c1);
        sums[n] = start + 3u * (d1 - d2) + (d3 - d0);
      }
      break;
    }
    case CornerPattern::three_columns: {
      const unsigned c2 = at.column(2), c3 = at.column(3);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const unsigned d0 = load(n, r0 + c0) - load(n, r1 + c0), d1 = load(n, r0 + c1) - load(n, r1 + c1),
                       d2 = load(n, r0 + c2) - load(n, r1 + c2), d3 = load(n, r0 + c3) - load(n, r1 + c3);
        sums[n] = start + 3u * (d1 - d2) + (d3 - d0);
      }
      break;
    }
    default: {  // four, four_minus
      const unsigned r2 = at.row(2), c2 = at.column(2);
      const unsigned sign = (kind & node_kind::pattern) == static_cast<unsigned>(CornerPattern::four) ? 1u : ~0u;
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const unsigned outer = load(n, r0 + c0) + load(n, r0 + c2) + load(n, r2 + c0) + load(n, r2 + c2);
        const unsigned edges = load(n, r0 + c1) + load(n, r1 + c0) + load(n, r1 + c2) + load(n, r2 + c1);
        sums[n] = start + sign * (outer - 2u * edges + 4u * load(n, r1 + c1));
      }
    }
  }
}

// The same for a list of corners, which may go on in the next records. `tilted`: bytes from one table to the other.
template <int N, class Load>
__device__ __forceinline__ void sum_of_list(const uint4* records, int& i, unsigned kind, NodeOffsets at, unsigned tilted,
                                            unsigned start, unsigned (&sums)[N], const Load& load) {
#pragma unroll
  for (int n = 0; n < N; ++n) sums[n] = start;
  const unsigned table = at.of_tilted() ? tilted : 0u;
  while (true) {
#pragma unroll
    for (int k = 0; k < node_kind::corners_per_record; ++k) {
      // The sign of four bits. The unused ones at the end have weight 0.
      const auto weight = static_cast<unsigned>(static_cast<int>(kind << (20 - 4 * k)) >> 28);
      const unsigned offset = table + at.corner(k);
      if (weight != 0)
#pragma unroll
        for (int n = 0; n < N; ++n) sums[n] += weight * load(n, offset);
    }
    if (!(kind & node_kind::corners_follow)) return;
    kind = records[2 * i].w;
    at.packed = records[2 * i + 1];
    ++i;
  }
}

// The value for a code, by the CodeSet in record i.
__device__ __forceinline__ float value_of_code(const uint4* records, int i, unsigned code) {
  const auto& set = *reinterpret_cast<const CodeSet*>(records + 2 * i);
  return set.has(code) ? -1.0f : 0.0f;
}

__device__ __forceinline__ double addition_of(uint4 head) {
  return __hiloint2double(static_cast<int>(head.z), static_cast<int>(head.y));
}

// The sums of one window on the way through a stage. Both of a pair have such sums.
template <bool General>
struct NodeSum {
  double sum = 0;
  unsigned visited = 0;  // General: nodes of the larger tree

  // A node of a tree that is no stump and not one of two nodes: bits 0-4 its number, from bit 5 on the next one below the threshold,
  // from bit 10 on above it; 0: a leaf.
  __device__ __forceinline__ void visit(unsigned place, bool below, double addition) {
    const unsigned node = place & 31u;
    if (node == 0) visited = 1;
    if (!(visited >> node & 1u)) return;
    if (!below) sum += addition;
    visited |= 1u << ((below ? place >> 5 : place >> 10) & 31u);
  }
};

// Adds what the records first .. end - 1 give to sums[n], for N windows with these factors. General: of any form but grids.
// values.offsets() is the second half of a record; values(i, kind, offsets, out) computes the values of the feature that begins in
// record i - 1, and moves i behind it.
template <int N, bool General, class Values>
__device__ __forceinline__ void add_nodes(const uint4* records, int first, int end, const float (&factors)[N],
                                          NodeSum<General> (&sums)[N], const Values& values) {
#pragma unroll 1
  for (int i = first; i < end;) {
    const uint4 head = records[2 * i];
    const NodeOffsets offsets = values.offsets(records[2 * i + 1]);
    ++i;
    float value[N];
    values(i, head.w, offsets, value);
    const float threshold = __uint_as_float(head.x);
    const double addition = addition_of(head);
    if (head.w & node_kind::root_of_two) {
      const bool other_above = head.w & node_kind::other_above;
      bool goes_on[N];
#pragma unroll
      for (int n = 0; n < N; ++n) goes_on[n] = (value[n] * factors[n] < threshold) != other_above;
      const uint4 other = records[2 * i];
      const NodeOffsets other_offsets = values.offsets(records[2 * i + 1]);
      ++i;
      values(i, other.w, other_offsets, value);
      const float other_threshold = __uint_as_float(other.x);
      const double other_addition = addition_of(other);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const bool below = value[n] * factors[n] < other_threshold;
        if (goes_on[n]) sums[n].sum += below ? addition : other_addition;
      }
    } else if (General && (head.w & node_kind::in_tree)) {
      const bool list = (head.w & node_kind::pattern) == static_cast<unsigned>(CornerPattern::list);
      const unsigned place = list ? offsets.place_in_tree() : head.w >> node_kind::first_bit;
#pragma unroll
      for (int n = 0; n < N; ++n) sums[n].visit(place, value[n] * factors[n] < threshold, addition);
    } else {
#pragma unroll
      for (int n = 0; n < N; ++n)
        if (!(value[n] * factors[n] < threshold)) sums[n].sum += addition;
    }
  }
}

// The sums along the rising or falling diagonals of a table, by threads of which one starts at diagonal `first` and takes every
// `stride`th: entry(x, y) becomes the sum of added(x, y) up to there, from the diagonal's upper end on.
inline constexpr bool rising = true, falling = false;
template <bool Rising, class Added, class Entry>
__device__ __forceinline__ void sum_diagonals(int width, int rows, int first, int stride, const Added& added,
                                              const Entry& entry) {
  for (int diagonal = first; diagonal < width + rows - 1; diagonal += stride) {
    unsigned sum = 0;
    const int shift = Rising ? diagonal : diagonal - (rows - 1);  // x + y, x - y
    const int last = min(rows - 1, Rising ? diagonal : width - 1 - shift);
    for (int y = max(Rising ? diagonal - width + 1 : -shift, 0); y <= last; ++y) {
      const int x = Rising ? shift - y : shift + y;
      sum += added(x, y);
      entry(x, y) = sum;
    }
  }
}

// The header of a stage in shared memory, and its records.
__device__ __forceinline__ const StageHeader& header_of(const uint4* stage) {
  return *reinterpret_cast<const StageHeader*>(stage);
}
__device__ __forceinline__ const uint4* records_of(const uint4* stage) { return stage + header_length; }

// rejections_before() of levels.h, by words instead of bits. `words`: the bitmap of the window's row.
__device__ inline int rejections_before(const std::uint32_t* words, int x) {
  int word = x >> 5;
  const int bits = x & 31;
  const auto ones_at_end = [](unsigned bits_of_run) {
    return bits_of_run == ~0u ? 32 : __clz(static_cast<int>(~bits_of_run));
  };
  int run = bits > 0 ? min(ones_at_end(words[word] << (32 - bits)), bits) : 0;
  if (run == bits)
    while (--word >= 0) {
      const int ones = ones_at_end(words[word]);
      run += ones;
      if (ones < 32) break;
    }
  return run;
}

template <class Kernel>
Kernel kernel_for(RecordForm form, Kernel of_grids, Kernel of_any, Kernel of_codes) {
  return form == RecordForm::grids ? of_grids : form == RecordForm::any ? of_any : of_codes;
}

// Lists the window unless OpenCV skips it.
__device__ inline void keep_window(const WindowSearch& search, const LevelPoint& window) {
  const auto& level = search.places[window.level];
  const auto* words = search.rejected + level.first_word +
                      static_cast<std::size_t>(window.y) * static_cast<std::size_t>(level.row_words);
  if (!is_visited(rejections_before(words, window.x))) return;
  const unsigned at = atomicAdd(&search.counters->found, 1u);
  if (at < search.found_capacity) search.found[at] = window;
}

}  // namespace gpu::vision
