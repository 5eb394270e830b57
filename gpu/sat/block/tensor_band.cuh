// A band of 16 rows of a tile of bytes, 128 columns wide, whose own table one warp computes by tensor cores: with triangular
// matrices of ones, L on and below the diagonal and U on and above it, it is L A U for the pixels A (Dakkak et al. 2019, for scans).
//
// Tensor cores multiply bytes and add words (intrinsics.cuh, add_product()). What a lane holds of a product's sums is not what it
// has to hold of the next product's first operand, unless the order of what is summed up is changed: in the order of columns and
// rows below, products follow one another in registers. For that the band is transposed:
//
//      P = U^T A^T            the prefix sums of the rows: 15 bits
//      (L A U)^T = P L^T      P = low + 128 high, 7 and 8 bits: [low | high] times L^T above 128 L^T
//
// Columns are taken in chunks of 32. U then has triangles on its diagonal and ones above them: products with ones are the sums of
// whole chunks, which are added to for all chunks behind them.
//
// A lane is number 4 g + t. It has, of
//      A    rows g and 8 + g, columns 8 t .. 8 t + 7 of each chunk
//      P    columns 4 g .. 4 g + 3 of each chunk, rows 2 t, 2 t + 1, 8 + 2 t and 9 + 2 t
//      the table   the same
// Where rows begin at multiples of 16 bytes, a warp stores 128 neighbouring bytes of four rows at once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

struct TensorBand {
  static constexpr int rows = 16, columns = 128, chunk = 32, chunks = columns / chunk;
  static constexpr int own_rows = 4, own_columns = 4;  // of a lane, per chunk
  static_assert(2 * 255 * columns < 1 << 16, "twice a sum is two bytes");

  // What the lanes of a warp exchange: the pixels, then the prefix sums of what lies above. Lanes that read pixels at the same time
  // read other banks.
  struct Shared {
    static constexpr int words_per_row = columns / 4 + 8;
    alignas(16) std::uint32_t pixels[rows][words_per_row];
    alignas(16) Four<std::uint32_t> above[columns / 4];
  };

  // The low and the high parts of the prefix sums of each own column in the own rows.
  struct Parts {
    std::uint32_t low, high;
  };
  Parts sums[chunks][own_columns];

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  static __device__ int g() { return lane() / 4; }
  static __device__ int t() { return lane() % 4; }
  // The i-th of a lane's rows.
  static __device__ int own_row(int i) { return i / 2 * 8 + 2 * t() + i % 2; }

  // The first product, of the pixels in `shared`. Calls put(row, sum) with the sum of each row, in one of the lanes.
  template <class Put>
  __device__ void multiply(const Shared& shared, Put put) {
    const Triangle triangle = Triangle::of_columns();
    constexpr std::uint32_t twos[4] = {0x02020202u, 0x02020202u, 0x02020202u, 0x02020202u};
    std::uint32_t before[2][4]{};  // twice the sums of the chunks before, of 8 rows each; all rows of a product are the same
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      std::uint32_t twice[2][2][4];  // [half of the own columns][half of the rows]
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const auto pixels = *reinterpret_cast<const uint2*>(&shared.pixels[8 * half + g()][c * (chunk / 4) + 2 * t()]);
        const std::uint32_t operand[2] = {pixels.x, pixels.y};
#pragma unroll
        for (int part = 0; part < 2; ++part) {
#pragma unroll
          for (int i = 0; i < 4; ++i) twice[part][half][i] = before[half][i];
          add_product(twice[part][half], triangle.of[part], operand);
        }
        add_product(before[half], twos, operand);
      }
#pragma unroll
      for (int j = 0; j < own_columns; ++j) sums[c][j] = split(twice[j / 2][0] + j % 2 * 2, twice[j / 2][1] + j % 2 * 2);
    }
    if (g() == 0)
