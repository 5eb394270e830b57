// TableBound: how long the bound takes over which the benchmark and the race state their times (gpu/bounds.h), for tables of
// 8-bit pictures of one size: convert_copy on a GPU, memset on the host. A thread of its own measures it, beside the pictures,
// once for each size and device.
#pragma once

#include <optional>
#include <string_view>

#include "app/pipeline/task_thread.h"
#include "gpu/device.h"
#include "gpu/image.h"

namespace app {

class TableBound {
 public:
  struct Figure {
    double us = 0;  // the least of several runs, because pictures are computed meanwhile
    std::string_view name;
  };

  // Of pictures of `size` on `device`, where `gpu_index` is CUDA's number of the GPU. Empty until it is measured, on the simulated
  // GPU, and where it could not be measured: memory is exhausted, the GPU failed. Never waits.
  std::optional<Figure> of(gpu::Device device, gpu::Size size, int gpu_index);

 private:
  struct Key {
    gpu::Device device = gpu::Device::host;
    gpu::Size size;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key_;                       // of figure_, or of what is being measured
  std::optional<Figure> figure_;  // the worker's until wait() is true
  TaskThread worker_;             // last: its task uses what is above
};

}  // namespace app
