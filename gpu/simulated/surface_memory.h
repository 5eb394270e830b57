// The memory of a CUDA array, which kernels access only through a surface.
#pragma once

#include <cstddef>
#include <vector>

namespace gpu::simulated {

class SurfaceMemory {
 public:
  SurfaceMemory(std::size_t width, std::size_t height, std::size_t element_bytes)
      : row_bytes_(width * element_bytes), height_(height), data_(row_bytes_ * height) {}

  // A surface object is the address of its array.
  static SurfaceMemory& of(unsigned long long surface) { return *reinterpret_cast<SurfaceMemory*>(surface); }

  bool holds(int x_bytes, int y, std::size_t bytes) const {
    return x_bytes >= 0 && y >= 0 && static_cast<std::size_t>(y) < height_ &&
           static_cast<std::size_t>(x_bytes) + bytes <= row_bytes_;
  }
  std::byte* at(std::size_t x_bytes, std::size_t y) { return data_.data() + y * row_bytes_ + x_bytes; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t height() const { return height_; }

 private:
  std::size_t row_bytes_, height_;
  std::vector<std::byte> data_;
};

}  // namespace gpu::simulated
