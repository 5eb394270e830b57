// A tile history for tests: 2 x 2 tiles in two passes, on two multiprocessors; the last tile of the second waits longest.
#pragma once

#include "app/pipeline/tile_history.h"

namespace app {

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

}  // namespace app
