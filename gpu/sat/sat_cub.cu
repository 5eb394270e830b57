// cub: the library's one-dimensional scan along rows, transpose, again, transpose.
//
// Peer: CUB (part of NVIDIA's CCCL), cub::DeviceScan::InclusiveSumByKey, a single pass with decoupled look-back.
// Idea: what one writes who has a scan at hand and no summed area table: all pixels as one long line, in which the number of
// the row is the key at which the sum starts anew.
//
//      row 0           row 1           row 2
//      0 0 0 0 0 0     1 1 1 1 1 1     2 2 2 2 2 2        keys, computed from the index
//      sums ------>    sums ------>    sums ------>
//
// Kernels: CUB's two for each scan, and 2 transposes. Traffic: 4 reads, 4 writes a pixel; scratch memory of two tables.
#include <cub/device/device_scan.cuh>
#include <stdexcept>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "gpu/sat.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

using Index = long long;

// Places 0 .. width * height - 1 of a line of rows. 32-bit division where it suffices: it is several times faster.
struct RowOf {
  Index width;
  __host__ __device__ Index operator()(Index i) const {
    if (i < (Index{1} << 31) && width < (Index{1} << 31))
      return static_cast<unsigned>(i) / static_cast<unsigned>(width);
    return i / width;
  }
};
template <class Input, class Sum>
struct TermOf {
  ImageView<const Input> image;
  __host__ __device__ Sum operator()(Index i) const {
    const Index y = RowOf{image.width}(i);
    return term<Sum>(image.data[y * image.stride + (i - y * image.width)]);
  }
};

// CUB says how much it needs only where there is a GPU; a dry replay must know without one. Its tiles hold 512 entries or
// more, and it keeps at most 32 bytes for each.
std::size_t temporary_bytes(Index count) { return (std::size_t{64} << 10) + static_cast<std::size_t>(count) / 512 * 32; }

// The prefix sums of rows of `width` among `count` values, into `sums`, which may be what `values` reads.
template <class Values, class Sum>
void scan_rows(Context& context, Values values, Sum* sums, Index count, Index width) {
  const Context::ScratchScope scope(context);
  const auto keys = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}), RowOf{width});
  std::size_t have = temporary_bytes(count);
  auto* temporary = context.scratch<std::byte>(have);
  context.call("cub::DeviceScan", [&](cudaStream_t stream) {
    std::size_t needed = 0;
    check(cub::DeviceScan::InclusiveSumByKey(nullptr, needed, keys, values, sums, count, ::cuda::std::equal_to<>{}, stream));
    if (needed > have) throw std::length_error("CUB needs " + std::to_string(needed) + " bytes of scratch memory");
    return cub::DeviceScan::InclusiveSumByKey(temporary, have, keys, values, sums, count, ::cuda::std::equal_to<>{}, stream);
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    const Index count = static_cast<Index>(input.width) * input.height;
    const auto values = thrust::make_transform_iterator(thrust::make_counting_iterator(Index{0}), TermOf<Input, Sum>{input});
    const ImageView<Sum> rows{context.scratch<Sum>(static_cast<std::size_t>(count)), input.width, input.height, input.width};
    const ImageView<Sum> columns{context.scratch<Sum>(static_cast<std::size_t>(count)), input.height, input.width,
                                 input.height};
    scan_rows(context, values, rows.data, count, input.width);
    launch_transpose<32, BlockOrder::plain>(context, rows, columns, 8);
    scan_rows(context, columns.data, columns.data, count, input.height);
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
    .not_simulated = "its scan is a kernel of NVIDIA's CUB library, which is not part of this source",
    .run = run,
};

}  // namespace gpu::sat
