// FrameSearch: a thread of its own looks for something in the frame that is shown: one search at a time, each for what was asked
// for last when it began.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/capture/frame.h"
#include "app/control/feature_gallery.h"
#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "app/support/interrupt.h"
#include "app/support/threads.h"
#include "gpu/vision/window_stages.h"

namespace app {

struct FrameNumber {
  std::uint64_t source = 0, sequence = 0, seek = 0;
  std::optional<capture::ValueWindow> values = {};  // that are shown, of a source of 16 bits
  friend bool operator==(const FrameNumber&, const FrameNumber&) = default;
};
inline FrameNumber number_of(const capture::Frame& frame, std::uint64_t source) {
  return {source, frame.sequence, frame.seek, frame.values.channels > 0 ? frame.values.shown : std::nullopt};
}

// `Asked`: what it looks for, and in which frame.
template <class Asked, class Found>
class FrameSearch {
 public:
  bool busy() const { return under_way_.has_value(); }
  // Not while it is busy. `search` may use what its owner does not change until then.
  void begin(Asked asked, std::function<Found()> search) {
    thread_.begin([this, search = std::move(search)] { next_ = search(); });
    under_way_ = std::move(asked);
  }
  // Takes what was found, where it is there within `patience`. Throws what the search threw: then nothing is found.
  void take(std::chrono::microseconds patience) try {
    if (!under_way_ || !thread_.wait(patience)) return;
    set(*std::exchange(under_way_, std::nullopt), std::move(next_));
  } catch (...) {
    under_way_.reset();
    forget();
    throw;
  }
  // The same, however long it takes; once the run is interrupted, a moment.
  void wait() {
    for (int turn = 0; busy() && (turn < 20 || !interrupted()); ++turn) take(std::chrono::milliseconds(50));
  }
  void set(Asked asked, Found found) {
    found_for_ = std::move(asked);
    found_ = std::move(found);
  }
  void forget() {
    found_for_.reset();
    found_ = {};
  }

  const Found& found() const { return found_; }                         // last
  const std::optional<Asked>& found_for() const { return found_for_; }  // empty: nothing yet

 private:
  std::optional<Asked> under_way_, found_for_;
  Found found_{}, next_{};  // next_: the thread's while it searches
  TaskThread thread_;       // last: its task uses what is above
};

// CascadeView: the window of a cascade that the settings choose, stage by stage, in the frame whose picture is shown. A thread of
// its own evaluates it.
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
  // What the effect says about the picture that is shown: of a place in a detection its best window is shown. Until that has
  // arrived from a GPU, what was found in the picture before counts.
  void take_found(const PictureAnnotations& annotations);
  // `frame`: of the picture that is shown, from the source of that number; `in_use`: what the picture was made with. Begins to
  // evaluate the window, while the tab Detector is shown, once per frame, place and arguments.
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
    std::optional<gpu::vision::Window> detected;  // around that place
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  struct Seen {
    std::shared_ptr<const CascadeWindow> window;
    std::string problem;
  };
  void begin(const capture::Frame& frame);
  void take();
  Seen look(const Asked& asked);

  std::optional<Asked> asked_;
  PictureAnnotations::List annotations_;
  // The thread's while it evaluates.
  std::string name_;
  std::shared_ptr<const gpu::vision::Cascade> cascade_;  // of that name; null before the first
  gpu::Image<std::uint8_t> gray_;
  std::optional<FrameNumber> gray_of_;
  FrameSearch<Asked, Seen> search_;  // last: its thread uses what is above
};

// ResponseSearch: the places at which the frame that is shown responds most to the feature of the gallery. A thread of its
// own finds them, from a table of its own: the picture waits for nothing.

// What the effect haar shows as the value of a feature with its corner at x, y.
struct Response {
  int x = 0, y = 0, value = 0;
  friend bool operator==(const Response&, const Response&) = default;
};

// The `count` responses that are largest without their sign, strongest first: of equal ones the upper, then the left. No
// feature of the list overlaps a stronger one, and no response is 0. `feature`: its type and size, in the table's pixels;
// empty where it is larger than the table.
std::vector<Response> strongest_responses(const gpu::effects::SatView& sat, const HaarFeature& feature, std::size_t count);

struct FoundResponses {
  static constexpr std::size_t most = 20;

  HaarFeature feature{};  // in the picture's pixels, its corner at 0, 0
  gpu::Size picture;
  std::vector<Response> strongest = {};
  std::string problem = {};  // why they could not be found, one line; else empty
};

class ResponseSearch {
 public:
  // Searches from now on for `feature`, a number of the gallery; 0: none.
  void want(int feature, int scale) { shown_.feature = feature, shown_.scale = scale; }
  // `frame`: of the picture that is shown, from the source of that number; its pixels are copied. Begins a search where one is
  // wanted, once per frame and feature; while frames follow one another, a few times per second.
  void update(const capture::Frame& frame, std::uint64_t source) { update(frame, source, false); }
  // The same, until the responses of this frame are there.
  void wait(const capture::Frame& frame, std::uint64_t source);

  const std::shared_ptr<const FoundResponses>& found();            // null: none yet, or none wanted
  bool of_shown() const { return search_.found_for() == shown_; }  // else of an earlier frame or feature
  bool busy() const { return search_.busy(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Subject {
    FrameNumber frame;
    int feature = 0, scale = 1;
    friend bool operator==(const Subject&, const Subject&) = default;
  };
  void update(const capture::Frame& frame, std::uint64_t source, bool at_once);
  void begin(const capture::Frame& frame);

  Subject shown_;
  Clock::time_point begun_;
  capture::Frame frame_;                                                // a copy, for the thread
  FrameSearch<Subject, std::shared_ptr<const FoundResponses>> search_;  // last: its thread uses what is above
};

}  // namespace app
