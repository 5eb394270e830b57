// The tables of a frame: which ones an effect can ask for, and how the chosen algorithm computes them. The functions that take
// images throw std::invalid_argument for those that check_views() refuses.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace gpu {

// What an effect asks for besides the sums of the gray frame, which every frame has.
struct Tables {
  bool squares = false;   // the sums of the gray frame's squared pixels
  bool tilted = false;    // the sums of the gray frame, rotated by 45 degrees: see compute_tilted()
  bool channels = false;  // the sums of blue, of green and of red
  friend constexpr bool operator==(Tables, Tables) = default;
};

// All have the frame's size; tables that were not asked for are empty views. Where those of channels are equally far apart,
// with equal strides, one batch may compute them.
template <class U32, class U64>
struct TablesOf {
  ImageView<U32> sum, tilted, channels[3];  // channels: b, g, r
  ImageView<U64> squares;
};
using TableViews = TablesOf<const std::uint32_t, const std::uint64_t>;
using TableTargets = TablesOf<std::uint32_t, std::uint64_t>;

constexpr TableViews views(const TableTargets& tables) {
  return {tables.sum, tables.tilted, {tables.channels[0], tables.channels[1], tables.channels[2]}, tables.squares};
}

// Queues or does the computation of all tables that `wanted` names, into memory of the context's device. Squares and channels
// are computed by table_algorithm(): `algorithm` itself if it supports the type. An algorithm that takes batches computes the
// channels as one, unless each table occupies a GPU by itself (fastest_batch()). The timeline's spans are "squares", "tilted"
// and "channels". Neither allocates nor waits.
void compute_tables(Context& context, const SatAlgorithm& algorithm, const Arguments& arguments, Tables wanted,
                    const BgrView& colour, ImageView<const std::uint8_t> gray, const TableTargets& tables);

// If another algorithm than the chosen one computes one of the wanted tables: which, and why, in one line; otherwise empty.
std::string table_note(const SatAlgorithm& chosen, Tables wanted, int height, Device device);

// tilted(x, y) = sum of image(i, j) for j <= y, |i - x| <= y - j: the triangle that opens upwards from (x, y)
//
// Modulo 2^32. The third output of OpenCV's integral() is the same table with a row of zeros above and one more column at
// the left. Outside the image tilted(-1, y) = tilted(0, y - 1) and tilted(width, y) = tilted(width - 1, y - 1). (R. Lienhart
// and J. Maydt, An extended set of Haar-like features for rapid object detection, ICIP 2002.)
void compute_tilted(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> tilted);

// The table of a colour image's luma.
void compute_sat(Context& context, const SatAlgorithm& algorithm, const BgrView& image, ImageView<std::uint32_t> sat,
                 const Arguments& arguments);

// Gray by OpenCV's BGR2GRAY for 8-bit images: (3735 b + 19235 g + 9798 r + 16384) >> 15. Timed as "luma".
void luma(Context& context, const BgrView& colour, ImageView<std::uint8_t> gray);
constexpr Traffic luma_traffic(Size size) { return {sizeof(Bgr) * size.pixels(), size.pixels(), 1}; }
// The channels of a colour image as images of their own: b, g, r.
void split_channels(Context& context, const BgrView& colour, const ImageView<std::uint8_t> (&channels)[3]);

// The first row and the first column of every table of a batch become zeros, timed as "borders". Tables of 4- and 8-byte sums.
void clear_borders(Context& context, const AnyImageView& first_table, const ImageBatch& batch = {});

}  // namespace gpu
