// ResponseSearch: the places at which the frame that is shown responds most to the feature of the gallery. A thread of its
// own finds them, from a table of its own: the picture waits for nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/capture/frame.h"
#include "app/control/feature_gallery.h"
#include "app/session/frame_search.h"

namespace app {

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
  // From now on. `feature`: its number; 0: none.
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
