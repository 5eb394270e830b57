// cub_segmented: the library's scan of many segments, the rows, in one call; transpose, scan, transpose.
//
// Peer: CUB (part of NVIDIA's CCCL), cub::DeviceSegmentedScan.
// Idea: what CUB has that is nearest to a summed area table: independent prefix sums of many segments. How the library divides them
// among blocks is its own affair.
//
//      rows -> [ DeviceSegmentedScan ] -> transpose -> [ DeviceSegmentedScan ] -> transpose
//
// Kernels: 4: the library's, transpose, the library's, transpose. Traffic: 4 reads and 4 writes per pixel if a call reads and writes
// every pixel once; a transposed table in scratch memory. Synchronisation: the library's.
//
// The library has it since CCCL 3.3, which comes with CUDA 13.3. Built with an older toolkit it cannot run, and says so.
#if defined(__CUDACC__) && __has_include(<cub/device/device_segmented_scan.cuh>)
#define SATSCOPE_CUB_SEGMENTED
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_scan.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

#ifdef SATSCOPE_CUB_SEGMENTED
template <class Input, class Sum>
struct TermOf {
  __host__ __device__ Sum operator()(Input pixel) const { return term<Sum>(pixel); }
};
// Where a row begins, or ends: `first` elements behind the begin.
struct PlaceInRow {
  std::int64_t stride, first;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * stride + first; }
};

template <class Input, class Sum>
cudaError_t scan_segments(ImageView<const Input> image, ImageView<Sum> sums, cudaStream_t stream) {
  const auto of_rows = [](std::ptrdiff_t stride, int first) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), PlaceInRow{stride, first});
  };
  const auto pixels = thrust::make_transform_iterator(image.data, TermOf<Input, Sum>());
  const auto scan = [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(temporary, bytes, pixels, sums.data, of_rows(image.stride, 0),
                                                           of_rows(image.stride, image.width), of_rows(sums.stride, 0),
                                                           image.height, stream);
  };
  // It has nothing to keep there, and asks for one byte, which nobody accesses.
  std::size_t bytes = 0;
  const auto code = scan(nullptr, bytes);
  if (code != cudaSuccess) return code;
  return bytes > 1 ? cudaErrorNotSupported : scan(sums.data, bytes);
}
#else
// Nothing can run, but a dry replay counts the same.
template <class Input, class Sum>
cudaError_t scan_segments(ImageView<const Input>, ImageView<Sum>, cudaStream_t) {
  return cudaErrorUnknown;
}
#endif

std::string why_no_segmented_scan() {
#ifdef SATSCOPE_CUB_SEGMENTED
  return {};
#else
  return "it was built without cub::DeviceSegmentedScan, which the CUDA Toolkit has from 13.3 on";
#endif
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::plain>(context, input, output, 8, [&](auto from, auto to) {
      context.call("DeviceSegmentedScan", [&](cudaStream_t stream) { return scan_segments(from, to, stream); });
    });
  });
}

}  // namespace

extern constinit const SatAlgorithm sat_cub_segmented{
    .name = "cub_segmented",
    .year = 2026,
    .paper = "NVIDIA CUB, cub::DeviceSegmentedScan",
    .idea = "The library's scan of many segments at once, the rows; transpose; again; transpose.",
    .reads = "4",
    .writes = "4",
    .traffic = traffic_of_scans_and_transposes,
    .repeatable = false,  // CUB does not promise it
    .not_simulated = "its scan is NVIDIA's CUB library's, which is not part of this source",
    .unavailable = why_no_segmented_scan,
    .run = run,
};

}  // namespace gpu::sat
