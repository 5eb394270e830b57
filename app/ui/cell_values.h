// The values in the cells of an enlarged picture: gray levels, colours, or the table's sums.
#pragma once

#include "app/control/settings.h"
#include "app/gl/view.h"
#include "app/pipeline/pixel_probe.h"

namespace app::ui {

// What `choice` means for a picture; `shows_table`: it is the table itself.
CellValues resolved(CellValues choice, bool shows_table);
// Adds the visible cells to `places`, if they have room for such values and are not too many. In the current font.
void ask_for_cells(const View& view, CellValues values, gpu::PixelPlaces& places);
// Draws those of `pixels` that have room, under the panels. Neither gets CellValues::automatic.
void draw_cell_values(const View& view, CellValues values, const ProbedPixels& pixels);

}  // namespace app::ui
