// CascadeView: the window of a cascade that the settings choose, stage by stage, in the frame whose picture is shown. A thread of
// its own evaluates it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "app/session/frame_search.h"
#include "gpu/vision/window_stages.h"

namespace app {

struct CascadeWindow {
  std::string name;  // of the cascade, as the effect's parameter says it
  std::shared_ptr<const gpu::vision::Cascade> cascade;
  int levels = 0;
  gpu::vision::WindowStages stages;
};

// The stage that is shown, from 0 on: the one that the settings choose, else the last that the window reached. -1: the window has
// none.
int shown_stage(const gpu::vision::WindowStages& window, const Settings& settings);

class CascadeView {
 public:
  // `frame`: of the picture that is shown, from the source of that number; `in_use`: what the picture was made with. Begins to
  // evaluate the window, while the Cascade tab is shown, once per frame, place and arguments.
  void update(const capture::Frame& frame, std::uint64_t source, const Selection& in_use, const Settings& settings);
  // The same, until the window of this frame is there.
  void wait(const capture::Frame& frame, std::uint64_t source, const Selection& in_use, const Settings& settings);

  // What was evaluated last. Null: no window is chosen, or there is none.
  const std::shared_ptr<const CascadeWindow>& window();
  const std::string& problem();  // why there is none where one is chosen, one line; else empty
  bool busy() const { return search_.busy(); }

 private:
  struct Asked {
    FrameNumber frame;
    Pointer at;
    const gpu::Effect* effect = nullptr;
    gpu::Arguments arguments;
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  struct Seen {
    std::shared_ptr<const CascadeWindow> window;
    std::string problem;
  };
  void begin(const capture::Frame& frame);
  void take(std::chrono::microseconds patience);
  Seen look(const Asked& asked);

  std::optional<Asked> asked_;
  // The thread's while it evaluates.
  std::string name_;
  std::shared_ptr<const gpu::vision::Cascade> cascade_;  // of that name; null before the first
  gpu::Image<std::uint8_t> gray_;
  std::optional<FrameNumber> gray_of_;
  FrameSearch<Asked, Seen> search_;  // last: its thread uses what is above
};

}  // namespace app
