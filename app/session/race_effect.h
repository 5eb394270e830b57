// RaceEffect: the effect in use as a race measures it, where the algorithm computes more for it than the frame's own table: the
// levels of a pyramid, channels, later passes.
#pragma once

#include <optional>
#include <vector>

#include "app/control/selection.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {

struct RaceLane;

struct RaceEffect {
  // That the chosen algorithm computes besides the frame's own.
  struct Table {
    gpu::Size size;
    gpu::SatType type;
    friend bool operator==(const Table&, const Table&) = default;
  };
  const gpu::Effect* effect = nullptr;  // null: none
  gpu::Arguments arguments;
  std::vector<Table> tables;

  friend bool operator==(const RaceEffect&, const RaceEffect&) = default;
};

// The effect of the selection with its tables. Without any, it is none: every algorithm draws it in the same time. Throws what the
// effect does for arguments that do not fit.
RaceEffect race_effect(const Selection& selection, gpu::Size size);
// Bytes of global memory that the lane's threads request for these tables, per pixel of the frame; none where nobody counts them.
std::optional<double> effect_bytes_per_pixel(const RaceEffect& effect, const RaceLane& lane, gpu::Device device,
                                             gpu::Size size);

}  // namespace app
