// Four neighbouring values: what one thread of the tile algorithms loads or stores at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/warp.cuh"

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
  for (int c = 0; c < 4; ++c) four.at[c] = x + c < width ? row[x + c] : T{};
  return four;
}

// Rows that begin anywhere. A row of 4 Lanes values, four neighbours in each lane, would be loaded and stored value by value: 16
// bytes apart from lane to lane for words, so that every sector of 32 bytes is accessed four times. So lanes exchange values first:
// then each access covers `Lanes` neighbours.

// Afterwards value k of a lane is value k Lanes + neighbours_place() of the row of which lane l had values 4 l .. 4 l + 3. Its own
// inverse: a 4 x 4 transpose among lanes that are Lanes / 4 apart. By all lanes of a warp.
template <int Lanes, class T>
__device__ void exchange_fours(Four<T>& four, int lane) {
  static_assert(Lanes >= 4);
  constexpr int apart = Lanes / 4;
  // By value: a reference to one of two registers would keep both in local memory.
  const auto partners = [](T given, int distance) {
    using Value = PixelValue<T>;
    using Word = std::conditional_t<sizeof(Value) < 4, std::uint32_t, Value>;
    return T{static_cast<Value>(__shfl_xor_sync(whole_warp, static_cast<Word>(value_of(given)), distance))};
  };
  const bool odd = (lane & apart) != 0, high = (lane & 2 * apart) != 0;
#pragma unroll
  for (int k = 0; k < 4; k += 2) {
    const T got = partners(odd ? four.at[k] : four.at[k + 1], apart);
    (odd ? four.at[k] : four.at[k + 1]) = got;
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const T got = partners(high ? four.at[k] : four.at[k + 2], 2 * apart);
    (high ? four.at[k] : four.at[k + 2]) = got;
  }
}
template <int Lanes>
__device__ int neighbours_place(int lane) {
  return lane % (Lanes / 4) * 4 + lane / (Lanes / 4);
}

// The reverse of load_four(): to `target`, the address of column x, and the three behind it, those before column `end`. By all lanes
// of a warp, `Lanes` of which have neighbouring fours of one row.
template <int Lanes, class T, class IsAligned>
__device__ void store_four(T* target, int x, int end, IsAligned aligned, Four<T> four) {
  if (aligned && x + 4 <= end) {
    *reinterpret_cast<Four<T>*>(target) = four;
  } else if (aligned) {
#pragma unroll
    for (int c = 0; c < 3; ++c)
      if (x + c < end) target[c] = four.at[c];
  } else {
    const int lane = static_cast<int>(threadIdx.x) % Lanes, place = neighbours_place<Lanes>(lane) - 4 * lane;
    exchange_fours<Lanes>(four, lane);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (x + place + k * Lanes < end) target[place + k * Lanes] = four.at[k];
  }
}

// Four neighbouring bytes at any address: the two aligned words that contain them.
struct BytesInWords {
  std::uint32_t first, second;

  // Bytes that are aligned lie in the first one, and the second is not read.
  __device__ static BytesInWords at(const std::uint8_t* bytes, bool aligned) {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(bytes - offset(bytes));
    return {words[0], aligned ? 0 : words[1]};
  }
  __device__ std::uint32_t bytes_at(const std::uint8_t* bytes) const {
    return __funnelshift_r(first, second, 8 * offset(bytes));
  }

 private:
  __device__ static unsigned offset(const std::uint8_t* bytes) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(bytes) % 4);
  }
};

// Four bytes as one word, the first in its lowest byte.
__device__ inline std::uint32_t packed(const Four<std::uint8_t>& four) {
  std::uint32_t word;
  memcpy(&word, &four, sizeof word);
  return word;
}

// Whether every row of the view starts on a Piece's boundary.
template <class Piece, class T>
__host__ __device__ bool aligned_to(ImageView<T> view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % alignof(Piece) == 0 &&
         static_cast<std::size_t>(view.stride) * sizeof(T) % alignof(Piece) == 0;
}
template <class T>
__host__ __device__ bool aligned_to_four(ImageView<T> view) {
  return aligned_to<Four<std::remove_const_t<T>>>(view);
}

// Which rows start on a Four's boundary: a parameter of kernels that are compiled twice, for an image and a table that both do, and
// for all others, of which the table's rows are stored as if they did not. One kernel for both would need more registers. It is of
// no bytes: the others find out about the image from the view. A kernel's first access to a line of its parameters takes long.
struct OfView {};
template <class OfImage, class OfSat>
struct Alignment {
  OfImage image;
  OfSat sat;
};
using AlignedRows = Alignment<std::true_type, std::true_type>;
using RowsAnywhere = Alignment<OfView, std::false_type>;

template <class T>
__device__ std::true_type rows_are_aligned(ImageView<T>, std::true_type) {
  return {};
}
template <class T>
__device__ bool rows_are_aligned(ImageView<T> view, OfView) {
  return aligned_to_four(view);
}
template <class T>
__device__ bool rows_are_aligned(ImageView<T>, bool known) {
  return known;
}

// f(Alignment)
template <class Input, class Sum, class F>
void visit_alignment(ImageView<const Input> image, ImageView<Sum> sat, F&& f) {
  if (aligned_to_four(image) && aligned_to_four(sat))
    f(AlignedRows{});
  else
    f(RowsAnywhere{});
}

// The images of a batch are not all aligned, or their pixels have interleaved channels: then neighbours lie `channels`
// elements apart.
struct PixelsAnywhere {
  int channels;
};
template <class T>
__device__ bool rows_are_aligned(ImageView<T> view, PixelsAnywhere pixels) {
  return pixels.channels == 1 && aligned_to_four(view);
}

// The same for all images and tables of a batch: one is aligned if all are.
template <class Input, class Sum, class F>
void visit_alignment(ImageView<const Input> image, ImageView<Sum> sat, const ImageBatch& batch, F&& f) {
  const auto are_aligned = [&](const auto& first, std::ptrdiff_t stride, int count) {
    const auto step = static_cast<std::size_t>(stride) * sizeof *first.data;
    return aligned_to_four(first) && (count < 2 || step % alignof(Four<std::remove_cvref_t<decltype(*first.data)>>) == 0);
  };
  if (batch.channels == 1 && are_aligned(image, batch.image_stride, batch.count) &&
      are_aligned(sat, batch.sat_stride, batch.tables()))
    f(AlignedRows{});
  else
    f(Alignment<PixelsAnywhere, std::false_type>{{batch.channels}, {}});
}

}  // namespace gpu::sat
