// The histogram beside the bars, on the same scale of times: of the frames that the figures are of.
#include <algorithm>

#include "app/ui/frame_graph.h"
#include "app/ui/theme.h"

namespace app::ui {

void draw_histogram(const GraphPlot& plot, float right) {
  const auto& counts = plot.ui.state.graph.histogram;
  const auto left = plot.to.x + 4 * plot.ui.scale, width = right - left;
  if (counts.empty() || width < 8) return;
  const auto& scale = plot.ui.state.graph.histogram_scale;
  const auto most = static_cast<float>(std::max<std::uint64_t>(*std::ranges::max_element(counts), 1));
  plot.draw.AddRectFilled({left, plot.from.y}, {right, plot.to.y}, colour::background, 2);
  const auto bins = static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto low = scale.at(static_cast<double>(i) / bins), high = scale.at(static_cast<double>(i + 1) / bins);
    // Never invisible: a single slow frame of many is what one looks for.
    const auto length = std::max(width * static_cast<float>(counts[i]) / most, 1.5f * plot.ui.scale);
    plot.draw.AddRectFilled({left, plot.y(high)}, {left + length, plot.y(low)}, time_colour((low + high) / 2, plot.target));
  }
}

}  // namespace app::ui
