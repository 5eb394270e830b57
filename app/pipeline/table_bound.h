// TableBound: how long a copy takes that reads and writes, in all, as many bytes as a picture's gray image and its table have
// (5 per pixel). No algorithm computes the table faster than memory allows, so that times are stated as a share of this one.
// A thread of its own measures it, beside the pictures, once for each size and device.
#pragma once

#include <optional>

#include "app/pipeline/task_thread.h"
#include "gpu/device.h"
#include "gpu/image.h"

namespace app {

class TableBound {
 public:
  struct Figure {
    double us = 0, gb_per_s = 0;  // of one copy: the least of several runs, because pictures are computed meanwhile
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
