// What a kernel records of its tiles on request: a last template parameter `Trace` of the kernel, and a last argument.
//
//   NoTrace    empty; the compiler removes its calls, so that the kernel is the one that has none
//   TileTrace  thread 0 of a block writes one record per tile (gpu/sat/block/tile_recorder.h)
//
// Kernels call, with all threads of the block, for each of their tiles (I, J):
//   trace.start(I, J)   when they begin with it
//   trace.carry(I, J)   after the barrier behind which all sums that enter the tile are there; not in passes without carries
//   trace.finish(I, J)  after the last store
//   trace.finish(I, J, depths)  instead, if its threads looked back: each says how far it did itself; once per kernel
// TracedPass chooses the type of the trace for the launches of one pass.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

struct NoTrace {
  __device__ void start(int, int) const {}
  __device__ void carry(int, int) const {}
  __device__ void finish(int, int) const {}
  __device__ void finish(int, int, const LookBackDepths&) const {}
};

// The greatest depths of each warp of a block.
struct DepthsOfWarps {
  LookBackDepths of[32];
};
__device__ inline void raise(LookBackDepths& depths, const LookBackDepths& other) {
  depths.left = std::max(depths.left, other.left);
  depths.up = std::max(depths.up, other.up);
  depths.diagonal = std::max(depths.diagonal, other.diagonal);
}

struct TileTrace {
  TileRecord* records;  // of one pass
  int columns;
  std::uint32_t launch;

  __device__ TileRecord& at(int I, int J) const { return records[static_cast<std::ptrdiff_t>(I) * columns + J]; }
  __device__ void start(int I, int J) const {
    if (threadIdx.x != 0) return;
    auto& record = at(I, J);
    record.started = record.carried = device_nanoseconds();
    record.multiprocessor = multiprocessor();
    record.launch = launch;
  }
  __device__ void carry(int I, int J) const {
    if (threadIdx.x == 0) at(I, J).carried = device_nanoseconds();
  }
  __device__ void finish(int I, int J) const {
    __syncthreads();  // the other threads' stores
    if (threadIdx.x == 0) at(I, J).finished = device_nanoseconds();
  }
  __device__ void finish(int I, int J, LookBackDepths depths) const {
    auto& warps = static_shared<DepthsOfWarps>();
    const int thread = static_cast<int>(threadIdx.x);
    for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
      raise(depths, {__shfl_xor_sync(whole_warp, depths.left, distance), __shfl_xor_sync(whole_warp, depths.up, distance),
                     __shfl_xor_sync(whole_warp, depths.diagonal, distance)});
    if (thread % warp_lanes == 0) warps.of[thread / warp_lanes] = depths;
    finish(I, J);  // its barrier stands between the stores to `warps` and the loads
    if (thread != 0) return;
#pragma unroll 1  // the kernel needs hardly more registers than without a trace, and as many of its blocks are resident
    for (int warp = 1; warp < static_cast<int>(blockDim.x) / warp_lanes; ++warp) raise(depths, warps.of[warp]);
    at(I, J).look_back = depths;
  }
};

// For launches that never record.
struct UntracedPass {
  template <class Start>
  void launch(Start&& start) const {
    start(NoTrace{});
  }
};

// Tracing doubles the number of kernels, so that only the type of the pictures has it.
template <class Input, class Sum>
inline constexpr bool traced = std::is_same_v<Input, std::uint8_t>&& std::is_same_v<Sum, std::uint32_t>;

// On the host: one pass of an algorithm from `Input` to `Sum` over its tiles.
template <class Input, class Sum>
class TracedPass {
 public:
  TracedPass() = default;  // records nothing
  // Without a recorder of the context it records nothing either.
  TracedPass(Context& context, std::string_view name, int W, int rows, int columns)
      : TracedPass(context, name, Size{W, W}, rows, columns) {}
  TracedPass(Context& context, std::string_view name, Size tile, int rows, int columns) : columns_(columns) {
    if constexpr (traced<Input, Sum>) {
      recorder_ = context.tile_recorder();
      if (recorder_) records_ = recorder_->begin_pass(context, name, tile, rows, columns);
    }
  }

  // Calls start(trace), which launches a kernel of the pass with that trace.
  template <class Start>
  void launch(Start&& start) const {
    if constexpr (traced<Input, Sum>)
      if (recorder_) return start(TileTrace{records_, columns_, recorder_->begin_launch()});
    start(NoTrace{});
  }

 private:
  TileRecorder* recorder_ = nullptr;
  TileRecord* records_ = nullptr;
  int columns_ = 0;
};

}  // namespace gpu::sat
