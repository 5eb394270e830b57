// GraphColumns: tens of thousands of frames as columns of some frames each, kept from one drawing to the next, so that a
// drawing looks only at what is new.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/control/settings.h"
#include "app/session/frame_history.h"

namespace app::ui {

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
