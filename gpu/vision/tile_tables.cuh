// The tables of a tile in a block's shared memory, for the tile kernel (gpu/vision/tile_search.cu).
#pragma once

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/vision/window_search.cuh"

namespace gpu::vision {

// A tile as the threads of a block see it: where it lies, its parts of the block's shared memory, for which tile_bytes() of
// gpu/vision/packed_cascade.cpp has room, and what makes its tables. All threads call the same functions in the same order.
//
// Evaluation derives from it, and the parts are counted from one to the next: of copies of a tile, and of offsets in a table that
// the packer shares, nvcc makes another and longer kernel.
template <int Step, RecordForm Form>
class TileTables {
  static constexpr bool has_tilted = Form == RecordForm::any;

 public:
  __device__ TileTables(const WindowSearch& search, const LevelPoint& place, unsigned char* memory)
      : search_(search),
        shape_(search.shape),
        level_(search.places[place.level]),
        level_index_(place.level),
        warp_(static_cast<int>(threadIdx.x / 32)),
        lane_(static_cast<int>(threadIdx.x % 32)),
        rows_(shape_.table_rows[Step - 1]),
        pair_rows_(shape_.rows[Step - 1] / Step / 2),
        x0_(place.x * columns),
        y0_(place.y * pair_rows_ * 2),
        memory_(memory) {
    table_ = reinterpret_cast<unsigned*>(memory);
    tilted_ = table_ + rows_ * shape_.pitch;
    squares_ = has_tilted && shape_.tilted ? tilted_ + rows_ * shape_.pitch : tilted_;
    const int squares_words = rows_ * shape_.squares_pitch(Step);
    const int later_words = static_cast<int>(sizeof(double)) / 4 * partial_sums + search_threads * 4;
    factors_ = reinterpret_cast<float*>(squares_ + max(squares_words, later_words));
    queues_ = reinterpret_cast<unsigned short*>(factors_ + 2 * pairs());
    first_stage_ = reinterpret_cast<uint4*>(queues_ + 2 * pairs());
    partial_ = reinterpret_cast<double*>(squares_);
    stage_ = reinterpret_cast<uint4*>(partial_ + partial_sums);
  }

  __device__ void make() {
    sum_rows();
    if (has_tilted && shape_.tilted) sum_rising_diagonals();
    __syncthreads();
    sum_columns();
    if (has_tilted && shape_.tilted) {
      sum_falling_diagonals();
      __syncthreads();
      if (static_cast<int>(threadIdx.x) < table_columns()) pair_rows(tilted_ + threadIdx.x);
    }
    __syncthreads();
  }

 protected:
  static constexpr int columns = tile_columns / Step;  // windows across
  static constexpr bool has_squares = Form != RecordForm::codes;
  __device__ int pairs() const { return columns * pair_rows_; }
  // Where column x of a row is.
  __device__ int column(int x) const { return Step == 1 ? x : (x & 1) * shape_.half + (x >> 1); }

  const WindowSearch& search_;
  const TileShape& shape_;
  const LevelPlace& level_;
  std::uint32_t level_index_;
  int warp_, lane_;
  int rows_;       // of the table
  int pair_rows_;  // of pairs of windows
  int x0_, y0_;    // the first window
  unsigned char* memory_;
  unsigned *table_, *tilted_, *squares_;
  float* factors_;          // of the lower windows of all pairs, then of the upper ones
  unsigned short* queues_;  // two, with room for all pairs each
  uint4* first_stage_;
  double* partial_;
  uint4* stage_;

 private:
  __device__ int table_columns() const { return 8 * shape_.column_groups; }
  // The row of the picture above row y of the table. What lies outside the picture belongs to no window.
  __device__ const unsigned char* picture_row(int y) const {
    const int row = min(max(y0_ * Step - 1 + y, 0), level_.height - 1);
    return search_.pixels + level_.first_pixel + static_cast<std::size_t>(row) * level_.pitch + x0_ * Step;
  }

