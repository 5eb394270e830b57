#include "gpu/benchmarks/satscope_bench.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "gpu/cuda/error.h"
#include "gpu/cuda/memory.h"

namespace gpu::benchmarks {
namespace {

constexpr int warp_size = 32, most_threads = 1024;

// An operation computes a lane's next value from its latest one, so that the operations of a chain cannot overlap. `before`
// is the value before that: the compiler would fold repeated additions of the same operand into multiplications.
struct Shuffle {
  using Value = unsigned;
  __device__ static Value next(Value latest, Value) { return __shfl_up_sync(~0u, latest, 1); }
};
// Each lane loads the address of its next load: its own word contains its own address.
struct SharedLoad {
  using Value = unsigned;
  __device__ static Value next(Value latest, Value) {
    Value loaded;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(loaded) : "r"(latest));
    return loaded;
  }
};
struct IntegerAddition {
  using Value = unsigned;
  __device__ static Value next(Value latest, Value before) {
    Value sum;
    asm volatile("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(latest), "r"(before));
    return sum;
  }
};
struct FloatAddition {
  using Value = float;
  __device__ static Value next(Value latest, Value before) {
    Value sum;
    asm volatile("add.f32 %0, %1, %2;" : "=f"(sum) : "f"(latest), "f"(before));
    return sum;
  }
};

struct Clocks {
  long long begin, end;
};

// Each thread runs `Chains` independent chains of `Length` operations, unrolled, repeatedly; the clock starts after the
// first round, when all instructions are in the instruction cache. `clocks` has one entry per warp; `results` has one value
// per thread, because the compiler removes computations whose results are not used.
template <class Operation, int Chains, int Length>
__global__ void __launch_bounds__(most_threads)
    operation_chains(typename Operation::Value first, int rounds, Clocks* clocks, typename Operation::Value* results) {
  using Value = typename Operation::Value;
  __shared__ unsigned words[most_threads];
  const auto own_word = static_cast<unsigned>(__cvta_generic_to_shared(&words[threadIdx.x]));
  words[threadIdx.x] = own_word;
  Value before[Chains], values[Chains];
  for (int i = 0; i < Chains; ++i) {
    before[i] = first + static_cast<Value>(i);
    values[i] = static_cast<Value>(own_word);
  }
  Clocks counted{};
#pragma unroll 1
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) {
      __syncthreads();
      counted.begin = clock64();
    }
#pragma unroll
    for (int step = 0; step < Length; ++step)
#pragma unroll
      for (int i = 0; i < Chains; ++i) before[i] = std::exchange(values[i], Operation::next(values[i], before[i]));
  }
  counted.end = clock64();
  Value sum = 0;
  for (const auto& value : values) sum += value;
  results[threadIdx.x] = sum;
  if (threadIdx.x % warp_size == 0) clocks[threadIdx.x / warp_size] = counted;
}

// The clocks of one block, from its first warp's begin to its last warp's end; the minimum of a few runs.
template <class Operation, int Chains, int Length>
double clocks_taken(int threads, int rounds, cudaStream_t stream) {
  using Value = typename Operation::Value;
  const std::size_t warps = static_cast<std::size_t>(threads) / warp_size;
  Buffer<Clocks> clocks(warps, Device::cuda);
  Buffer<Value> results(static_cast<std::size_t>(threads), Device::cuda);
  std::vector<Clocks> seen(warps);
  long long least = std::numeric_limits<long long>::max();
  for (int run = 0; run < 5; ++run) {
    operation_chains<Operation, Chains, Length><<<1, threads, 0, stream>>>(Value(1), rounds, clocks.data(), results.data());
    check(cudaGetLastError());
    check(cudaMemcpyAsync(seen.data(), clocks.data(), warps * sizeof(Clocks), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    auto [begin, end] = seen.front();
    for (const auto& warp : seen) begin = std::min(begin, warp.begin), end = std::max(end, warp.end);
    least = std::min(least, end - begin);
  }
  return static_cast<double>(least);
}

template <class Operation>
simulated::OperationCost measure(cudaStream_t stream) {
  // Two lengths, so that their common part cancels out: reading the clock, and the loop.
  constexpr int length = 256;
  const double longer = clocks_taken<Operation, 1, 2 * length>(warp_size, 1, stream);
  const double shorter = clocks_taken<Operation, 1, length>(warp_size, 1, stream);
  // Enough rounds to make the filling and draining of the pipelines negligible.
  constexpr int chains = 4, busy_length = 128, rounds = 64;
  const double busy = clocks_taken<Operation, chains, busy_length>(most_threads, rounds, stream);
  return {(longer - shorter) / length, double{most_threads} * chains * busy_length * rounds / busy};
}

struct Row {
  const char* name;
  simulated::OperationCost cost;
};
std::array<Row, 4> rows(const GpuLatencies& gpu) {
  return {{{"shuffle", gpu.shuffle},
           {"shared memory load", gpu.shared_memory},
           {"integer addition", gpu.integer_addition},
           {"float addition", gpu.float_addition}}};
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[128];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

GpuLatencies measure_latencies(cudaStream_t stream) {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  return {properties.name, measure<Shuffle>(stream), measure<SharedLoad>(stream), measure<IntegerAddition>(stream),
          measure<FloatAddition>(stream)};
}

std::string latencies_text(const GpuLatencies& gpu) {
  std::string text = gpu.name + "\n\n" + formatted("%-20s %16s %23s\n", "", "latency, clocks", "lanes per clock and SM");
  for (const auto& [name, cost] : rows(gpu)) text += formatted("%-20s %16.1f %23.1f\n", name, cost.latency, cost.per_clock);
  return text;
}

std::string latencies_json(const GpuLatencies& gpu) {
  std::string text = "{\n  \"machine\": \"" + gpu.name + "\",\n  \"operations\": [";
  const char* separator = "\n";
  for (const auto& [name, cost] : rows(gpu)) {
    text += separator + formatted("    {\"operation\": \"%s\", \"latency_clocks\": %.3f, \"lanes_per_clock\": %.3f}", name,
                                  cost.latency, cost.per_clock);
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace gpu::benchmarks
