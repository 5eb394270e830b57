// FrameGraphState: what the frame graph shows, and which frames the figures of all panels are of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/capture/capture.h"
#include "app/control/settings.h"
#include "app/pipeline/frame_figures.h"
#include "app/session/frame_history.h"

namespace app {

// The figures of the frame graph.
struct FrameSummary {
  std::size_t frames = 0;                     // that the figures are of
  double p50 = 0, p90 = 0, p99 = 0, max = 0;  // milliseconds
  double late = 0;                            // the fraction of intervals that are not on_time(), 0..1
  double fps = 0, low_1 = 0, low_01 = 0;      // of the intervals: see FrameFigures
  // Whatever the graph shows: medians, milliseconds, 0 of few frames; and whether a tenth of the source's frames was not taken.
  double interval = 0, work = 0;
  bool drops = false;
};

// A third above the target is still on time: a monitor shows a frame at one of its refreshes, and those that are shown late and
// early in turn are no reason to look for a fault.
constexpr double latest_on_time(double target) { return target * 4 / 3; }
constexpr bool on_time(double interval, double target) { return interval <= latest_on_time(target); }

// Where frames are late although computing would be on time: what they wait for, as far as the figures say. Else empty.
// "Frames take 170 ms, computing 5.7: the window waits for the display". `computing`, `target`: milliseconds. `processor_draws`:
// OpenGL is software.
std::string why_late(const FrameSummary& summary, double computing, double target, bool processor_draws);

// What the graph shows of each frame: its times.
const Distribution& values_of(const FrameFigures& figures, GraphShows shows);
FrameSummary summarise(const FrameFigures& figures, GraphShows shows, double target_ms);

// The upper end, in milliseconds, of a scale that begins at 0, for frames that take at most `slowest` milliseconds, nearly all of
// them at most `slow`. Round, above the slow ones, such that one outlier does not flatten all others; also above the target,
// unless that would make slivers of the others.
double top_of_times(double slow, double slowest, double target);
// 1, 2 or 5 times a power of ten, not below `least`.
double round_step(double least);

// The frames that figures are of.
struct FiguresFrames {
  std::uint64_t count = 0, first = 0, last = 0;  // the latter two: ids
  bool selected = false;                         // by the user; else all since the work last changed
};
// "301 frames"; "frames 1200 to 1500, 301 frames" where they are selected.
std::string frames_text(const FiguresFrames& frames);

// The target of a frame, in milliseconds: what the user set; else the time from one frame of the source to the next, as it
// plays now; else that of most monitors.
double target_of(const Settings& settings, const capture::Status& source);
// Where it comes from: "the source's rate, 2x".
std::string target_origin(const Settings& settings, const capture::Status& source);

struct FrameGraphState {
  const FrameHistory* history = nullptr;  // null: nothing to show
  double target_ms = 1000.0 / 60;         // that frames are compared with
  FiguresFrames of;                       // the figures of all panels
  FiguresFrames summary_of;               // the graph's own: while it is paused, those of before
  FrameSummary summary;                   // of what the graph shows
  double histogram_top = 1;               // milliseconds at the end of the last bin
  std::vector<std::uint64_t> histogram;   // frames of each bin, from 0 on; those above all bins in the last
};

// Puts the graph's own figures there.
void summarise(const FrameFigures& figures, const Settings& settings, FrameGraphState& state);

// GraphView: which frames the graph shows, and where: columns of whole pixels, the last at the right edge. GraphColumns: what is
// in them.
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
std::optional<std::uint64_t> frame_number_of(const FrameHistory& history,
                                             std::uint64_t id);  // the nearest one before it, too

// The work of the frame of a number; nullptr where it is not there.
const Work* work_of(const FrameHistory& history, std::uint64_t number);
// What changed at a frame that is the first of another work; empty where it is not.
std::string change_at(const FrameHistory& history, std::uint64_t number);
// The frames of a column that are kept, by their numbers.
FrameRange frames_of(const FrameHistory& history, const GraphView& view, std::uint64_t column);
// Those between two columns, by their ids: of one work, as figures are, that of the frame at `from`.
FrameRange range_between(const FrameHistory& history, const GraphView& view, std::uint64_t from, std::uint64_t to);

// What the graph shows of a frame, in microseconds; below 0 where the frame has no such time.
double shown_time(const HistoryFrame& frame, GraphShows shows);

struct GraphColumn {
  std::uint64_t slowest = 0;                        // its number: see FrameHistory::added()
  float median = 0, highest = 0;                    // of the times shown, microseconds
  float median_interval = 0, longest_interval = 0;  // likewise, of the intervals; 0: there is none
  bool timed = false;                               // a frame of it has such a time
  std::uint64_t change = 0;                         // the number of its first frame of another work; 0: none
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

}  // namespace app
