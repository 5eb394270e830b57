// ShownSides: of which frame the pictures are that a pipeline published last, so that a comparison whose wipe alone has moved
// is composed of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "app/capture/frame.h"
#include "app/control/selection.h"

namespace app {

class ShownSides {
 public:
  // Something is computed: until it is published, the pictures are of no frame that counts.
  void begin() {
    computed_.reset();
    shown_.reset();
  }
  void computed(const capture::Frame& frame) { computed_ = identity(frame); }  // without an error
  void publish() { shown_ = computed_; }

  // Whether the pictures are the sides of `wanted`, of this frame, and only its wipe differs from that of `made`.
  bool are_of(const capture::Frame& frame, const Selection& made, const Selection& wanted) const {
    if (shown_ != identity(frame)) return false;
    auto before = wanted;
    before.composition.wipe = made.composition.wipe;
    return before == made && wanted != made;
  }

 private:
  struct Identity {
    std::chrono::steady_clock::time_point captured;
    std::uint64_t sequence = 0, seek = 0;
    gpu::Size size;
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  static Identity identity(const capture::Frame& frame) { return {frame.captured, frame.sequence, frame.seek, frame.size}; }

  std::optional<Identity> computed_, shown_;
};

}  // namespace app
