// The plot of the frame graph: bars, axes, marks and the histogram.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "app/support/text.h"
#include "app/ui/frame_graph.h"
#include "app/ui/kernel_rows.h"
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

// Colours by the index of the history's paths.
std::vector<ImU32> path_colours(const GraphPlot& plot) {
  std::vector<ImU32> colours;
  for (const auto& path : plot.history.paths()) colours.push_back(path_colour(plot.ui.state.kernels.rows, path));
  return colours;
}

// A bar of the column's slowest frame: its kernels, as the table and the bar of their shares have them.
void stacked_bar(const GraphPlot& plot, const GraphColumn& column, std::span<const ImU32> colours, float x, float width) {
  const auto* frame = frame_numbered(plot.history, column.slowest);
  if (!frame) return;
  double below = 0;
  const auto stages = plot.history.stages(*frame);
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

// The axes of the frame graph: times at the left, with lines at usual frame rates and at the target; frames or seconds below.
// The target's own time is among those at the left, in the colour of its line.

namespace {

constexpr int rates[] = {30, 60, 120, 144};

// As few decimals as `step` needs: 5, 0.5, 0.05.
std::string with_decimals_of(double step, double value) {
  int decimals = 0;
  for (auto rest = step; rest < 0.999 && decimals < 3; rest *= 10) ++decimals;
  return number(std::abs(value) < step * 1e-6 ? 0 : value, decimals);
}

// Keeps texts apart that stand one above the other.
class Places {
 public:
  explicit Places(float distance) : distance_(distance) {}
  bool take(float y) {
    if (std::ranges::any_of(taken_, [&](float other) { return std::abs(other - y) < distance_; })) return false;
    taken_.push_back(y);
    return true;
  }

 private:
  float distance_;
  std::vector<float> taken_;
};

void line(const GraphPlot& plot, float y, ImU32 colour) {
  plot.draw.AddRectFilled({plot.from.x, y}, {plot.to.x, y + 1}, colour);
}

// The leftmost place of `width` pixels where no bar reaches above `y`; nullopt: there is none.
std::optional<float> place_over_bars(const GraphPlot& plot, float width, float y) {
  auto free_from = plot.from.x;
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto x = plot.view.x(number);
    if (x - free_from >= width) break;
    if (plot.y(plot.column(number)->highest / 1000.0) < y) free_from = x + plot.view.pitch;
  }
  return plot.to.x - free_from >= width ? std::optional(free_from) : std::nullopt;
}

// A text above its line. It hides no bar: it stands where none is as high, as far at the left as it can, where the oldest
// ones are; among bars that are all higher there is no place for it.
void axis_label(const GraphPlot& plot, float y, const std::string& text, ImU32 colour) {
  const auto size = ImGui::CalcTextSize(text.c_str());
  const auto top = y - size.y < plot.from.y ? y + 1
                                            : y - size.y - 2;  // a bar as high as the line may reach a pixel above it
  const auto gap = std::round(em() * 0.25f);
  if (const auto x = place_over_bars(plot, size.x + 2 * gap, top + size.y))
    plot.draw.AddText({std::round(*x + gap), top}, colour, text.c_str());
}

// Left of the plot, beside a time; false where the texts before left no place.
bool time_text(const GraphPlot& plot, double ms, const std::string& text, ImU32 colour, Places& places) {
  const auto y = std::clamp(plot.y(ms) - em() / 2, plot.from.y - em() * 0.3f, plot.to.y - em() * 0.8f);
  if (!places.take(y)) return false;
  plot.draw.AddText({plot.from.x - ImGui::CalcTextSize(text.c_str()).x - em() * 0.3f, y}, colour, text.c_str());
  return true;
}

struct Tick {
  double value, step;
  float x;
};

// Seconds before the newest frame, or ids: round numbers, where they are among the frames shown. The newest comes first.
template <class Value>
std::vector<Tick> frame_ticks(const GraphPlot& plot, double least_step, Value value) {
  const auto per = plot.view.per_column;
  const auto kept = plot.history.added() - plot.history.frames().size();
  const auto first = std::max(plot.begin() * per, kept) + 1, last = std::min(plot.end() * per, plot.history.added());
  std::vector<Tick> ticks;
  if (first >= last) return ticks;
  const auto at = [&](std::uint64_t frame) { return value(*frame_numbered(plot.history, frame)); };
  const auto room = std::max(1.0, std::floor(static_cast<double>((plot.to.x - plot.from.x) / (em() * 5))));
  const auto step = round_step(std::max((at(last) - at(first)) / room, least_step));
  for (auto tick = std::ceil(at(first) / step) * step; tick <= at(last) + step * 1e-6; tick += step) {
    auto low = first, high = last;  // the first frame that is not before the tick
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (at(middle) < tick - step * 1e-6)
        low = middle + 1;
      else
        high = middle;
    }
    ticks.push_back({tick, step, plot.view.x(plot.view.column_of(low))});
  }
  std::ranges::reverse(ticks);
  return ticks;
}

