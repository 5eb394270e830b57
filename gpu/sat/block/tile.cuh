// A tile of W columns and H rows held in the registers of one block, and the sums the papers take of it. The papers' tiles
// are square.
//
// Letters of 000 (Emoto et al. 2018), Table II, for the tile T(I, J) in tile row I and tile column J:
//   LRS[i]  local row sum: row i of the tile                GRS[i]  the same row from the image's left edge
//   LCS[j]  local column sum: column j of the tile          GCS[j]  the same column from the image's top edge
//   LS      local sum: the whole tile                       GS      everything above and left, the tile included
//   GLS     GS(I, J) - GS(I-1, J-1), an L-shape             GSAT    the tile of the summed area table
//   GCP[j]  the table's entry in the tile's last row and column j: the prefix sums of GCS, from GS(I, J-1) on
//
//            GS(I-1,J-1) | GCS(I-1,J)
//           -------------+------------     GSAT(i, j) = tile's own SAT(i, j) + GS(I-1,J-1)
//            GRS(I,J-1)  |   tile                       + GRS(I,J-1)[0..i] + GCS(I-1,J)[0..j]
//
// How the tile is divided among the threads of the block: each thread owns `rows` rows of 4 neighbouring columns, in the
// image's types; W/4 neighbouring threads, the lanes of a row, own a band of `rows` whole rows; `groups` bands make the
// tile. Neighbouring lanes therefore load and store neighbouring groups of four, column sums of a band need no
// communication, and row sums need shuffles only.
//
// The table of the tile is computed row by row while it is stored, and never held as a whole: each thread carries the sums
// of its columns so far, adds the next row to them, and the lanes of the row scan them:
//
//      columns  +=  row r              sums of each column down to here, GCS(I-1,J) included from the start
//      GSAT row  =  scan(columns) + left[r]
//
// The papers keep the tile in shared memory in the diagonal arrangement (000 sec. II). All tile algorithms here depart from
// them and keep it in registers: bytes stay bytes until the end, and only the sums of bands pass through shared memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

// Bands of a tile, each owned by one group of threads. 8-byte sums take two registers each, so bands have half the rows.
template <class Sum>
constexpr int usual_groups = sizeof(Sum) == 8 ? 16 : 8;

// DotProducts: bytes are added to sums of 4 bytes by an instruction that multiplies the four bytes of a word with those of
// another, and adds the products: nothing is unpacked. That helps kernels that wait for their arithmetic or lack registers, and
// delays those that wait for their sums.
template <class Input, class Sum, int W, int Groups = usual_groups<Sum>, int H = W, bool DotProducts = false>
struct Tile {
  static constexpr int groups = Groups;
  static constexpr int columns = 4;
  static constexpr int lanes = W / columns;
  static constexpr int rows = H / groups;
  static constexpr int threads = lanes * groups;  // 2 W for 8 groups
  static_assert(warp_lanes % lanes == 0, "a row must lie in one warp");
  static_assert(lanes % rows == 0, "row_sum() gives every row some lanes");

  Four<Input> at[rows];

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  static __device__ int group() { return static_cast<int>(threadIdx.x) / lanes; }
  static __device__ int first_row() { return group() * rows; }       // in the tile
  static __device__ int first_column() { return lane() * columns; }  // in the tile

  // The tile whose top left pixel is (x0, y0); pixels outside the image count as 0. `alignment`: an Alignment's. By all threads of
  // the block.
  template <class OfImage>
  __device__ void load(ImageView<const Input> image, int x0, int y0, OfImage alignment) {
    const auto aligned = rows_are_aligned(image, alignment);
    const int x = x0 + first_column(), y = y0 + first_row();
    if constexpr (requires { alignment.channels; })
      if (alignment.channels > 1) return load_channel(image, x0, y, alignment.channels);
    if (aligned && x0 + W <= image.width && y0 + H <= image.height) {
      const Input* source = image.row(y) + x;
#pragma unroll
      for (int r = 0; r < rows; ++r, source += image.stride) at[r] = *reinterpret_cast<const Four<Input>*>(source);
    } else if constexpr (sizeof(Input) == 1) {
      load_bytes(image, x0, y, aligned);
    } else if (aligned) {
      load_at_edge(image, x0, y);
    } else {
      load_neighbours(image, x0, y);
    }
  }

