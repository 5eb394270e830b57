// Four neighbouring values: what one thread of the tile algorithms loads or stores at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/image.h"

namespace gpu::sat {

// Loaded and stored by one instruction if memory is aligned to it.
template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) Four {
  T at[4];
};

// Columns x .. x + 3 of a row of `width` entries, x divisible by 4; zeros behind its end. `aligned`: aligned_to_four() of the
// image.
template <class T>
__device__ Four<T> load_four(const T* row, int x, int width, bool aligned) {
  if (aligned && x + 4 <= width) return *reinterpret_cast<const Four<T>*>(row + x);
  Four<T> four;
#pragma unroll
  for (int c = 0; c < 4; ++c) four.at[c] = x + c < width ? row[x + c] : T(0);
  return four;
}
// The reverse, of what lies within the row.
template <class T>
__device__ void store_four(T* row, int x, int width, bool aligned, const Four<T>& four) {
  if (aligned && x + 4 <= width) {
    *reinterpret_cast<Four<T>*>(row + x) = four;
    return;
  }
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (x + c < width) row[x + c] = four.at[c];
}

// Four bytes as one word, the first in its lowest byte.
__device__ inline std::uint32_t packed(const Four<std::uint8_t>& four) {
  std::uint32_t word;
  memcpy(&word, &four, sizeof word);
  return word;
}

// Whether every row of the view starts on a Piece's boundary.
template <class Piece, class T>
bool aligned_to(ImageView<T> view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % alignof(Piece) == 0 &&
         static_cast<std::size_t>(view.stride) * sizeof(T) % alignof(Piece) == 0;
}
template <class T>
bool aligned_to_four(ImageView<T> view) {
  return aligned_to<Four<std::remove_const_t<T>>>(view);
}

}  // namespace gpu::sat
