// The part of a level that one thread of the host searches: some rows of windows, with the pixels that they cover.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/image.h"
#include "gpu/vision/cascade.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/integer_cascade.h"

namespace gpu::vision {

struct HostBand {
  ImageView<const std::uint8_t> pixels;  // the first row of windows begins at pixel (0, 0)
  int step = 1, across = 0, rows = 0;    // windows, `step` pixels apart
  ImageView<std::uint8_t> depths;        // of the windows; without data if not wanted
};

// Window `i` of row `j` of the band.
struct HostHit {
  int i, j;
};

// Memory of one thread, kept from band to band.
struct HostMemory {
  std::vector<std::uint8_t> pixels;
  LevelTables tables;
  std::vector<std::uint32_t> words;
  std::vector<HostHit> hits;  // the result: the band's windows that pass all stages and are visited, row by row
};

// One way to search a band.
struct HostCode {
  std::string_view name;
  bool needs_integers;  // it can do only cascades with IntegerCascade::exact and packed
  void (*search)(const Cascade& cascade, const IntegerCascade& integers, const HostBand& band, HostMemory& memory);
};

// Those that this processor can run, the fastest last; the first is the cascade as written.
std::span<const HostCode* const> host_codes_here();

}  // namespace gpu::vision
