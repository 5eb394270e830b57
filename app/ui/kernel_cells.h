// The cells of the table of kernels that are more than a number.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/kernel_rows.h"
#include "app/ui/theme.h"

namespace app::ui {

// The colour of a row's swatch, bar and line; groups, transfers and waiting have grays.
ImU32 row_colour(const KernelRow& row);
// The colour of a path wherever it is drawn: its row's, or, of a path that no longer runs, one made from its name.
ImU32 path_colour(std::span<const KernelRow> rows, std::string_view path);
// A swatch and the name: in the tree (`tree`) the last part of the path, indented; otherwise all of it.
void name_cell(const KernelRow& row, bool tree);
float name_width(const KernelRow& row, bool tree);  // that it needs
void share_cell(const KernelRow& row);
// The latest frames as a line, from 0 up to the largest of them.
void sparkline(std::span<const float> values, ImU32 colour);

}  // namespace app::ui
