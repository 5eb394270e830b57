// The spaces in which the matrix of sat_matrix.h runs: HostSpace here, DeviceSpace in device_space.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/checks/verify.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"
#include "gpu/sat_runner.h"

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

// What is wrong after a run, counted in memory of the space.
struct Verdict {
  Mismatch table;
  unsigned long long around_table = 0, around_workspace = 0, image = 0;  // bytes that were written

  bool right() const { return table.count + around_table + around_workspace + image == 0; }
};

// The verdicts of runs that follow one another, in memory of the space until they are read.
template <class Space>
class Verdicts {
 public:
  Verdicts(Space& space, std::size_t most) : none_(most), there_(most, Space::device) { clear(space); }

  // That of the next run, to which checks are queued. At most `most` before take().
  Verdict* next() { return there_.data() + count_++; }
  // Waits for the runs. Throws CudaError.
  std::vector<Verdict> take(Space& space) {
    std::vector<Verdict> taken(count_);
    space.copy(taken.data(), there_.data(), count_ * sizeof(Verdict));
    space.wait();
    clear(space);
    return taken;
  }
  // The same for runs of which only tables of that width are compared: one line about the first that is wrong, or nothing.
  std::string wrong(Space& space, int width) {
    const auto taken = take(space);
    const auto first = std::ranges::find_if_not(taken, &Verdict::right);
    if (first == taken.end()) return {};
    return "run " + std::to_string(first - taken.begin()) + ": " + text(first->table, width);
  }

 private:
  void clear(Space& space) {
    space.copy(there_.data(), none_.data(), none_.size() * sizeof(Verdict));
    count_ = 0;
  }

  std::vector<Verdict> none_;
  Buffer<Verdict> there_;
  std::size_t count_ = 0;
};

// Draws and checks in host memory. Every function is done when it returns.
class HostMemory {
 public:
  HostMemory() = default;
  explicit HostMemory(cudaStream_t) {}  // of the simulated GPU, on which nothing is ever queued
  void wait() {}
  void fill(std::span<std::byte> bytes, unsigned char value) { std::memset(bytes.data(), value, bytes.size()); }
  // Between host memory and memory of this space, or inside that.
  void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  // f(x, y) for every pixel; f is trivially copyable and constexpr.
  template <class F>
  void for_each_pixel(Size size, const F& f) {
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) f(x, y);
  }
  template <class Input, class Ref>
  void add_up(ImageView<const Input> image, ImageView<Ref> sums, bool absolute) {
    make_reference(Device::host, nullptr, image, sums, absolute);
  }
  // The next three add to what they find: *count, and *result, which is Mismatch{} before.
  void count_touched(const GuardedRows& rows, unsigned long long* count) {
    const auto* data = reinterpret_cast<const unsigned char*>(rows.data);
    for (std::size_t i = 0; i <= rows.rows; ++i) {
      const auto [from, to] = rows.gap(i);
      *count += to - from - static_cast<std::size_t>(std::count(data + from, data + to, guard_byte));
    }
  }
  void count_different(std::span<const std::byte> a, std::span<const std::byte> b, unsigned long long* bytes) {
    if (std::memcmp(a.data(), b.data(), a.size()) == 0) return;
    for (std::size_t i = 0; i < a.size(); ++i) *bytes += a[i] != b[i];
  }
  template <class Sum>
  void compare(const Comparison<Sum>& comparison, Mismatch* result) {
    *result = compare_on_host(comparison);
  }
};

template <int Threads>
class HostThreads : public HostMemory {
 public:
  static constexpr Device device = Device::host;
  static constexpr std::size_t most_queued = 1;  // runs, before their verdicts are read
  Context context(std::span<std::byte> workspace) { return Context::on_host(pool_, workspace); }
  SatPlan plan(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView table, const Arguments& arguments) {
    return plan_sat(device, pool_.threads(), algorithm, image, table, arguments);
  }

 private:
  ThreadPool pool_{Threads};
};
using HostSpace = HostThreads<5>;  // an odd number, more than many machines have cores

}  // namespace gpu
