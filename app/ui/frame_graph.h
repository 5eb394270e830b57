// The parts of the frame graph, and what they share while one drawing is made.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/frame_graph_state.h"
#include "app/ui/panel.h"

namespace app::ui {

// What the graph keeps from one drawing to the next: columns, and a selection while the mouse makes it.
struct GraphDraft {
  GraphColumns columns;
  std::optional<std::uint64_t> drag_from;  // the column where the mouse went down
  bool dragged = false;                    // it has moved since: a selection, not a click
  bool from_empty = false;                 // it went down where no frames are
  float panned = 0;                        // pixels that are not yet a column
};

// One drawing of the plot: the bars and what is over them.
struct GraphPlot {
  PanelContext& ui;
  const FrameHistory& history;
  GraphDraft& draft;
  ImDrawList& draw;
  ImVec2 from, to;  // the bars' place
  GraphView view;
  GraphScaleOfTimes scale;
  double target;                         // milliseconds
  std::optional<std::uint64_t> hovered;  // the column under the mouse

  float y(double ms) const;
  const GraphColumn* column(std::uint64_t number) const;  // nullptr: there is none
  bool empty_at(float x) const;                           // there are no frames
  std::optional<std::uint64_t> nearest(float x) const;    // a column that has frames; nullopt: there is none at all
  std::uint64_t begin() const;                            // of the columns to draw: [begin, end)
  std::uint64_t end() const;
};

// "60/s", "29.97/s", "0.4/s".
std::string rate_text(double per_second);
// The colour of an interval: good where it is on_time(), bad above twice the target; dim where it is 0, not known.
ImU32 time_colour(double ms, double target);

void draw_bars(const GraphPlot& plot);
void draw_time_axis(const GraphPlot& plot);   // at the left, with lines at usual frame rates and at the target
void draw_frame_axis(const GraphPlot& plot);  // below
void draw_marks(const GraphPlot& plot);       // where the work changed or frames were dropped
void draw_histogram(const GraphPlot& plot, float right);
void draw_selection(const GraphPlot& plot);
void graph_input(GraphPlot& plot);       // hover, click, drag, wheel
void draw_cards(const GraphPlot& plot);  // of the frames hovered and pinned

// What changed at a frame that is the first of another work; empty where it is not.
std::string change_at(const FrameHistory& history, std::uint64_t number);

}  // namespace app::ui
