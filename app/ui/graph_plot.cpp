// The plot of the frame graph: bars, axes, marks and the histogram.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/ui/frame_graph.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace app::ui {

// The bars: one per frame, or per column of frames; coloured by their interval, whatever they show: green is what people call a
// good frame rate. Or stacked by stage.

namespace {

constexpr unsigned faded = 110;

// A bar that goes on above the top ends in a triangle.
void clipped_mark(const GraphPlot& plot, float x, float width, ImU32 colour) {
  const auto half = std::max(width / 2, 3 * plot.ui.scale), middle = x + width / 2, top = plot.from.y;
  plot.draw.AddTriangleFilled({middle, top}, {middle + half, top + half * 1.4f}, {middle - half, top + half * 1.4f}, colour);
}

// A bar of a column's slowest frame: its kernels, as the table and the bar of their shares have them. `colours`: by the index of
// the history's paths.
void stacked_bar(const GraphPlot& plot, const HistoryFrame& frame, std::span<const ImU32> colours, float x, float width) {
  double below = 0;
  const auto stages = plot.history.stages(frame);
  for (const auto& stage : stages) {
    if (!stage.leaf || stage.kind != static_cast<unsigned>(gpu::SpanKind::compute)) continue;
    auto nanoseconds = static_cast<double>(stage.nanoseconds);
    if (&stage != &stages.back() && (&stage)[1].kind == HistoryStage::of_lost_time)
      nanoseconds -= static_cast<double>((&stage)[1].nanoseconds);
    const auto above = below + nanoseconds / 1e6;
    plot.draw.AddRectFilled({x, plot.y(above)}, {x + width, plot.y(below)}, colours[stage.path]);
    below = above;
  }
}

}  // namespace

ImU32 row_colour(const KernelRow& row) {
  if (has_colour(row)) return colour::row(row.colour);
  return row.computes() ? colour::dim : colour::faint;
}

ImU32 path_colour(std::span<const KernelRow> rows, std::string_view path) {
  const auto row = std::ranges::find_if(rows, [&](const KernelRow& each) { return each.stage.name == path; });
  return row == rows.end() ? colour::row(std::hash<std::string_view>()(path)) : row_colour(*row);
}

ImU32 time_colour(double ms, double target) {
  if (ms <= 0) return colour::dim;
  return on_time(ms, target) ? colour::good : ms <= 2 * target ? colour::warning : colour::bad;
}

void draw_bars(const GraphPlot& plot) {
  const auto width = plot.view.pitch > 2 ? plot.view.pitch - 1 : plot.view.pitch;
  const bool stacked = plot.ui.settings.graph_shows == GraphShows::stages;
  std::vector<ImU32> colours;
  if (stacked)
    for (const auto& path : plot.history.paths()) colours.push_back(path_colour(plot.ui.state.kernels.rows, path));
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto& column = *plot.column(number);
    if (!column.timed) continue;
    const auto x = plot.view.x(number);
    const auto bar = [&](float us, ImU32 colour) {
      plot.draw.AddRectFilled({x, std::min(plot.y(us / 1000.0), plot.to.y - 1)}, {x + width, plot.to.y}, colour);
    };
    const auto colour_of = [&](float interval) {
      return plot.hovered == number ? ImU32(colour::text) : time_colour(interval / 1000.0, plot.target);
    };
    const auto colour = colour_of(column.longest_interval);
    if (stacked) {
      if (const auto* frame = plot.slowest_of(number)) stacked_bar(plot, *frame, colours, x, width);
    } else if (plot.view.per_column > 1) {  // up to the median, and faded to the slowest
      bar(column.highest, colour::translucent(colour, faded));
      bar(column.median, colour_of(column.median_interval));
    } else {
      bar(column.highest, colour);
    }
    if (column.highest / 1000.0 > plot.top) clipped_mark(plot, x, width, colour);
  }
}

// The axes. The target's own time is among those at the left, in the colour of its line.

void draw_times(const GraphPlot& plot) {
  const auto height = plot.to.y - plot.from.y;
  const auto line = [&](double ms, unsigned alpha) {
    const auto y = std::round(plot.y(ms));
    plot.draw.AddRectFilled({plot.from.x, y}, {plot.to.x, y + 1}, colour::translucent(colour::text, alpha));
  };
  const bool seconds = plot.top >= 1000;  // in milliseconds there is no room for so many digits
  const double unit = seconds ? 1000 : 1;
  std::vector<AxisMark> marks;
  if (plot.target > 0 && plot.target <= plot.top) {
    line(plot.target, 150);
    marks.push_back({plot.y(plot.target), number(plot.target / unit, seconds ? 2 : 1), colour::text});
  }
  const auto step = round_step(plot.top / std::clamp(std::floor(height / (em() * 1.6f)), 1.f, 4.f));
  for (int i = 0; i * step <= plot.top * 1.001; ++i) {
    if (i > 0) line(i * step, 40);
    marks.push_back({plot.y(i * step), axis_number(i * step / unit, step / unit) + (seconds ? " s" : "")});
  }
  axis_marks(plot.draw, {plot.from.y - em() * 0.3f, plot.to.y + em() * 0.2f, plot.from.x - em() * 0.3f, true}, marks);
}

