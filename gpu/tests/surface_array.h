// A CUDA array that kernels write to through a surface, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cuda/error.h"
#include "gpu/pictures/canvas.h"

namespace gpu::test {

class SurfaceArray {
 public:
  explicit SurfaceArray(Size size, const cudaChannelFormatDesc& format = cudaCreateChannelDesc<uchar4>())
      : size_(size), array_(made(size, format)), surface_(array_) {}
  ~SurfaceArray() { cudaFreeArray(array_); }
  SurfaceArray(const SurfaceArray&) = delete;
  SurfaceArray& operator=(const SurfaceArray&) = delete;

  const Surface& surface() const { return surface_; }
  cudaSurfaceObject_t object() const { return surface_.object(); }
  // Of pixels of four bytes, row by row; writing takes as many.
  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> bytes(size_.pixels() * sizeof(Rgba));
    check(cudaMemcpy2DFromArray(bytes.data(), row(), array_, 0, 0, row(), rows(), cudaMemcpyDeviceToHost));
    return bytes;
  }
  void fill(std::uint8_t byte) const {
    const std::vector<std::uint8_t> bytes(size_.pixels() * sizeof(Rgba), byte);
    check(cudaMemcpy2DToArray(array_, 0, 0, bytes.data(), row(), row(), rows(), cudaMemcpyHostToDevice));
  }

 private:
  static cudaArray_t made(Size size, const cudaChannelFormatDesc& format) {
    cudaArray_t array = nullptr;
    check(cudaMallocArray(&array, &format, static_cast<std::size_t>(size.width), static_cast<std::size_t>(size.height),
                          cudaArraySurfaceLoadStore));
    return array;
  }
  std::size_t row() const { return static_cast<std::size_t>(size_.width) * sizeof(Rgba); }
  std::size_t rows() const { return static_cast<std::size_t>(size_.height); }

  Size size_;
  cudaArray_t array_;
  Surface surface_;
};

}  // namespace gpu::test