#pragma unroll
      for (int i = 0; i < own_rows; ++i) put(own_row(i), before[i / 2][i % 2] / 2);
  }

  // The second product, and what lies above and on the left: calls each(c, i, four) with the table's entries in the own columns of
  // chunk c in the i-th own row. `above`: the entries' part above the band, of all columns. left(row): their part on the left.
  template <class Left, class Each>
  __device__ void finish(const Shared& shared, Left left, Each each) const {
    const Lower lower = Lower::of_rows();
    std::uint32_t on_left[own_rows];
#pragma unroll
    for (int i = 0; i < own_rows; ++i) on_left[i] = left(own_row(i));
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      const auto above = shared.above[c * (chunk / 4) + g()];
      std::uint32_t entries[2][2][4];  // as above
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        const auto &first = sums[c][2 * part], &second = sums[c][2 * part + 1];
        const std::uint32_t operand[4] = {first.low, second.low, first.high, second.high};
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
          for (int i = 0; i < 4; ++i) entries[part][half][i] = above.at[2 * part + i / 2] + on_left[2 * half + i % 2];
          add_product(entries[part][half], operand, lower.of[half]);
        }
      }
#pragma unroll
      for (int i = 0; i < own_rows; ++i)
        each(c, i,
             Four<std::uint32_t>{entries[0][i / 2][i % 2], entries[0][i / 2][2 + i % 2], entries[1][i / 2][i % 2],
                                 entries[1][i / 2][2 + i % 2]});
    }
  }

  // finish() into the table, of which the band begins at (x0, y0). By all lanes of a warp.
  template <class IsAligned, class Left>
  __device__ void store_table(ImageView<std::uint32_t> sat, int x0, int y0, IsAligned aligned, const Shared& shared,
                              Left left) const {
    finish(shared, left, [&](int c, int i, Four<std::uint32_t> four) {
      const int x = x0 + c * chunk + own_columns * g();
      if (aligned) {
        const int y = y0 + own_row(i);
        store_four<warp_lanes>(sat.row(y) + x, x, y < sat.height ? sat.width : 0, std::true_type{}, four);
      } else {
        // Four lanes have 4 x 4 entries, of four rows. After the exchange each has one column of them, and the warp a whole chunk.
        exchange_fours<4>(four, t());
        const int row = y0 + i / 2 * 8 + i % 2;
#pragma unroll
        for (int k = 0; k < own_rows; ++k)
          if (x + t() < sat.width && row + 2 * k < sat.height) sat(x + t(), row + 2 * k) = four.at[k];
      }
    });
  }

 private:
  // Where one byte in each of four words of a matrix of zeros and ones is `value`: in the first `count` bytes.
  static __device__ std::uint32_t first_bytes(int count, std::uint32_t value) {
    return count <= 0 ? 0 : 0x01010101u * value >> 8 * (4 - min(count, 4));
  }

  // 2 U^T within a chunk, for either half of each lane's own columns.
  struct Triangle {
    std::uint32_t of[2][4];

    static __device__ Triangle of_columns() {
      Triangle triangle;
#pragma unroll
      for (int part = 0; part < 2; ++part)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int column = 4 * g() + 2 * part + i % 2, first = 8 * t() + i / 2 * 4;  // of the table, of the pixels
          triangle.of[part][i] = first_bytes(column - first + 1, 2);
        }
      return triangle;
    }
  };
  // L^T above 128 L^T, for either half of the rows.
  struct Lower {
    std::uint32_t of[2][2];

    static __device__ Lower of_rows() {
      const std::uint32_t within = first_bytes(min(g() - 2 * t() + 1, 2), 1);  // rows 2 t and 2 t + 1 down to row g
      const std::uint32_t first = within, second = 0x0101u | within << 16;
      return {{{first, first << 7}, {second, second << 7}}};
    }
  };

  // From twice the sums in two rows each, 16 bits.
  static __device__ Parts split(const std::uint32_t* upper, const std::uint32_t* lower) {
    const auto two = __byte_perm(upper[0], upper[1], 0x5410), other_two = __byte_perm(lower[0], lower[1], 0x5410);
    return {__byte_perm(two, other_two, 0x6420) >> 1, __byte_perm(two, other_two, 0x7531)};
  }
};

}  // namespace gpu::sat
