// The spaces in which the matrix of sat_matrix.h runs: HostSpace here, DeviceSpace in device_space.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gpu/sat.h"
#include "gpu/sat_runner.h"
#include "gpu/verify.h"

namespace gpu {

inline constexpr unsigned char guard_byte = 0xCD;
inline constexpr std::size_t guard_bytes = 4096;

// `rows` rows of `row_bytes`, `pitch` apart, from `begin` on: the part of `bytes` bytes that may be written. Around and
// between them are rows + 1 gaps, which must keep the guard byte.
struct GuardedRows {
  const std::byte* data;
  std::size_t bytes, begin, pitch, row_bytes, rows;

  struct Gap {
    std::size_t from, to;
  };
  constexpr Gap gap(std::size_t i) const {
    return {i == 0 ? 0 : begin + (i - 1) * pitch + row_bytes, i < rows ? begin + i * pitch : bytes};
  }
};

template <int Threads>
class HostThreads {
 public:
  static constexpr Device device = Device::host;
  Context context(std::span<std::byte> workspace) { return Context::on_host(pool_, workspace); }
  SatPlan plan(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView table, const Arguments& arguments) {
    return plan_sat(device, pool_.threads(), algorithm, image, table, arguments);
  }
  void wait() {}
  void fill(std::span<std::byte> bytes, unsigned char value) { std::memset(bytes.data(), value, bytes.size()); }
  // From host memory, or from memory of this space.
  void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  // f(x, y) for every pixel; f is trivially copyable and constexpr.
  template <class F>
  void for_each_pixel(Size size, const F& f) {
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) f(x, y);
  }
  std::size_t count_touched(const GuardedRows& rows) {
    const auto* data = reinterpret_cast<const unsigned char*>(rows.data);
    std::size_t count = 0;
    for (std::size_t i = 0; i <= rows.rows; ++i) {
      const auto [from, to] = rows.gap(i);
      count += to - from - static_cast<std::size_t>(std::count(data + from, data + to, guard_byte));
    }
    return count;
  }
  // Bytes.
  std::size_t count_different(std::span<const std::byte> a, std::span<const std::byte> b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
    return count;
  }
  template <class Sum>
  Mismatch compare(const Comparison<Sum>& comparison) {
    return compare_on_host(comparison);
  }

 private:
  ThreadPool pool_{Threads};
};
using HostSpace = HostThreads<5>;  // an odd number, more than many machines have cores

}  // namespace gpu