  // Starts to bring the tile's pixels into the L2 cache, by all threads of the block.
  static __device__ void fetch_into_l2(ImageView<const Input> image, int x0, int y0) {
    constexpr int line = 128 / static_cast<int>(sizeof(Input)), lines_per_row = ceil_div(W, line);
    for (int i = static_cast<int>(threadIdx.x); i < H * lines_per_row; i += threads) {
      const int x = x0 + i % lines_per_row * line, y = y0 + i / lines_per_row;
      if (x >= image.width || y >= image.height) continue;
      const Input* const pixels = image.row(y) + x;
      gpu::fetch_into_l2(pixels);
      // These pixels lie in two lines, unless rows start at one. A sector that is missing in the end costs less than a fetch.
      const auto behind = reinterpret_cast<std::uintptr_t>(pixels) % 128;
      if (behind > 32 && x + line <= image.width) gpu::fetch_into_l2(pixels + line - 1);
    }
  }

  // load() in two steps, between which the thread does other work: stage() starts copies into shared memory; unstage()
  // waits until the copies of all but the latest `Behind` calls of stage() have arrived. `staging` holds W x H pixels; each
  // thread reads only what it copied itself, so that no barrier is needed. A tile below the image copies nothing.
  template <class OfImage>
  static __device__ void stage(Four<Input>* staging, ImageView<const Input> image, int x0, int y0, OfImage alignment) {
    Four<Input>* target = staging + threadIdx.x;
    if (rows_are_aligned(image, alignment) && x0 + W <= image.width && y0 + H <= image.height) {
      const Input* source = image.row(y0 + first_row()) + x0 + first_column();
#pragma unroll
      for (int r = 0; r < rows; ++r, target += threads, source += image.stride)
        copy_async(target, reinterpret_cast<const Four<Input>*>(source));
    } else if (y0 < image.height) {
      Tile tile;
      tile.load(image, x0, y0, alignment);
#pragma unroll
      for (int r = 0; r < rows; ++r, target += threads) *target = tile.at[r];
    }
    commit_async_copies();
  }
  template <int Behind>
  __device__ void unstage(const Four<Input>* staging) {
    wait_for_async_copies<Behind>();
#pragma unroll
    for (int r = 0; r < rows; ++r) at[r] = staging[r * threads + static_cast<int>(threadIdx.x)];
  }

  // Keeps bytes packed between two uses of the tile: otherwise the compiler would keep the widened values, in four registers
  // instead of one. Of pixels of 16 bits likewise: in four instead of two.
  __device__ void keep_packed() {
    if constexpr (sizeof(Input) <= 2)
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (std::size_t word = 0; word < sizeof(Input); ++word)
          asm volatile("" : "+r"(reinterpret_cast<std::uint32_t*>(&at[r])[word]));
  }

  // The sums of this thread's columns over its band's rows.
  __device__ Four<Sum> band_column_sums() const {
    Four<Sum> sums{};
#pragma unroll
    for (int r = 0; r < rows; ++r) add_row(sums, r);
    return sums;
  }

  // The row of the band whose sum row_sum() returns in this lane.
  static constexpr int lanes_per_row = lanes / rows;
  static __device__ int summed_row() { return lane() / lanes_per_row; }

  // LRS of row summed_row() of the band.
  __device__ Sum row_sum() const {
    Sum sums[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) sums[r] = sum_of_row(r);
    return segment_sums<lanes>(sums);
  }

  // Writes GSAT of the tile to (x0, y0). `above`: the sums of this thread's columns from the image's top edge down to its
  // band. `left[i]`: the table's entry left of the tile in its row i, GS(I-1,J-1) included. Calls each_row(r, four) with this
  // thread's four entries of its band's row r.
  template <class IsAligned, class EachRow>
  __device__ void store_table(ImageView<Sum> sat, int x0, int y0, IsAligned aligned, Four<Sum> above, const Sum* left,
                              EachRow each_row) {
    store_rows(
        sat, x0, y0, aligned, above, left, [](Four<Sum>&) {}, each_row);
  }
  template <class IsAligned>
  __device__ void store_table(ImageView<Sum> sat, int x0, int y0, IsAligned aligned, Four<Sum> above, const Sum* left) {
    store_table(sat, x0, y0, aligned, above, left, [](int, const Four<Sum>&) {});
  }
  // The same if `above` and `left` begin at a row inside the image: `top` are the table's entries in this thread's columns of
  // the row above that.
  template <class IsAligned>
  __device__ void store_table_below(ImageView<Sum> sat, int x0, int y0, IsAligned aligned, Four<Sum> above, const Sum* left,
                                    const Four<Sum>& top) {
    store_rows(
        sat, x0, y0, aligned, above, left,
        [&](Four<Sum>& row) {
#pragma unroll
          for (int c = 0; c < columns; ++c) row.at[c] += top.at[c];
        },
        [](int, const Four<Sum>&) {});
  }

