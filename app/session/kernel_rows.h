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
#include "app/output/race_figures.h"
#include "app/pipeline/frame_figures.h"

namespace app {

// The columns of the table, and what its rows are ordered by. run: no column, the order in which they run. latest: the row's
// latest times as a line, which is no order.
enum class KernelFigure { run, name, launches, last, mean, p50, p90, p99, p999, max, share, rate, bound, latest };

struct KernelRow {
  StageRow stage;
  std::size_t colour = 0;                    // of colour::row(): see number_colours()
  std::optional<double> gb_per_s, of_bound;  // KernelRates

  // As people read it, without the names of the rows above it in the tree.
  std::string title() const {
    return title_of_path(std::string_view(stage.name).substr(stage.depth > 0 ? stage.name.rfind('/') + 1 : 0));
  }
  bool computes() const { return stage.kind == gpu::SpanKind::compute; }
};

struct KernelsState {
  std::vector<KernelRow> rows;                       // as they run
  StageRow total;                                    // computing, of a frame
  double computing = 0, transfers = 0, waiting = 0;  // means per frame
  std::uint64_t timed_frames = 0, untimed_frames = 0, dropped_spans = 0;
  std::uint64_t lost_frames = 0;                              // with outliers,
  double lost_us = 0;                                         // and how much of it, their mean
  std::optional<BoundTime> bound;                             // empty until it is measured, and where nothing can be
  double timing_share = 0, timing_us = 0, timing_points = 0;  // what the timing costs, as in FrameFigures; per frame
};

// From the figures of frames of `size`, made with `selection`. A side of a comparison with one kernel, which is called as it is,
// has that kernel's row alone, at depth 0.
KernelsState kernels_state(const FrameFigures& figures, const Selection& selection, gpu::Size size,
                           const std::optional<BoundTime>& bound);

// Kernels have different colours, as far as there are so many, in the order in which they run, whatever they are sorted by.
// Groups, transfers and waiting have none of these.
void number_colours(std::span<KernelRow> rows);
inline bool has_colour(const KernelRow& row) { return row.stage.leaf && row.computes(); }

// Microseconds, per cent, GB/s. None where it is not known, and for the row's name.
std::optional<double> figure_of(const KernelRow& row, KernelFigure which);
// Of two values in a sorted column: whether `a` is first. What is not known is last in both directions.
bool precedes(const std::optional<double>& a, const std::optional<double>& b, bool descending);
// The rows as the table shows them: a tree, in which those with the same parent are sorted. `run`: as they run. Otherwise rows that
// compute come first, and those without the figure last among them.
std::vector<const KernelRow*> ordered(std::span<const KernelRow> rows, KernelFigure by, bool descending);
// The row of a single kernel that computes longest; null: nothing was timed.
const KernelRow* slowest_kernel(std::span<const KernelRow> rows);

// The mean times of the outermost stages: of the algorithm, and of all that the effect does (its tables, what it searches and
// draws), which is what is left besides luma and the check of the table; of a comparison, what the side with the effect does.
// 0: there are none.
struct StageTimes {
  double table = 0, effect = 0;
};
StageTimes stage_times(const KernelsState& kernels, std::string_view algorithm, std::string_view effect);

}  // namespace app
