// cub: the library's one-dimensional scan along rows, transpose, scan, transpose.
//
// Peer: CUB (part of NVIDIA's CCCL), cub::DeviceScan::InclusiveSumByKey, a single pass with decoupled look-back.
// Idea: the simple solution for a program that has a scan but no summed area table: all pixels are one long line, and the
// number of the row is the key; the sum starts anew at every new key.
//
//      row 0           row 1           row 2
//      0 0 0 0 0 0     1 1 1 1 1 1     2 2 2 2 2 2        keys, computed from the index
//      sums ------>    sums ------>    sums ------>
//
// Kernels: CUB's two per scan, and 2 transposes. Traffic: 4 reads and 4 writes per pixel; scratch memory of two tables.
// Lines are shorter than 2^31 pixels, so that all indices have 32 bits: a larger image is scanned in bands of whole rows. A
// key is the index divided by the width, computed by a multiplication (divisor.h): a division per pixel would take longer
// than its memory accesses.
#ifdef __CUDACC__
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#endif

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "gpu/sat.h"
#include "gpu/sat/block/divisor.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

// The row number, and the term of the pixel, at index i of the line of all rows.
struct RowOf {
  Divisor width;
  __host__ __device__ unsigned operator()(unsigned i) const { return width.quotient(i); }
};
template <class Input, class Sum>
struct TermOf {
  ImageView<const Input> image;
  RowOf row_of;
  __host__ __device__ Sum operator()(unsigned i) const {
    return term<Sum>(image.data[i + static_cast<std::ptrdiff_t>(row_of(i)) * (image.stride - image.width)]);
  }
};

// CUB states how much it needs only if there is a GPU; a dry replay must know it without one. CUB's tiles have 512 entries
// or more, and it stores at most 32 bytes per tile.
std::size_t temporary_bytes(int count) { return (std::size_t{64} << 10) + static_cast<std::size_t>(count) / 512 * 32; }

#ifdef __CUDACC__
template <class Input, class Sum>
auto terms(ImageView<const Input> image, RowOf row_of) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(0u), TermOf<Input, Sum>{image, row_of});
}

// The prefix sums of the rows among `count` values, into `sums`, which may be the memory that `values` reads.
template <class Values, class Sum>
void scan_line(Context& context, Values values, Sum* sums, int count, RowOf row_of) {
  const Context::ScratchScope scope(context);
  const auto keys = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), row_of);
  std::size_t have = temporary_bytes(count);
  auto* temporary = context.scratch<std::byte>(have);
  context.call("cub::DeviceScan", [&](cudaStream_t stream) {
    std::size_t needed = 0;
    check(cub::DeviceScan::InclusiveSumByKey(nullptr, needed, keys, values, sums, count, ::cuda::std::equal_to<>{}, stream));
    if (needed > have) throw std::length_error("CUB needs " + std::to_string(needed) + " bytes of scratch memory");
    return cub::DeviceScan::InclusiveSumByKey(temporary, have, keys, values, sums, count, ::cuda::std::equal_to<>{}, stream);
  });
}

#else
// CUB comes with nvcc. Without it nothing can run, but a dry replay counts the same.
template <class Input, class Sum>
TermOf<Input, Sum> terms(ImageView<const Input> image, RowOf row_of) {
  return {image, row_of};
}

template <class Values, class Sum>
void scan_line(Context& context, Values, Sum*, int count, RowOf) {
  const Context::ScratchScope scope(context);
  context.scratch<std::byte>(temporary_bytes(count));
  context.call("cub::DeviceScan", [](cudaStream_t) { return cudaErrorNoDevice; });
}
#endif

// Calls f(first row, rows) for bands of rows of fewer than 2^31 pixels.
template <class F>
void for_bands(Size size, F f) {
  const int most = std::numeric_limits<int>::max() / size.width;
  for (int y = 0; y < size.height; y += std::min(most, size.height - y)) f(y, std::min(most, size.height - y));
}

// A table without padding, as CUB needs it.
template <class Sum>
ImageView<Sum> dense_image(Context& context, Size size) {
  return {context.scratch<Sum>(size.pixels()), size.width, size.height, size.width};
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    const auto rows = dense_image<Sum>(context, input.size());
    const auto columns = dense_image<Sum>(context, {input.height, input.width});
    for_bands(rows.size(), [&](int y, int count) {
      const RowOf row_of{Divisor::of(static_cast<unsigned>(input.width))};
      const ImageView<const Input> band{input.row(y), input.width, count, input.stride};
      scan_line(context, terms<Input, Sum>(band, row_of), rows.row(y), input.width * count, row_of);
    });
    launch_transpose<32, BlockOrder::plain>(context, rows, columns, 8);
    for_bands(columns.size(), [&](int y, int count) {
      scan_line(context, columns.row(y), columns.row(y), columns.width * count,
                RowOf{Divisor::of(static_cast<unsigned>(columns.width))});
    });
    launch_transpose<32, BlockOrder::plain>(context, columns, output, 8);
  });
}

}  // namespace

extern constinit const SatAlgorithm sat_cub{
    .name = "cub",
    .year = 2016,
    .paper = "NVIDIA CUB, cub::DeviceScan::InclusiveSumByKey",
    .idea = "The library's scan over all pixels as one line, with the row as key; transpose; again; transpose.",
    .device = Device::cuda,
    .reads = "4",
    .writes = "4",
    .parameters = {},
    .types = all_sat_types,
    .types_note = {},
    .repeatable = false,
    .not_simulated = "its scan is a kernel of NVIDIA's CUB library, which is not part of this source",
    .run = run,
};

}  // namespace gpu::sat
