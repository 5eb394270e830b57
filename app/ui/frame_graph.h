// The parts of the frame graph, and what they share while one drawing is made.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/panel.h"

namespace app::ui {

// One drawing of the plot: the bars and what is over them.
struct GraphPlot {
  PanelContext& ui;
  const FrameHistory& history;
  GraphDraft& draft;
  ImDrawList& draw;
  ImVec2 from, to;  // the bars' place
  GraphView view;
  double top;                            // milliseconds at the upper edge; 0 are at the lower one
  double target;                         // milliseconds
  std::optional<std::uint64_t> hovered;  // the column under the mouse

  float y(double ms) const;                                    // between the edges
  const GraphColumn* column(std::uint64_t number) const;       // nullptr: there is none
  const HistoryFrame* slowest_of(std::uint64_t column) const;  // likewise
  std::uint64_t begin() const;                                 // of the columns to draw: [begin, end)
  std::uint64_t end() const;
};

// "60/s", "29.97/s", "0.4/s".
std::string rate_text(double per_second);
// Milliseconds with so many digits, but at least one decimal and at most three: with two "0.025", "0.25", "2.5", "25.0".
std::string milliseconds(double ms, int digits);
// The colour of a row's pieces, where several are drawn as one bar; groups, transfers and waiting have grays.
ImU32 row_colour(const KernelRow& row);
// The colour of a path wherever it is drawn: its row's, or, of a path that no longer runs, one made from its name.
ImU32 path_colour(std::span<const KernelRow> rows, std::string_view path);
// The colour of an interval: good where it is on_time(), bad above twice the target; dim where it is 0, not known.
ImU32 time_colour(double ms, double target);

void draw_bars(const GraphPlot& plot);
void draw_times(const GraphPlot& plot);    // at the left, with a line at each, and one at the target
void draw_seconds(const GraphPlot& plot);  // below, before the newest frame
void draw_marks(const GraphPlot& plot);    // where the work changed or frames were dropped
void draw_histogram(const GraphPlot& plot, float right);

}  // namespace app::ui
