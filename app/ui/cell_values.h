// The values in the cells of an enlarged picture: gray levels, colours, or the table's sums.
#pragma once

#include <span>
#include <vector>

#include "app/control/selection.h"
#include "app/gl/view.h"
#include "app/pipeline/pixel_probe.h"
#include "app/ui/ui.h"

namespace app::ui {

// Adds the visible cells to `places`, if some of them have room for their values and they are not too many.
void ask_for_cells(const View& view, const CellColumns& columns, gpu::PixelPlaces& places);
// Draws those of `pixels` that have room, under the panels, on a picture that is shown with that gain of its levels; with a rim
// where something in colour lies over the pixels. Where one of `labels` lies numbers are left out.
void draw_cell_values(const View& view, const CellColumns& columns, const ProbedPixels& pixels, double gain = 1,
                      bool covered = false, std::span<const Rect> labels = {});
// Where it draws them: a band for each row of numbers, as wide as the picture is seen.
std::vector<Rect> rows_of_cell_values(const View& view, const CellColumns& columns, const ProbedPixels& pixels);

}  // namespace app::ui
