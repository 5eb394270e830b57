// Tile histories for tests.
#pragma once

#include <algorithm>

#include "app/pipeline/tile_history.h"
#include "gpu/sat/block/tile_order.cuh"

namespace app {

// 2 x 2 tiles in two passes, on two multiprocessors; the last tile of the second waits longest.
inline TileHistory example_history() {
  TileHistory history;
  history.algorithm = "2r1w";
  history.parameters = "W=32";
  history.device = gpu::Device::cuda;
  history.image = {60, 50};
  history.passes = {{"tile sums", 32, 32, 2, 2, 0}, {"tile tables", 32, 32, 2, 2, 4}};
  constexpr std::uint64_t begin = 1'000'000;  // nanoseconds of the device's clock
  for (std::uint32_t i = 0; i < 8; ++i) {
    const auto start = begin + (i < 4 ? i * 100 : 500 + (i - 4) * 75);
    const auto wait = i < 4 ? 0u : 40u;
    history.records.push_back({start, start + wait, start + 100, i % 2 ? 7u : 3u, i < 4 ? 1u : 2u});
  }
  history.records[5].finished = begin + 800;  // while the next one of this multiprocessor waits
  history.records[7] = {begin + 725, begin + 975, begin + 1000, 7, 2};
  complete(history);
  return history;
}

// 3 x 4 tiles, diagonal after diagonal, a start every 100 ns: each waits for 150 ns, and then works for 200 ns. No look-back goes
// further than two tiles.
inline TileHistory example_look_backs() {
  constexpr int rows = 3, columns = 4;
  TileHistory history;
  history.algorithm = "1r1w_skss_lb";
  history.parameters = "W=32 m=auto";
  history.device = gpu::Device::cuda;
  history.image = {120, 90};
  history.passes = {{"1r1w_skss_lb", 32, 32, rows, columns, 0}};
  history.records.resize(history.passes.front().tiles());
  for (int serial = 0; serial < rows * columns; ++serial) {
    const auto [I, J] = gpu::sat::diagonal_major(serial, rows, columns);
    const auto start = static_cast<std::uint64_t>(serial) * 100;
    history.records[static_cast<std::size_t>(I * columns + J)] = {
        start,       start + 150,
        start + 350, static_cast<std::uint32_t>(serial % 4),
        1,           {std::min(J, 2), std::min(I, 2), std::min({I, J, 1})}};
  }
  complete(history);
  return history;
}

}  // namespace app
