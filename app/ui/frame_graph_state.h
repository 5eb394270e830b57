// FrameGraphState: what the frame graph shows, and which frames the figures of all panels are of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/capture/capture.h"
#include "app/session/frame_history.h"
#include "app/ui/frame_summary.h"
#include "app/ui/graph_scale.h"

namespace app::ui {

// The frames that figures are of.
struct FiguresFrames {
  std::uint64_t count = 0, first = 0, last = 0;  // the latter two: ids
  bool selected = false;                         // by the user; else all since the work last changed
};
// "301 frames"; "frames 1200 to 1500, 301 frames" where they are selected.
std::string frames_text(const FiguresFrames& frames);
// The same in fewer and fewer letters, where there is less room; a range always has both of its ends.
std::vector<std::string> frames_texts(const FiguresFrames& frames);

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
  GraphScaleOfTimes histogram_scale;
  std::vector<std::uint64_t> histogram;  // frames of each bin of that scale, from its low end; those above it in the last
};

// Puts the graph's own figures there.
void summarise(const FrameFigures& figures, const Settings& settings, FrameGraphState& state);

}  // namespace app::ui
