// What is said of a tile of a trace: under the mouse, in the chart and over the picture.
#pragma once

#include <string>

#include "app/pipeline/tile_history.h"

namespace app::ui {

// "3 left, 2 up, 1 diagonal", without directions in which there was nothing to look at; empty if there was none.
std::string depths_text(const gpu::LookBackDepths& depths);
// Some lines about the tile of a record of the history.
std::string tile_text(const TileHistory& history, const gpu::TileRecord& record);

}  // namespace app::ui
