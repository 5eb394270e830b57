// The fastest: which algorithms are on this machine's GPU, for `satscope tune`; and which parameters of one algorithm.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/choice/tuned.h"
#include "gpu/cuda/device.h"
#include "gpu/image.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace gpu {

// Microseconds per table of an algorithm, with the initial values of its parameters; infinity: it does not run there. Those of one
// type and size follow one another.
using TimeAlgorithm = std::function<double(const SatAlgorithm&, SatType, Size, RunBy, int samples)>;
// Called before each type and size: `part` of all work is done. Returning false ends the measurement.
using TuneProgress = std::function<bool(double part, const std::string& what)>;

// For the six usual types, and sizes from 256x256 to 8192x8192. A few samples of each algorithm find the fastest three, and more of
// these the fastest; what is slow at one size is not measured at the next ones. The kernels of NVIDIA's libraries do not take part. Throws
// Interrupted (meter.h) where `progress` says so.
std::vector<TunedSize> tune(const TimeAlgorithm& time, const TuneProgress& progress);

// Fills memory of the host or of a GPU, where it waits for the stream: with any bits, or with floating-point numbers in (0, 2).
// Throws CudaError.
void fill_with_random_pixels(std::span<std::byte> memory, ElementType type, Device device, cudaStream_t stream);

// Such times on a GPU, measured as those of satscope-bench: caches cold, rows at multiples of 256 bytes; runs in graphs, or as a
// program launches them. Throws CudaError, but for memory that is missing: then the time is infinite.
class TimesOnGpu {
 public:
  explicit TimesOnGpu(const GpuInfo& gpu);
  ~TimesOnGpu();
  TimesOnGpu(const TimesOnGpu&) = delete;
  TimesOnGpu& operator=(const TimesOnGpu&) = delete;

  double operator()(const SatAlgorithm& algorithm, SatType type, Size size, RunBy run_by, int samples);

 private:
  struct Stage;
  struct State;
  std::unique_ptr<State> state_;
};

// The fastest parameters of an algorithm are found by trying every combination of its choices, and along real parameters by a
// search.

// Every combination of choices, and of a few values of each real parameter from its minimum to its maximum; the initial
// combination first. Parameters named in `fixed` keep their values in `initial`.
std::vector<Arguments> combinations(const Arguments& initial, const std::vector<std::string>& fixed);

// Every combination of the texts that `values` gives for each parameter; one for which it gives none keeps its value.
std::vector<Arguments> combinations_of(const Arguments& initial,
                                       const std::function<std::vector<std::string>(const Parameter&)>& values);

// The combination with the smallest `time`; then, along each real parameter, the best of its neighbours at half the
// distance, and so on down to the parameter's step. A time of infinity: the combination does not run. If there is only one
// combination, `time` is not called.
Arguments find_fastest(const Arguments& initial, const std::vector<std::string>& fixed,
                       const std::function<double(const Arguments&)>& time);

}  // namespace gpu
