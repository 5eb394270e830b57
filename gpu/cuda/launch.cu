#include "gpu/cuda/launch.h"

#include <algorithm>

namespace gpu {
namespace {

#if defined(CUDART_VERSION) || defined(SATSCOPE_SIMULATED)  // not in a build without CUDA
// Code that was compiled for GPUs before sm_90 does not wait.
bool can_be_dependent(const void* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion >= 90;
}

void queue_dependent(cudaStream_t stream, const void* kernel, const Grid& shape, void** arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t configuration{shape.grid, shape.block, shape.shared_bytes, stream, &attribute, 1};
  check(cudaLaunchKernelExC(&configuration, kernel, arguments));
}
#endif

constexpr int threads = 256;
constexpr std::size_t most_blocks = 1024;  // several per multiprocessor; for more memory each block clears more

__global__ void __launch_bounds__(threads) clear_pieces(uint4* data, std::size_t count) {
  const std::size_t step = gridDim.x * std::size_t{threads};
  for (std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x; i < count; i += step) data[i] = uint4{};
}

}  // namespace

void queue_kernel(cudaStream_t stream, const void* kernel, const Grid& shape, void** arguments) {
  if (shape.start == Start::cooperative)
    return check(cudaLaunchCooperativeKernel(kernel, shape.grid, shape.block, arguments, shape.shared_bytes, stream));
#if defined(CUDART_VERSION) || defined(SATSCOPE_SIMULATED)
  if (shape.start == Start::dependent && can_be_dependent(kernel)) return queue_dependent(stream, kernel, shape, arguments);
#endif
  check(cudaLaunchKernel(kernel, shape.grid, shape.block, arguments, shape.shared_bytes, stream));
}

int room_for_blocks([[maybe_unused]] const void* kernel, [[maybe_unused]] int threads,
                    [[maybe_unused]] std::size_t shared_bytes) {
#ifdef SATSCOPE_SIMULATED
  return simulated::room_for_blocks();
#else
  int device = 0, multiprocessors = 0, blocks = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks * multiprocessors;
#endif
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

void clear_on_device(void* data, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  const auto blocks = std::min((count + threads - 1) / threads, most_blocks);
  launch_kernel(stream, clear_pieces, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, static_cast<uint4*>(data),
                count);
}

const void* clear_kernel() { return kernel_address(clear_pieces); }

}  // namespace gpu
