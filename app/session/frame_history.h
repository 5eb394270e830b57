// FrameHistory: tens of thousands of frames in compact form, for the graph and for statistics over a range of frames; and
// the works that they belong to. Adding a frame allocates nothing in steady state.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/frame_figures.h"

namespace app {

// Work: what frames have in common whose figures belong together. Whatever of it changes starts the statistics anew.

// Anything else that the cost or the rate of frames depends on: how they reach the window, how fast the source plays.
struct Circumstance {
  std::string name, value;  // "path to the window", "interop"
  friend bool operator==(const Circumstance&, const Circumstance&) = default;
};

struct Work {
  std::uint64_t number = 0;  // counts them in a run, from 1
  std::shared_ptr<const std::string> source;
  std::shared_ptr<const Selection> selection;  // but for an effect's position, which changes no work
  gpu::Size size;
  std::vector<Circumstance> circumstances;
};

// What the second has that the first has not: "effect: Box blur, before None", a line each; or "statistics reset".
std::string what_changed(const Work& before, const Work& after);
bool same_source(const Work& a, const Work& b);

// Its `stages` are elsewhere: FrameHistory::stages(), times().
struct HistoryFrame : FrameTimes {
  FrameRecord::Clock::time_point presented;
  std::uint64_t work = 0;         // Work::number
  std::uint64_t first_stage = 0;  // counts the stages ever added
  std::uint16_t stage_count = 0;
  bool again = false;
  bool complete = false;  // its times are there, or will not come
};

// The time of one path in one frame. Where it lost time (StageTime::lost), another one follows that says how much.
struct HistoryStage {
  static constexpr std::uint64_t of_lost_time = 3;  // in place of a kind

  std::uint64_t nanoseconds : 40;  // up to 18 minutes
  std::uint64_t launches : 11;
  std::uint64_t path : 9;  // FrameHistory::path()
  std::uint64_t kind : 2;  // gpu::SpanKind, or of_lost_time
  std::uint64_t leaf : 1;
  std::uint64_t outermost : 1;
};

class FrameHistory {
 public:
  static constexpr std::size_t frames_kept = 1 << 16;

  FrameHistory();

  void begin(const Work& work);            // of the frames that follow
  void add(const FrameRecord& frame);      // presented; its times may be missing
  void complete(const FrameTimes& times);  // of the oldest frame that is not complete

  std::span<const HistoryFrame> frames() const;                           // oldest first
  std::uint64_t removed() const { return added() - frames().size(); }     // those before frames(), of all that were added
  std::uint64_t added() const { return removed_ + frames_.size(); }       // ever; frames().back() has this number, from 1
  std::span<const HistoryStage> stages(const HistoryFrame& frame) const;  // in the order in which they begin
  // What statistics and rows take from a frame; `stages` holds its stages.
  FrameTimes times(const HistoryFrame& frame, std::vector<StageTime>& stages) const;
  // What rows take besides, as far as it is kept; without a source, selection and size where no longer known.
  FrameRecord record(const HistoryFrame& frame) const;
  const std::string& path(const HistoryStage& stage) const { return paths_[stage.path]; }
  std::span<const std::string> paths() const { return paths_; }
  const Work* work(std::uint64_t number) const;  // nullptr where no frame is left of it

  // The frames of `range` that belong to one work, that of the last of them: as indices of frames(), [first, end).
  struct Indices {
    std::size_t first = 0, end = 0;
    std::size_t count() const { return end - first; }
  };
  Indices find(const FrameRange& range) const;
  // The figures of the complete frames among them.
  FrameFigures figures(Indices indices) const;

 private:
  void trim();
  std::uint64_t path_index(const std::string& path);

  std::vector<HistoryFrame> frames_;
  std::vector<HistoryStage> stages_;
  std::vector<std::string> paths_;
  std::deque<Work> works_;
  std::uint64_t removed_ = 0, removed_stages_ = 0;
  std::size_t complete_ = 0;  // of frames_
};

}  // namespace app