  // The sums of rows, of pixels and of squares: one warp per row, eight pixels per lane, several rows at a time so that their loads
  // are on their way together.
  __device__ void sum_rows() {
    constexpr int together = 3;
    const bool loads = lane_ < shape_.column_groups;
    for (int first = warp_; first < rows_; first += search_warps * together) {
      uint2 pixels[together];
      unsigned sum[together], squares[together], own_sum[together], own_squares[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const auto* row = reinterpret_cast<const uint2*>(picture_row(first + k * search_warps));
        pixels[k] = loads ? row[lane_] : make_uint2(0, 0);
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const auto [a, b] = pixels[k];
        sum[k] = own_sum[k] = __dp4a(a, 0x01010101u, __dp4a(b, 0x01010101u, 0u));
        squares[k] = own_squares[k] = has_squares ? __dp4a(a, a, __dp4a(b, b, 0u)) : 0u;
      }
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2)
#pragma unroll
        for (int k = 0; k < together; ++k) {
          const unsigned left = __shfl_up_sync(whole_warp, sum[k], distance);
          const unsigned left_squares = has_squares ? __shfl_up_sync(whole_warp, squares[k], distance) : 0u;
          if (lane_ >= distance) sum[k] += left, squares[k] += left_squares;
        }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const int y = first + k * search_warps;
        if (loads && y < rows_) store_row(y, pixels[k], sum[k] - own_sum[k], squares[k] - own_squares[k]);
      }
    }
  }
  __device__ __forceinline__ void store_row(int y, uint2 pixels, unsigned sum, unsigned squares) {
    unsigned s[8], q[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const unsigned pixel = (k < 4 ? pixels.x : pixels.y) >> (8 * (k % 4)) & 255u;
      s[k] = sum += pixel;
      q[k] = squares += pixel * pixel;
    }
    auto* sums = table_ + y * shape_.pitch;
    auto* square_sums = squares_ + y * shape_.squares_pitch(Step);
    if constexpr (Step == 1) {
      auto* to = reinterpret_cast<uint4*>(sums + 8 * lane_);
      to[0] = make_uint4(s[0], s[1], s[2], s[3]), to[1] = make_uint4(s[4], s[5], s[6], s[7]);
      if constexpr (!has_squares) return;
      auto* to_squares = reinterpret_cast<uint4*>(square_sums + 8 * lane_);
      to_squares[0] = make_uint4(q[0], q[1], q[2], q[3]), to_squares[1] = make_uint4(q[4], q[5], q[6], q[7]);
    } else {
      *reinterpret_cast<uint4*>(sums + 4 * lane_) = make_uint4(s[0], s[2], s[4], s[6]);
      *reinterpret_cast<uint4*>(sums + shape_.half + 4 * lane_) = make_uint4(s[1], s[3], s[5], s[7]);
      if constexpr (!has_squares) return;
      // A window of even width begins and ends its squares in odd columns.
      auto* odd = square_sums + 4 * lane_;
      if (shape_.odd_width) {
        *reinterpret_cast<uint4*>(odd) = make_uint4(q[0], q[2], q[4], q[6]);
        odd += shape_.half;
      }
      *reinterpret_cast<uint4*>(odd) = make_uint4(q[1], q[3], q[5], q[7]);
    }
  }

  // The sums of columns: half of the threads have a column of sums each, the others one of squares.
  __device__ void sum_columns() {
    constexpr int half = search_threads / 2;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < half) {
      if (thread >= table_columns()) return;
      unsigned sum = 0;
      auto* at = table_ + thread;
      const int pitch = shape_.pitch;
      unsigned above[Step] = {};
      for (int y = 0; y < rows_; y += 4) {
        unsigned v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = at[(y + k) * pitch];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          sum += v[k];
          pair_with_above(at, y + k, sum, above);
        }
      }
    } else if constexpr (has_squares) {
      const int pitch = shape_.squares_pitch(Step), column = thread - half;
      if (column >= (Step == 1 || shape_.odd_width ? table_columns() : shape_.half)) return;
      auto* at = squares_ + column;
      unsigned sum = 0;
      for (int y = 0; y < rows_; y += 4) {
        unsigned v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = at[(y + k) * pitch];
#pragma unroll
        for (int k = 0; k < 4; ++k) at[(y + k) * pitch] = sum += v[k];
      }
    }
  }
  // Entry y of a column has become known: puts it beside the entry one step above. `above`: the entries last seen.
  __device__ __forceinline__ void pair_with_above(unsigned* column, int y, unsigned entry, unsigned (&above)[Step]) {
    if (y >= Step) column[(y - Step) * shape_.pitch] = above[0] + (entry << 16);
    if constexpr (Step == 2) above[0] = above[1];
    above[Step - 1] = entry;
  }
  __device__ void pair_rows(unsigned* column) {
    unsigned above[Step] = {};
    for (int y = 0; y < rows_; ++y) pair_with_above(column, y, column[y * shape_.pitch], above);
  }

  // The tilted table is T(x, y) = T(x - 1, y - 1) + S(x, y), where S(x, y) = S(x + 1, y - 1) + the pixels at (x - 1, y - 1) and
  // (x - 1, y - 2): along falling diagonals, sums along rising ones. Sums from the tile's edge instead of the picture's add a number
  // to all entries of a diagonal; in the sum of a rectangle each diagonal has two entries with opposite signs.
  __device__ unsigned& tilted(int x, int y) { return tilted_[y * shape_.pitch + column(x)]; }
  __device__ void sum_rising_diagonals() {
    sum_diagonals<rising>(
        table_columns(), rows_, static_cast<int>(threadIdx.x), search_threads,
        [this](int x, int y) { return picture_row(y)[x] + picture_row(y - 1)[x]; },
        [this](int x, int y) -> unsigned& { return tilted(x, y); });
  }
  __device__ void sum_falling_diagonals() {
    const auto entry = [this](int x, int y) -> unsigned& { return tilted(x, y); };
    sum_diagonals<falling>(table_columns(), rows_, static_cast<int>(threadIdx.x), search_threads, entry, entry);
  }
};

}  // namespace gpu::vision
