// What is said of a tile of a trace: under the mouse, in the chart and over the picture.
#pragma once

#include <string>

#include "app/pipeline/tile_history.h"
#include "gpu/sat.h"

namespace app::ui {

// "3 left, 2 up, 1 diagonal", without directions in which there was nothing to look at; empty if there was none.
std::string depths_text(const gpu::LookBackDepths& depths);
// Some lines about the tile of a record of the history.
std::string tile_text(const TileHistory& history, const gpu::TileRecord& record);
// What a trace is of, where the picture shown has another size or algorithm: "of an earlier algorithm"; else empty.
std::string earlier_words(const TileHistory& history, gpu::Size shown, const gpu::SatAlgorithm* algorithm);

}  // namespace app::ui
