// Rows of a summed area table on the host, and of the pixels around it, in variants: a baseline that every processor of this build
// can run, and wider ones for processors with AVX2 or AVX-512. All variants compute the same integers bit for bit, and add
// floating-point numbers in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "gpu/image.h"

// Rows of colour pixels.
namespace gpu {

// The mean of a window: floor((2*sum + area) * multiplier / 2^shift), as effects::RoundedMean computes them.
struct MeanFactors {
  std::uint32_t area, multiplier;
  int shift;  // 32 or more
};

// A strip: the sums of a window's rows in every column. `Sum` is wide enough for them.
template <class Sum>
struct StripFunctions {
  // strip[i] += entering[i] - leaving[i]
  void (*move)(Sum* strip, const std::uint8_t* entering, const std::uint8_t* leaving, std::ptrdiff_t entries);
  // The windows of `columns` columns of a strip of three channels per pixel, the first one at its first column: that of pixel x
  // begins at column x. It reads width + columns - 1 of them.
  void (*means)(const Sum* strip, int columns, const MeanFactors& mean, std::uint8_t* out, int width);
};

inline const Bgr* row_of(const BgrView& colour, int y) {
  return reinterpret_cast<const Bgr*>(reinterpret_cast<const std::uint8_t*>(colour.data) + y * colour.pitch);
}

struct PixelRows {
  void (*luma)(const Bgr* pixels, std::uint8_t* gray, int width);
  void (*rgba)(const Bgr* pixels, Rgba* out, int width);
  StripFunctions<std::uint16_t> strip16;  // of up to 257 rows of bytes
  StripFunctions<std::uint32_t> strip32;
};

}  // namespace gpu

namespace gpu::sat {

template <class Input, class Sum>
struct RowFunctions {
  // Rows of the table, of one size with their pixels:
  //     table(x, r) = above[x] + the terms of pixels (0..x, 0..r)
  // `above` holds the table's row above the first, and after the call the last of these rows, so that the table itself is
  // never read. `left` is null if the pixels begin at the image's left edge. Otherwise left[r] is the sum of the terms in row
  // r before them, which is added too, and after the call the sum up to the last of them. `past_caches`: non-temporal stores,
  // for tables so large that they would not stay in the caches; every row of the table must then be 64-byte aligned. Other
  // threads may read the table once the call has returned.
  using TableRows = void (*)(ImageView<const Input> pixels, ImageView<Sum> table, Sum* above, Sum* left, bool past_caches);
  TableRows table_rows;
  // The same by groups of two or four rows, in which fewer additions depend on one another (sat_host_ehsan.cpp). Sums of
  // floating-point numbers may differ from those of table_rows in their rounding.
  TableRows two_rows, four_rows;
  // column[x] += the terms of `rows` rows of the image, from `pixels` on.
  void (*add_columns)(const Input* pixels, std::ptrdiff_t stride, int rows, Sum* column, int width);
  // The sum of the terms of one row.
  Sum (*row_sum)(const Input* pixels, int width);
};

struct RowScan {
  std::string_view name;  // of the instruction set: "baseline", "avx2", "avx512"
  std::tuple<RowFunctions<std::uint8_t, std::uint32_t>, RowFunctions<std::uint8_t, float>,
             RowFunctions<std::uint32_t, std::uint32_t>, RowFunctions<float, float>, RowFunctions<double, double>,
             RowFunctions<std::uint8_t, std::uint64_t>, RowFunctions<std::uint16_t, std::uint32_t>,
             RowFunctions<std::uint16_t, std::uint64_t>, RowFunctions<std::uint8_t, double>, RowFunctions<float, double>,
             RowFunctions<Plain<std::uint8_t>, std::uint64_t>, RowFunctions<Squared<std::uint16_t>, std::uint64_t>,
             RowFunctions<Squared<float>, double>>
      functions;
  PixelRows pixels;

  template <class Input, class Sum>
  const RowFunctions<Input, Sum>& of() const {
    return std::get<RowFunctions<Input, Sum>>(functions);
  }
};

// The variants that this processor can run, the fastest last; the first one runs everywhere.
std::span<const RowScan* const> row_scans_here();

// As many entries fill whole cache lines, whatever their type. Columns are divided among threads in such groups, so that no
// two threads share a cache line.
inline constexpr int column_group = 64;

// From this size in bytes on, a table is written past the caches, if its rows are aligned. An effect soon reads smaller tables
// from the caches.
inline constexpr std::size_t past_caches_from = std::size_t{64} << 20;
template <class Sum>
bool is_written_past_caches(ImageView<Sum> sat) {
  const auto row_bytes = static_cast<std::size_t>(sat.width) * sizeof(Sum);
  return row_bytes * static_cast<std::size_t>(sat.height) >= past_caches_from &&
         reinterpret_cast<std::uintptr_t>(sat.data) % 64 == 0 && sat.stride * std::ptrdiff_t{sizeof(Sum)} % 64 == 0;
}

// Part `part` of `parts` equal parts of 0..count.
struct Range {
  int begin, end;
  Range(int count, int part, int parts)
      : begin(static_cast<int>(static_cast<long long>(count) * part / parts)),
        end(static_cast<int>(static_cast<long long>(count) * (part + 1) / parts)) {}
};

// The part of an image that begins at (x, y).
template <class T>
ImageView<T> part_of(ImageView<T> image, int x, int y, Size size) {
  return {image.row(y) + x, size.width, size.height, image.stride};
}

}  // namespace gpu::sat
