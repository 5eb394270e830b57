// One picture on its way from a source to the pipeline.
#pragma once

#include <chrono>
#include <cstdint>

#include "gpu/image.h"
#include "gpu/memory.h"

namespace app::capture {

// 8-bit BGR pixels in host memory (page-locked where there is a GPU), rows tight: stride is width pixels.
struct Frame {
  gpu::PinnedBuffer<gpu::Bgr> pixels;  // may be larger than the picture: slots are used again
  gpu::Size size;
  std::uint64_t sequence = 0;                      // counts the frames of one source from 0; gaps are drops
  std::uint64_t seek = 0;                          // the number of the last seek (or step) before it; 0: none
  double position = 0;                             // seconds into the source, by its own clock
  std::chrono::steady_clock::time_point captured;  // when it was read

  gpu::ImageView<const gpu::Bgr> view() const { return {pixels.data(), size.width, size.height, size.width}; }
  gpu::ImageView<gpu::Bgr> writable() { return {pixels.data(), size.width, size.height, size.width}; }
  // Makes room for a picture of `wanted`; keeps the memory where it is large enough already.
  void resize(gpu::Size wanted, bool page_locked) {
    if (pixels.size() < wanted.pixels()) pixels = gpu::PinnedBuffer<gpu::Bgr>(wanted.pixels(), page_locked);
    size = wanted;
  }
};

}  // namespace app::capture
