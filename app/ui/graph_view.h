// GraphView: which frames the graph shows, and where: columns of whole pixels, the last at the right edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "app/control/settings.h"
#include "app/session/frame_history.h"

namespace app::ui {

struct GraphView {
  float left = 0, right = 0;     // pixels
  float pitch = 3;               // pixels per column
  std::uint64_t per_column = 1;  // frames
  std::uint64_t last = 0;        // the column at the right edge: see GraphColumns

  std::uint64_t columns() const { return static_cast<std::uint64_t>((right - left) / pitch); }
  std::uint64_t first() const { return last + 1 - std::min(columns(), last + 1); }  // the leftmost column
  std::uint64_t frames() const { return columns() * per_column; }
  std::uint64_t column_of(std::uint64_t frame) const { return (frame - 1) / per_column; }  // `frame`: its number, from 1
  float x(std::uint64_t column) const { return right - static_cast<float>(last + 1 - column) * pitch; }  // its left edge
  // The column at `x`, the nearest one outside of them; nullopt where the history has none.
  std::optional<std::uint64_t> column_at(float x) const;
};

// `scale`: of the display. Settings::graph_frames and graph_end say what to show.
GraphView graph_view(const FrameHistory& history, const Settings& settings, float left, float right, float scale);

// The number of frames to show after turning the wheel by `steps`: fewer for steps above 0.
int zoomed_frames(const GraphView& view, float steps);
// Settings::graph_end for the frame of that number at the right edge; 0 where that is the newest, or a later one.
int end_at(const FrameHistory& history, std::int64_t number);

// The frame of a number, or of an id; nullptr where it is not there.
const HistoryFrame* frame_numbered(const FrameHistory& history, std::uint64_t number);
std::optional<std::uint64_t> number_of(const FrameHistory& history, std::uint64_t id);  // the nearest one before it, too

}  // namespace app::ui
