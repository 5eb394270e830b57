// What the table of kernels shows: a row per stage with the figures of StageRow and those that need to know the algorithm
// and the device; and the order of the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/frame_figures.h"
#include "app/ui/theme.h"

namespace app::ui {

struct KernelRow {
  StageRow stage;
  std::size_t colour = 0;                    // of colour::row(): see number_colours()
  std::optional<double> gb_per_s, of_bound;  // KernelRates

  // As people read it: the whole path, or without the names of the rows above it in the tree.
  std::string title(bool tree = false) const {
    return title_of_path(tree ? std::string_view(stage.name).substr(stage.name.rfind('/') + 1) : stage.name);
  }
  bool computes() const { return stage.kind == gpu::SpanKind::compute; }
};

// What an algorithm's time is compared with for the picture's size: that of gpu/choice/bounds.h, measured as the race does, by which
// the race divides too.
struct KernelBound {
  double us = 0;  // the median of `runs`
  std::string_view name;
  int runs = 0;
};

struct KernelsState {
  std::vector<KernelRow> rows;                       // as they run
  StageRow total;                                    // computing, of a frame
  double computing = 0, transfers = 0, waiting = 0;  // means per frame
  std::uint64_t timed_frames = 0, untimed_frames = 0, dropped_spans = 0;
  std::uint64_t lost_frames = 0;                              // with times far above usual,
  double lost_us = 0;                                         // and how much of it, their mean
  std::optional<KernelBound> bound;                           // empty until it is measured, and where nothing can be
  double timing_share = 0, timing_us = 0, timing_points = 0;  // what the timing costs, as in FrameFigures; per frame
};

// Kernels have different colours, as far as there are so many, in the order in which they run, whatever they are sorted by.
// Groups, transfers and waiting have none of these.
void number_colours(std::span<KernelRow> rows);
inline bool has_colour(const KernelRow& row) { return row.stage.leaf && row.computes(); }

// The rows as the table shows them. `run`: as they run. Otherwise rows that compute come first, and those without the figure
// last among them.
std::vector<const KernelRow*> ordered(std::span<const KernelRow> rows, KernelSort by, bool descending);

struct KernelOrder {
  KernelSort by;
  bool descending;
  friend bool operator==(const KernelOrder&, const KernelOrder&) = default;
};
// After a click on the title of `column`: the largest first (of names the first), then the other way, then as they run.
KernelOrder after_click(const KernelOrder& now, KernelSort column);

// The cells of the table of kernels that are more than a number.

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
