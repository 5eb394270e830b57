// The tables of a frame: which ones an effect may ask for, and how each is computed by the algorithm that was chosen.
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
  bool squares = false;   // of the gray frame's squared pixels
  bool tilted = false;    // of the gray frame, turned by 45 degrees: see compute_tilted()
  bool channels = false;  // of blue, green and red
  friend constexpr bool operator==(Tables, Tables) = default;
};

// All have the frame's size; those that nobody asked for have none.
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

// Queues or does all that `wanted` asks for, into memory of the context's device. Squares and channels are computed by
// `algorithm` where it carries the type (table_algorithm() says which one else); rows of the timeline are "squares",
// "tilted" and "channels". Neither allocates nor waits.
void compute_tables(Context& context, const SatAlgorithm& algorithm, const Arguments& arguments, Tables wanted,
                    ImageView<const Bgr> colour, ImageView<const std::uint8_t> gray, const TableTargets& tables);

// `chosen` where it carries `type` for images of this height, else the one that takes its place on that device.
const SatAlgorithm& table_algorithm(const SatAlgorithm& chosen, SatType type, int height, Device device);
// Where another algorithm than the chosen one computes some of what is wanted: which, and why. One line; else empty.
std::string table_note(const SatAlgorithm& chosen, Tables wanted, int height, Device device);

// tilted(x, y) = sum of image(i, j) for j <= y, |i - x| <= y - j: the triangle that opens upwards from (x, y)
//
// Modulo 2^32. OpenCV's integral() has it as its third output, with an empty row above, and a column at the left, for which
// tilted(-1, y) = tilted(0, y - 1) holds, as tilted(width, y) = tilted(width - 1, y - 1) at the right. (R. Lienhart and
// J. Maydt, An extended set of Haar-like features for rapid object detection, ICIP 2002.)
void compute_tilted(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> tilted);

// The sums of a colour image's luma.
void compute_sat(Context& context, const SatAlgorithm& algorithm, ImageView<const Bgr> image, ImageView<std::uint32_t> sat,
                 const Arguments& arguments);

// Gray by OpenCV's BGR2GRAY for 8-bit images: (3735 b + 19235 g + 9798 r + 16384) >> 15. Timed as "luma".
void luma(Context& context, ImageView<const Bgr> colour, ImageView<std::uint8_t> gray);
// The channels of a colour image as images of their own: b, g, r.
void split_channels(Context& context, ImageView<const Bgr> colour, const ImageView<std::uint8_t> (&channels)[3]);

// The kernels of this build; the functions above take those of the context's driver on the simulated GPU.
namespace detail {
void luma_of_this_build(Context& context, ImageView<const Bgr> colour, ImageView<std::uint8_t> gray);
void split_of_this_build(Context& context, ImageView<const Bgr> colour, const ImageView<std::uint8_t> (&channels)[3]);
void tilted_of_this_build(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> tilted);
}  // namespace detail

}  // namespace gpu
