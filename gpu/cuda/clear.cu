#include <algorithm>

#include "gpu/cuda/clear.h"
#include "gpu/cuda/launch.h"

namespace gpu {
namespace {

constexpr int threads = 256;
constexpr std::size_t most_blocks = 1024;  // several per multiprocessor; for more memory each block clears more

__global__ void __launch_bounds__(threads) clear_pieces(uint4* data, std::size_t count) {
  const std::size_t step = gridDim.x * std::size_t{threads};
  for (std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x; i < count; i += step) data[i] = uint4{};
}

}  // namespace

void clear_on_device(void* data, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  const auto blocks = std::min((count + threads - 1) / threads, most_blocks);
  launch_kernel(stream, clear_pieces, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, static_cast<uint4*>(data),
                count);
}

const void* clear_kernel() { return kernel_address(clear_pieces); }

}  // namespace gpu