// Round numbers, where they are among the frames shown, the newest first.
void draw_seconds(const GraphPlot& plot) {
  const auto per = plot.view.per_column, kept = plot.history.removed();
  const auto first = std::max(plot.begin() * per, kept), end = std::min(plot.end() * per, plot.history.added());
  if (first + 1 >= end) return;
  const auto shown = plot.history.frames().subspan(first - kept, end - first);
  const auto newest = plot.history.frames().back().presented;
  const auto seconds = [&](const HistoryFrame& frame) {
    return std::chrono::duration<double>(frame.presented - newest).count();
  };
  const auto from = seconds(shown.front()), to = seconds(shown.back());
  const auto room = std::max(1.f, std::floor((plot.to.x - plot.from.x) / (em() * 5)));
  const auto step = round_step(std::max((to - from) / room, 1e-3));
  std::vector<AxisMark> marks;
  for (auto i = std::floor(to / step + 1e-6); i * step >= from; --i) {
    const auto at = std::ranges::lower_bound(shown, (i - 1e-6) * step, {}, seconds) - shown.begin();
    const auto x = plot.view.x(plot.view.column_of(first + 1 + static_cast<std::uint64_t>(at)));
    plot.draw.AddRectFilled({x, plot.to.y}, {x + 1, plot.to.y + 3}, colour::dim);
    marks.push_back({x, i == 0 ? "now" : axis_number(i * step, step) + " s"});
  }
  axis_marks(plot.draw, {plot.from.x, plot.to.x, plot.to.y + 2}, marks);
}

// Marks in the frame graph: where the work changed, and where frames were dropped.

void draw_marks(const GraphPlot& plot) {
  const auto side = 3 * plot.ui.scale;
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto& column = *plot.column(number);
    const auto x = plot.view.x(number);
    if (column.dropped)
      plot.draw.AddRectFilled({x, plot.to.y - side}, {x + std::max(plot.view.pitch, side), plot.to.y}, colour::warning);
    if (column.change == 0) continue;
    const auto *before = work_of(plot.history, column.change - 1), *work = work_of(plot.history, column.change);
    const auto mark = before && work && !same_source(*before, *work) ? colour::warning : colour::accent;
    plot.draw.AddRectFilled({x - 1, plot.from.y}, {x, plot.to.y}, mark);
    plot.draw.AddTriangleFilled({x - 0.5f - side, plot.from.y}, {x - 0.5f + side, plot.from.y},
                                {x - 0.5f, plot.from.y + side * 1.6f}, mark);
  }
}

// Beside the bars, on their scale of times: of the frames that the figures are of. Where that scale is much larger than the
// bins' own, bars lie over each other: each is at least a pixel high. It is never invisible: a single slow frame of many is what
// one looks for.
void draw_histogram(const GraphPlot& plot, float right) {
  const auto& counts = plot.ui.state.graph.histogram;
  const auto left = plot.to.x + 4 * plot.ui.scale, width = right - left;
  if (counts.empty() || width < 8) return;
  const auto most = static_cast<float>(std::max<std::uint64_t>(std::ranges::max(counts), 1));
  const auto bin = plot.ui.state.graph.histogram_top / static_cast<double>(counts.size());
  const bool intervals = plot.ui.settings.graph_shows == GraphShows::interval;  // of other times the colour would mislead
  plot.draw.AddRectFilled({left, plot.from.y}, {right, plot.to.y}, colour::background, 2);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto low = bin * static_cast<double>(i);
    const auto bottom = std::max(std::round(plot.y(low)), plot.from.y + 1);
    const auto length = std::max(width * static_cast<float>(counts[i]) / most, 1.5f * plot.ui.scale);
    plot.draw.AddRectFilled({left, std::min(std::round(plot.y(low + bin)), bottom - 1)}, {left + length, bottom},
                            intervals ? time_colour(low + bin / 2, plot.target) : ImU32(colour::accent));
  }
}

}  // namespace app::ui
