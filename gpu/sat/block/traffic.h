// Global memory traffic, for the descriptors' traffic(): the bytes that threads request by the loads and stores of the
// source, for the pieces that several algorithms share.
//
// Two things depend on the order in which blocks run. The figures assume that blocks run one after another, so that a
// look-back finds a global sum in its first step; if blocks run concurrently, some walk further. And the repeated loads of a
// block that waits are not counted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/sat.h"

namespace gpu::sat {

struct ElementBytes {
  std::uint64_t input, sum;
};
inline ElementBytes bytes_of(SatType type) { return {size_of(info(type).input), size_of(info(type).sum)}; }
inline bool sums_are_floating(SatType type) {
  return info(type).sum == ElementType::f32 || info(type).sum == ElementType::f64;
}

// One kernel that reads each of `count` entries once, as `from` bytes, and writes it once, as `to` bytes: a scan, a
// transpose.
constexpr Traffic one_pass(std::uint64_t count, std::uint64_t from, std::uint64_t to) {
  return {count * from, count * to, 1};
}

// `count` blocks, each of which takes a ticket of run_slots.cuh; the last one prepares the next run.
constexpr Traffic tickets_taken(std::uint64_t count) {
  constexpr std::uint64_t word = 8;
  return {count * word, (count + 1) * word, 0};
}

// A slot of look_back.cuh holds a sum and, as large, its status.
constexpr std::uint64_t slot_bytes(ElementBytes bytes) { return 2 * bytes.sum; }

// The slots that the places of a line read, if each reads a batch of those before it once.
constexpr std::uint64_t slots_read(std::uint64_t places, std::uint64_t batch) {
  const auto few = std::min(places, batch);
  return few * (few - 1) / 2 + batch * (places - few);
}
// The slots that all corners of a grid of tiles read: one per predecessor on the diagonal, at most one per lane of a warp.
constexpr std::uint64_t corner_slots_read(int rows, int columns) {
  std::uint64_t read = 0;
  for (int predecessors = 1; predecessors < std::min(rows, columns); ++predecessors)
    read += static_cast<std::uint64_t>(rows + columns - 2 * predecessors - 1) *
            static_cast<std::uint64_t>(std::min(predecessors, 32));
  return read;
}

// carry_along() of look_back_walk.h at each of `places` places of `lines` lines: every place publishes its global sum, all
// but the first also a local one before; four predecessors are read at once.
constexpr Traffic carries_along(std::uint64_t lines, std::uint64_t places, std::uint64_t slot) {
  return {lines * slots_read(places, 4) * slot, lines * (2 * places - 1) * slot, 0};
}

// Rows, transpose, rows, transpose (transpose.cuh). scan(size, from, to): the traffic of the scan of a matrix, from elements
// of `from` bytes to elements of `to` bytes; the second scan is that of the transposed table. Without it: one pass each.
template <class Scan>
Traffic two_scans_and_transposes(Size size, SatType type, Scan scan) {
  const auto [input, sum] = bytes_of(type);
  const auto transpose = one_pass(size.pixels(), sum, sum);
  return scan(size, input, sum) + transpose + scan(Size{size.height, size.width}, sum, sum) + transpose;
}
inline Traffic two_scans_and_transposes(Size size, SatType type) {
  return two_scans_and_transposes(
      size, type, [](Size of, std::uint64_t from, std::uint64_t to) { return one_pass(of.pixels(), from, to); });
}

}  // namespace gpu::sat