  // Prefix sums along one row of the tile, four columns per lane, plus `carry`. By all lanes of a warp.
  static __device__ void scan_row(Four<Sum>& row, Sum carry) {
#pragma unroll
    for (int c = 1; c < columns; ++c) row.at[c] += row.at[c - 1];
    Sum before = __shfl_up_sync(whole_warp, inclusive_scan<lanes>(row.at[columns - 1]), 1, lanes);
    before = lane() == 0 ? carry : before + carry;
#pragma unroll
    for (int c = 0; c < columns; ++c) row.at[c] += before;
  }

  // Writes the prefix sums of the tile's rows; those of row i start from left[i].
  template <class IsAligned>
  __device__ void store_row_sums(ImageView<Sum> sums, int x0, int y0, IsAligned aligned, const Sum* left) {
    const int x = x0 + first_column(), y = y0 + first_row();
    const bool inside = aligned && x0 + W <= sums.width && y0 + H <= sums.height;
    Sum* target = sums.row(y) + x;
#pragma unroll
    for (int r = 0; r < rows; ++r, target += sums.stride) {
      Four<Sum> row;
#pragma unroll
      for (int c = 0; c < columns; ++c) row.at[c] = term<Sum>(at[r].at[c]);
      scan_row(row, left[first_row() + r]);
      store_row(sums, x, y + r, inside, aligned, target, row);
    }
  }
  // Writes the prefix sums of the tile's columns; they start from `above`, this thread's columns summed down to its band.
  template <class IsAligned>
  __device__ void store_column_sums(ImageView<Sum> sums, int x0, int y0, IsAligned aligned, Four<Sum> above) {
    const int x = x0 + first_column(), y = y0 + first_row();
    const bool inside = aligned && x0 + W <= sums.width && y0 + H <= sums.height;
    Sum* target = sums.row(y) + x;
#pragma unroll
    for (int r = 0; r < rows; ++r, target += sums.stride) {
      add_row(above, r);
      store_row(sums, x, y + r, inside, aligned, target, above);
    }
  }

 private:
  // load() at a lower or right edge of an aligned image.
  __device__ void load_at_edge(ImageView<const Input> image, int x0, int y) {
    const int x = x0 + first_column();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const bool whole = x + columns <= image.width && y + r < image.height;
      at[r] = whole ? *reinterpret_cast<const Four<Input>*>(image.row(y + r) + x) : Four<Input>{};
    }
    // The lane that has the row's last pixels, if they are fewer than four.
    if (x + columns <= image.width) return;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < columns - 1; ++c)
        if (x + c < image.width && y + r < image.height) at[r].at[c] = image(x + c, y + r);
  }
  // load() of bytes at an edge of an aligned image, or in rows that begin anywhere: by words. They may contain bytes outside the row:
  // those of the last lane inside the image, and in rows that begin anywhere also of the first one and of the last one but one. If
  // there are no gaps between rows, these bytes are of the rows before and behind; otherwise they are not the view's, and such lanes
  // load byte by byte.
  template <class IsAligned>
  __device__ void load_bytes(ImageView<const Input> image, int x0, int y, IsAligned aligned) {
    // The same for all lanes of a warp: in the rows before and behind its own there must be 4 and 8 bytes, even if they are narrow.
    constexpr int bands = warp_lanes / lanes;
    const int first_of_warp = y - group() % bands * rows;
    const bool gapless = image.stride == image.width, has_before = gapless && first_of_warp >= columns;
    const bool has_behind = gapless && first_of_warp + bands * rows + 2 * columns <= image.height;
    const auto has_words = [&](int x) {
      return aligned ? x + columns <= image.width
                     : (x >= columns || has_before) && (x + 2 * columns <= image.width || has_behind);
    };
    const int x = x0 + first_column(), inside = image.width - x;
    const bool by_words = inside > 0 && has_words(x);
    const auto mask = inside >= columns ? ~0u : by_words ? (1u << 8 * inside) - 1 : 0u;
    const auto* const first = reinterpret_cast<const std::uint8_t*>(image.row(y) + x);
    BytesInWords words[rows];
    // All loads start before one is waited for.
#pragma unroll
    for (int r = 0; r < rows; ++r)
      words[r] = by_words && y + r < image.height ? BytesInWords::at(first + r * image.stride, aligned) : BytesInWords{};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const auto word = words[r].bytes_at(first + r * image.stride) & mask;
      memcpy(&at[r], &word, sizeof word);
    }
    if (__ballot_sync(whole_warp, inside > 0 && !by_words) == 0) return;
    const int last = min((image.width - 1 - x0) / columns, lanes - 1);