// Left of the texts of newer ticks, which end at `free_to`: where there is no room the newer one is shown.
void tick_text(const GraphPlot& plot, const Tick& tick, const std::string& text, float& free_to) {
  const auto width = ImGui::CalcTextSize(text.c_str()).x;
  const auto x = std::clamp(tick.x - width / 2, plot.from.x, plot.to.x - width);
  plot.draw.AddRectFilled({tick.x, plot.to.y}, {tick.x + 1, plot.to.y + 3}, colour::dim);
  if (x + width > free_to + 0.5f) return;
  plot.draw.AddText({x, plot.to.y + 2}, colour::dim, text.c_str());
  free_to = x - em() * 0.6f;
}

}  // namespace

void draw_time_axis(const GraphPlot& plot) {
  Places left(em()), lines(em() * 1.1f);
  const auto target = std::round(plot.y(plot.target));
  const bool target_seen = plot.target <= plot.scale.top && plot.target >= plot.scale.low;
  if (target_seen) lines.take(target);
  for (const auto rate : rates) {
    const auto ms = 1000.0 / rate;
    const auto y = std::round(plot.y(ms));
    if (ms > plot.scale.top || ms < plot.scale.low || !lines.take(y)) continue;
    line(plot, y, colour::translucent(colour::text, 40));
    axis_label(plot, y, std::to_string(rate) + "/s", colour::dim);
  }
  if (target_seen) {
    line(plot, target, colour::translucent(colour::text, 150));
    axis_label(plot, target, "target", colour::text);
  }
  const double unit = plot.scale.top >= 1000 ? 1000 : 1;  // in milliseconds there is no room for so many digits
  bool unit_said = false;
  if (target_seen) time_text(plot, plot.target, number(plot.target / unit, unit > 1 ? 2 : 1), colour::text, left);
  auto values = ticks(plot.scale, static_cast<int>((plot.to.y - plot.from.y) / (em() * 1.6f)) + 1);
  std::ranges::reverse(values);
  const auto step = values.size() > 1 ? values[0] - values[1] : plot.scale.top;
  for (const auto value : values) {
    const auto text = with_decimals_of((plot.scale.logarithmic ? value : step) / unit, value / unit);
    const auto said = unit_said ? "" : unit > 1 ? " s" : " ms";
    if (time_text(plot, value, text + said, colour::dim, left)) unit_said = true;
  }
}

void draw_frame_axis(const GraphPlot& plot) {
  auto free_to = plot.to.x;
  if (plot.ui.settings.graph_axis == GraphAxis::frames) {
    const auto width = ImGui::CalcTextSize("frame").x;
    plot.draw.AddText({plot.from.x - width - em() * 0.3f, plot.to.y + 2}, colour::dim, "frame");
    for (const auto& tick : frame_ticks(plot, 1, [](const HistoryFrame& frame) { return static_cast<double>(frame.id); }))
      tick_text(plot, tick, grouped(static_cast<std::uint64_t>(tick.value + 0.5)), free_to);
    return;
  }
  const auto newest = plot.history.frames().empty() ? FrameRecord::Clock::time_point{}
                                                    : plot.history.frames().back().presented;
  const auto seconds = [&](const HistoryFrame& frame) {
    return std::chrono::duration<double>(frame.presented - newest).count();
  };
  for (const auto& tick : frame_ticks(plot, 1e-3, seconds))
    tick_text(plot, tick, with_decimals_of(tick.step, tick.value) + " s", free_to);
}

// Marks in the frame graph: where the work changed, and where frames were dropped.

