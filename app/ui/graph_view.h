// GraphView: which frames the graph shows, and where: columns of whole pixels, the last at the right edge. GraphColumns: what is
// in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

// What the graph shows of a frame, in microseconds; below 0 where the frame has no such time.
double shown_time(const HistoryFrame& frame, GraphShows shows);

struct GraphColumn {
  std::uint64_t slowest = 0;                        // its number: see FrameHistory::added()
  float median = 0, highest = 0;                    // of the times shown, microseconds
  float median_interval = 0, longest_interval = 0;  // likewise, of the intervals; 0: there is none
  bool timed = false;                               // a frame of it has such a time
  bool other_work = false;                          // a frame of it is the first of another work
  bool dropped = false;                             // frames before one of it were dropped
};

// Tens of thousands of frames as columns of some frames each, kept from one drawing to the next, so that a drawing looks only at
// what is new.
class GraphColumns {
 public:
  // Columns of `per_column` frames: the frames numbered 1 to per_column, and so on. All that the history has.
  void update(const FrameHistory& history, GraphShows shows, std::uint64_t per_column);

  std::uint64_t begin() const { return begin_; }  // the number of the first column, from 0
  std::uint64_t end() const { return begin_ + columns_.size(); }
  const GraphColumn& operator[](std::uint64_t number) const { return columns_[number - begin_]; }

 private:
  GraphColumn column(const FrameHistory& history, std::uint64_t number);

  const FrameHistory* history_ = nullptr;
  GraphShows shows_ = GraphShows::work;
  std::uint64_t per_column_ = 0;
  std::uint64_t begin_ = 0, final_ = 0;  // columns before final_ change no more
  std::vector<GraphColumn> columns_;
  std::vector<float> times_, intervals_;
};

}  // namespace app::ui
