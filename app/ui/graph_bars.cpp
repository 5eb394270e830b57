// The bars of the frame graph: one per frame, or per column of frames; coloured by their interval, whatever they show: green
// is what people call a good frame rate. Or stacked by stage.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "app/ui/frame_graph.h"
#include "app/ui/kernel_cells.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr unsigned faded = 110;

// A bar that goes on above the top ends in a triangle.
void clipped_mark(const GraphPlot& plot, float x, float width, ImU32 colour) {
  const auto half = std::max(width / 2, 3 * plot.ui.scale), middle = x + width / 2, top = plot.from.y;
  plot.draw.AddTriangleFilled({middle, top}, {middle + half, top + half * 1.4f}, {middle - half, top + half * 1.4f}, colour);
}

// By the history's paths.
std::vector<ImU32> path_colours(const GraphPlot& plot) {
  std::vector<ImU32> colours;
  for (const auto& path : plot.history.paths()) colours.push_back(path_colour(plot.ui.state.kernels.rows, path));
  return colours;
}

// Of the column's slowest frame: its kernels, as the table and the bar of their shares have them.
void stacked_bar(const GraphPlot& plot, const GraphColumn& column, std::span<const ImU32> colours, float x, float width) {
  const auto* frame = frame_numbered(plot.history, column.slowest);
  if (!frame) return;
  double below = 0;
  for (const auto& stage : plot.history.stages(*frame)) {
    if (!stage.leaf || stage.kind != static_cast<unsigned>(gpu::SpanKind::compute)) continue;
    const auto above = below + static_cast<double>(stage.nanoseconds) / 1e6;
    plot.draw.AddRectFilled({x, plot.y(above)}, {x + width, plot.y(below)}, colours[stage.path]);
    below = above;
  }
}

}  // namespace

ImU32 time_colour(double ms, double target) {
  if (ms <= 0) return colour::dim;
  return on_time(ms, target) ? colour::good : ms <= 2 * target ? colour::warning : colour::bad;
}

void draw_bars(const GraphPlot& plot) {
  const auto width = plot.view.pitch > 2 ? plot.view.pitch - 1 : plot.view.pitch;
  const bool stacked = plot.ui.settings.graph_shows == GraphShows::stages;
  const auto colours = stacked ? path_colours(plot) : std::vector<ImU32>();
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto& column = *plot.column(number);
    if (!column.timed) continue;
    const auto x = plot.view.x(number);
    const double highest = column.highest / 1000.0, median = column.median / 1000.0;
    const bool bright = plot.hovered == number;
    const auto colour_of = [&](float interval) {
      return bright ? ImU32(colour::text) : time_colour(interval / 1000.0, plot.target);
    };
    const auto colour = colour_of(column.longest_interval);
    const auto top = std::min(plot.y(highest), plot.to.y - 1);
    if (stacked) {
      stacked_bar(plot, column, colours, x, width);
    } else if (plot.view.per_column > 1) {  // up to the median, and faded to the slowest
      plot.draw.AddRectFilled({x, top}, {x + width, plot.to.y}, colour::translucent(colour, faded));
      plot.draw.AddRectFilled({x, std::min(plot.y(median), plot.to.y - 1)}, {x + width, plot.to.y},
                              colour_of(column.median_interval));
    } else {
      plot.draw.AddRectFilled({x, top}, {x + width, plot.to.y}, colour);
    }
    if (highest > plot.scale.top) clipped_mark(plot, x, width, colour);
  }
}

}  // namespace app::ui
