// What integral images are used for, on planes of bytes: the box filter, and the tilted table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/image.h"

struct CUstream_st;

namespace satscope::python {

struct PlaneArgument {
  const void* image;
  std::size_t image_pitch;  // in bytes
  void* result;
  std::size_t result_pitch;
  gpu::Size size;
  int gpu;  // CUDA's index; -1: the host
  CUstream_st* stream;
};

// The effect box_blur on bytes; window and border as its parameters take them. Both throw what it does, and wait for the GPU.
void box_filter(const PlaneArgument& plane, const std::string& window, const std::string& border);
// gpu::compute_tilted(); the result has uint32.
void tilted_table(const PlaneArgument& plane);

}  // namespace satscope::python
