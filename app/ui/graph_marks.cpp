// Marks in the frame graph: where the work changed, and where frames were dropped.
#include <algorithm>

#include "app/ui/frame_graph.h"
#include "app/ui/theme.h"

namespace app::ui {
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

}  // namespace app::ui
