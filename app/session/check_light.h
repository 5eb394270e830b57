// CheckLight: what the checks of tables have found. It stays red after the first wrong table, and keeps that frame, until it
// is reset.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/capture/frame.h"
#include "app/pipeline/picture.h"

namespace app {

struct WrongFrame {
  std::uint64_t id = 0;
  double position = 0;  // seconds into the source
  gpu::WrongTable wrong;
  gpu::Size size;
  std::vector<gpu::Bgr> pixels;  // the input
};
// One line: "the table of frame 12 is wrong at (3, 2): 120 instead of 110; ...".
std::string text_of(const WrongFrame& frame);

class CheckLight {
 public:
  // A picture of `frame`, of any lane, is there. Copies the frame if the answer has not arrived, and no wrong one is kept.
  void add(const PictureCheck& check, std::uint64_t id, const capture::Frame& frame);
  // Takes the answers that have arrived.
  void update();
  void wait();   // takes all
  void reset();  // forgets what was found, and the frame

  std::uint64_t checked() const { return checked_; }  // pictures whose answer has arrived
  std::uint64_t wrong() const { return wrong_; }      // of them
  const std::optional<WrongFrame>& first_wrong() const { return first_wrong_; }
  std::size_t bytes() const;  // of the frames that are kept, and of the memory for the next ones

 private:
  struct Pending {
    PictureCheck check;
    WrongFrame frame;
  };
  WrongFrame copy_of(std::uint64_t id, const capture::Frame& frame);
  void note(const CheckAnswer& answer, WrongFrame frame);

  std::deque<Pending> pending_;                // oldest first
  std::vector<std::vector<gpu::Bgr>> unused_;  // pixels of frames whose tables were right: memory for the next ones
  std::uint64_t checked_ = 0, wrong_ = 0;
  std::optional<WrongFrame> first_wrong_;
};

}  // namespace app
