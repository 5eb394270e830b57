// The bars of the frame graph: one per frame, or per column of frames; coloured by the target, or stacked by stage.
#include <algorithm>
#include <cmath>

#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr unsigned faded = 110;

// A bar that goes on above the top ends in a triangle.
void clipped_mark(const GraphPlot& plot, float x, float width, ImU32 colour) {
  const auto half = std::max(width / 2, 3 * plot.ui.scale), middle = x + width / 2, top = plot.from.y;
  plot.draw.AddTriangleFilled({middle, top}, {middle + half, top + half * 1.4f}, {middle - half, top + half * 1.4f}, colour);
}

// The colour of a stage's row in the table of kernels.
ImU32 stage_colour(const GraphPlot& plot, const HistoryStage& stage) {
  const auto& path = plot.history.path(stage);
  for (const auto& row : plot.ui.state.kernels.rows)
    if (row.stage.name == path) return colour::row(row.colour);
  return colour::row(stage.path);
}

// Of the column's slowest frame.
void stacked_bar(const GraphPlot& plot, const GraphColumn& column, float x, float width) {
  const auto* frame = frame_numbered(plot.history, column.slowest);
  if (!frame) return;
  double below = 0;
  for (const auto& stage : plot.history.stages(*frame)) {
    if (!stage.outermost || stage.kind != static_cast<unsigned>(gpu::SpanKind::compute)) continue;
    const auto above = below + static_cast<double>(stage.nanoseconds) / 1e6;
    plot.draw.AddRectFilled({x, plot.y(above)}, {x + width, plot.y(below)}, stage_colour(plot, stage));
    below = above;
  }
}

}  // namespace

ImU32 time_colour(double ms, double target) {
  return ms <= target ? colour::good : ms <= 2 * target ? colour::warning : colour::bad;
}

void draw_bars(const GraphPlot& plot) {
  const auto width = plot.view.pitch > 2 ? plot.view.pitch - 1 : plot.view.pitch;
  const bool stacked = plot.ui.settings.graph_shows == GraphShows::stages;
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto& column = *plot.column(number);
    const auto x = plot.view.x(number);
    const double highest = column.highest / 1000.0, median = column.median / 1000.0;
    const bool bright = plot.hovered == number;
    const auto colour = bright ? colour::text : time_colour(highest, plot.target);
    const auto top = std::min(plot.y(highest), plot.to.y - 1);
    if (stacked) {
      stacked_bar(plot, column, x, width);
    } else if (plot.view.per_column > 1) {  // up to the median, and faded to the slowest
      plot.draw.AddRectFilled({x, top}, {x + width, plot.to.y}, colour::translucent(colour, faded));
      plot.draw.AddRectFilled({x, std::min(plot.y(median), plot.to.y - 1)}, {x + width, plot.to.y},
                              bright ? colour::text : time_colour(median, plot.target));
    } else {
      plot.draw.AddRectFilled({x, top}, {x + width, plot.to.y}, colour);
    }
    if (highest > plot.scale.top) clipped_mark(plot, x, width, colour);
  }
}

}  // namespace app::ui
