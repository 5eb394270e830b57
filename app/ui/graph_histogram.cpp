// The histogram beside the bars, on the same scale of times: of the frames that the figures are of.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/frame_graph.h"
#include "app/ui/theme.h"

namespace app::ui {
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
