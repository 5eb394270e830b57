// Which algorithm computes a table: the fastest, where that was measured, by the user or before, or by what the GPU holds at once;
// and another one where that does not support the table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/choice/tuned.h"
#include "gpu/cuda/device.h"
#include "gpu/image.h"
#include "gpu/sat.h"

namespace gpu {

// The algorithm to begin with if neither GPU nor size is known. It does not support every type.
constexpr std::string_view usual_sat_algorithm(Device device) {
  return device == Device::host ? "host_parallel" : "one_wave";
}

// `chosen` if it supports `type` for images of this height, otherwise the algorithm that replaces it on this device.
const SatAlgorithm& table_algorithm(const SatAlgorithm& chosen, SatType type, int height, Device device);

struct FastestAlgorithm {
  const SatAlgorithm* algorithm;
  std::string origin;  // why it: "the fastest at 4096x4096 on an NVIDIA H100", one line
};

// How a table is run. A cooperative kernel, or one of many, takes longer to launch than to replay.
enum class RunBy { graph, launches };

// For tables on the host (no GPU), or on this GPU: what `tuned` says of it counts before all else. It supports the type and the size.
FastestAlgorithm fastest_algorithm(Size size, SatType type, const std::optional<GpuInfo>& gpu, RunBy run_by = RunBy::graph,
                                   const Tuned& tuned = {});

// The algorithm that takes a batch of two images or more of a size at once (SatAlgorithm::run_batch), on a GPU. Null for large images,
// of which each occupies a GPU by itself: the fastest algorithm for each of them is faster.
const SatAlgorithm* fastest_batch(Size size);
// The one for images of any size whose channels are interleaved (ImageBatch::channels). Never null.
const SatAlgorithm& fastest_of_channels(Size size);

}  // namespace gpu