#pragma unroll 1
    for (int i = 0; i < min(last + 1, 3); ++i) {
      const int edge = i < 2 ? last - i : 0;
      if (!has_words(x0 + edge * columns)) load_edge(image, x0, y, edge);
    }
  }
  // The bytes of lane `edge`. Each lane loads one byte of some rows: if that lane loaded its own alone, one after another, the others
  // would wait for it. By all lanes of a warp.
  __device__ void load_edge(ImageView<const Input> image, int x0, int y, int edge) {
    constexpr int rows_at_once = lanes / columns;
    const int byte = lane() % columns, x = x0 + edge * columns + byte;
#pragma unroll
    for (int first = 0; first < rows; first += rows_at_once) {
      const int row = first + lane() / columns;
      const bool some = row < rows && y + row < image.height && x < image.width;
      std::uint32_t word = some ? static_cast<std::uint32_t>(value_of(image(x, y + row))) << 8 * byte : 0u;
      word |= __shfl_xor_sync(whole_warp, word, 1);
      word |= __shfl_xor_sync(whole_warp, word, 2);
#pragma unroll
      for (int r = 0; r < rows_at_once && first + r < rows; ++r) {
        const std::uint32_t of_row = __shfl_sync(whole_warp, word, r * columns, lanes);
        if (lane() == edge) memcpy(&at[first + r], &of_row, sizeof of_row);
      }
    }
  }
  // load() of words in rows that begin anywhere.
  __device__ void load_neighbours(ImageView<const Input> image, int x0, int y) {
    const int x = x0 + neighbours_place<lanes>(lane());
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int k = 0; k < columns; ++k)
        at[r].at[k] = x + k * lanes < image.width && y + r < image.height ? image(x + k * lanes, y + r) : Input{};
#pragma unroll
    for (int r = 0; r < rows; ++r) exchange_fours<lanes>(at[r], lane());
  }

  // load() of one of several interleaved channels. Lanes load neighbouring words and exchange them; of bytes each loads its own four,
  // which lie in the same sectors.
  __device__ void load_channel(ImageView<const Input> image, int x0, int y, int channels) {
    constexpr bool exchanges = sizeof(Input) >= 4;
    const int x = x0 + (exchanges ? neighbours_place<lanes>(lane()) : first_column()), step = exchanges ? lanes : 1;
    const Input* row = image.row(y) + static_cast<std::ptrdiff_t>(x) * channels;
#pragma unroll
    for (int r = 0; r < rows; ++r, row += image.stride)
#pragma unroll
      for (int k = 0; k < columns; ++k)
        at[r].at[k] = x + k * step < image.width && y + r < image.height ? row[k * step * channels] : Input(0);
    if constexpr (exchanges)
#pragma unroll
      for (int r = 0; r < rows; ++r) exchange_fours<lanes>(at[r], lane());
  }

  // finish_row(four): called with the entries of each row before they are stored.
  template <class IsAligned, class FinishRow, class EachRow>
  __device__ void store_rows(ImageView<Sum> sat, int x0, int y0, IsAligned aligned, Four<Sum> above, const Sum* left,
                             FinishRow finish_row, EachRow each_row) {
    keep_packed();
    const int x = x0 + first_column(), y = y0 + first_row();
    const bool inside = aligned && x0 + W <= sat.width && y0 + H <= sat.height;
    Sum* target = sat.row(y) + x;
#pragma unroll
    for (int r = 0; r < rows; ++r, target += sat.stride) {
      add_row(above, r);
      Four<Sum> row = above;
      scan_row(row, left[first_row() + r]);
      finish_row(row);
      store_row(sat, x, y + r, inside, aligned, target, row);
      each_row(r, row);
    }
  }

  // Writes to (x, y) and the three entries to the right; `target` is the address of the first. `inside`: the tile lies in the
  // table, which is aligned. By all lanes of a warp.
  template <class IsAligned>
  static __device__ void store_row(ImageView<Sum> sums, int x, int y, bool inside, IsAligned aligned, Sum* target,
                                   Four<Sum> four) {
    if (inside)
      *reinterpret_cast<Four<Sum>*>(target) = four;
    else
      store_four<lanes>(target, x, y < sums.height ? sums.width : 0, aligned, four);
  }

  static constexpr bool bytes_to_words = DotProducts && std::is_same_v<Input, std::uint8_t> &&
                                         std::is_same_v<Sum, std::uint32_t>;

  __device__ void add_row(Four<Sum>& sums, int r) const {
#pragma unroll
    for (int c = 0; c < columns; ++c)
      if constexpr (bytes_to_words)
        sums.at[c] = __dp4a(packed(at[r]), 1u << 8 * c, sums.at[c]);
      else
        sums.at[c] += term<Sum>(at[r].at[c]);
  }

  // This thread's part of a row.
  __device__ Sum sum_of_row(int r) const {
    if constexpr (bytes_to_words)
      return __dp4a(packed(at[r]), 0x01010101u, 0u);
    else
      return (term<Sum>(at[r].at[0]) + term<Sum>(at[r].at[1])) + (term<Sum>(at[r].at[2]) + term<Sum>(at[r].at[3]));
  }
};