namespace {

const Work* work_of(const FrameHistory& history, const HistoryFrame* frame) {
  return frame ? history.work(frame->work) : nullptr;
}

// The first frame of the column that begins another work; 0: none.
std::uint64_t change_in(const GraphPlot& plot, std::uint64_t column) {
  const auto per = plot.view.per_column;
  for (auto number = std::max<std::uint64_t>(column * per + 1, 2); number <= (column + 1) * per; ++number) {
    const auto *before = frame_numbered(plot.history, number - 1), *frame = frame_numbered(plot.history, number);
    if (before && frame && before->work != frame->work) return number;
  }
  return 0;
}

}  // namespace

std::string change_at(const FrameHistory& history, std::uint64_t number) {
  const auto *before = work_of(history, frame_numbered(history, number - 1)),
             *work = work_of(history, frame_numbered(history, number));
  return before && work && before->number != work->number ? what_changed(*before, *work) : std::string();
}

void draw_marks(const GraphPlot& plot) {
  const auto side = 3 * plot.ui.scale;
  for (auto number = plot.begin(); number < plot.end(); ++number) {
    const auto& column = *plot.column(number);
    const auto x = plot.view.x(number);
    if (column.dropped)
      plot.draw.AddRectFilled({x, plot.to.y - side}, {x + std::max(plot.view.pitch, side), plot.to.y}, colour::warning);
    if (!column.other_work) continue;
    const auto change = change_in(plot, number);
    const auto *before = work_of(plot.history, frame_numbered(plot.history, change - 1)),
               *work = work_of(plot.history, frame_numbered(plot.history, change));
    const auto mark = before && work && !same_source(*before, *work) ? colour::warning : colour::accent;
    plot.draw.AddRectFilled({x - 1, plot.from.y}, {x, plot.to.y}, mark);
    plot.draw.AddTriangleFilled({x - 0.5f - side, plot.from.y}, {x - 0.5f + side, plot.from.y},
                                {x - 0.5f, plot.from.y + side * 1.6f}, mark);
  }
}

// The histogram beside the bars, on the same scale of times: of the frames that the figures are of.

namespace {

// Some of the histogram's bins, as one bar.
struct Row {
  float top, bottom;
  double ms;  // in their middle
  std::uint64_t count;
};

// The bins have a scale of their own: where that of the bars is much larger, a bin is lower than a pixel and would not be
// drawn. Neighbours are joined until they are at least a pixel high.
std::vector<Row> rows_of(const GraphPlot& plot) {
  const auto& counts = plot.ui.state.graph.histogram;
  const auto& scale = plot.ui.state.graph.histogram_scale;
  const auto time = [&](std::size_t i) { return scale.at(static_cast<double>(i) / static_cast<double>(counts.size())); };
  std::vector<Row> rows;
  std::size_t first = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    const auto low = time(first), high = time(i + 1);
    const auto top = std::round(plot.y(high)), bottom = std::round(plot.y(low));
    if (bottom - top < 1 && i + 1 < counts.size()) continue;
    if (bottom - top < 1 && !rows.empty())
      rows.back().count += count;  // the last ones are above the bars' scale
    else
      rows.push_back({std::min(top, bottom - 1), bottom, (low + high) / 2, count});
    first = i + 1;
    count = 0;
  }
  return rows;
}

}  // namespace

void draw_histogram(const GraphPlot& plot, float right) {
  const auto rows = rows_of(plot);
  const auto left = plot.to.x + 4 * plot.ui.scale, width = right - left;
  if (rows.empty() || width < 8) return;
  const auto most = static_cast<float>(std::max<std::uint64_t>(std::ranges::max(rows, {}, &Row::count).count, 1));
  plot.draw.AddRectFilled({left, plot.from.y}, {right, plot.to.y}, colour::background, 2);
  for (const auto& row : rows) {
    if (row.count == 0) continue;
    // Never invisible: a single slow frame of many is what one looks for.
    const auto length = std::max(width * static_cast<float>(row.count) / most, 1.5f * plot.ui.scale);
    const bool intervals = plot.ui.settings.graph_shows == GraphShows::interval;  // of other times the colour would mislead
    plot.draw.AddRectFilled({left, row.top}, {left + length, row.bottom},
                            intervals ? time_colour(row.ms, plot.target) : ImU32(colour::accent));
  }
}

}  // namespace app::ui