// What the threads of a tile exchange through shared memory: the column sums of its bands, and below prefix sums along its
// sides.

// The column sums of a tile's bands, in shared memory. Its threads are divided as in Tile: W / 4 of them have four columns
// each of a band.
template <class Sum, int W, int Groups = usual_groups<Sum>>
struct Bands {
  alignas(16) Sum at[Groups][W];

  __device__ void put(const Four<Sum>& four) { own(band()) = four; }
  // Column j over all bands: LCS[j].
  __device__ Sum column(int j) const {
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < Groups; ++g) sum += at[g][j];
    return sum;
  }
  // The same; also replaces each band's sum of column j by the sum of all bands above it. For tiles of many bands, where
  // add_above() would read too much.
  __device__ Sum scan_column(int j) {
    Sum part[Groups];
#pragma unroll
    for (int g = 0; g < Groups; ++g) part[g] = at[g][j];
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      at[g][j] = sum;
      sum = static_cast<Sum>(sum + part[g]);
    }
    return sum;
  }
  // After scan_column() of all columns and a barrier: the same as add_above() without scan_column(). Total: Sum or larger.
  template <class Total>
  __device__ void add_scanned(Four<Total>& sum) const {
    const auto above = own(band());
#pragma unroll
    for (int c = 0; c < 4; ++c) sum.at[c] += static_cast<Total>(above.at[c]);
  }
  // Adds the sums of this thread's columns over the bands above its own.
  __device__ void add_above(Four<Sum>& sum) const {
#pragma unroll
    for (int g = 0; g < Groups - 1; ++g) {
      if (g >= band()) break;
      const auto four = own(g);
#pragma unroll
      for (int c = 0; c < 4; ++c) sum.at[c] += four.at[c];
    }
  }

 private:
  // This thread's band, and its columns of a band.
  static __device__ int band() { return static_cast<int>(threadIdx.x) / (W / 4); }
  static __device__ int first_column() { return static_cast<int>(threadIdx.x) % (W / 4) * 4; }
  __device__ Four<Sum>& own(int band) { return *reinterpret_cast<Four<Sum>*>(&at[band][first_column()]); }
  __device__ const Four<Sum>& own(int band) const { return *reinterpret_cast<const Four<Sum>*>(&at[band][first_column()]); }
};

// Prefix sums of W values in shared memory, one value per thread. After a barrier the i-th is at[i] + before(i).
template <class Sum, int W>
struct Prefix {
  Sum at[W];
  BlockScan<Sum, W / warp_lanes> warps;

  // Thread `index` of W puts its value; whole warps take part.
  __device__ void put(int index, Sum value) { at[index] = warps.put(index / warp_lanes, value); }
  __device__ Sum before(int index) const { return warps.before(index / warp_lanes); }
  __device__ Sum all() const { return warps.all(); }
};

}  // namespace gpu::sat
