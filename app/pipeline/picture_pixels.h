// PicturePixels: the pixels of a picture in memory of its device. A GPU may have drawn the picture on a surface alone; then who
// wants its pixels first has it drawn into memory, too. PixelDemand keeps account of that.
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "gpu/image.h"

namespace app {

class PicturePixels {
 public:
  PicturePixels() = default;  // of size {0,0}
  PicturePixels(gpu::ImageView<const gpu::Rgba> memory) : memory_(memory) {}
  // `want` is called before each use of the pixels: it queues (or does) what they lack, and throws where that fails.
  PicturePixels(gpu::ImageView<const gpu::Rgba> memory, std::function<void()> want)
      : memory_(memory), want_(std::move(want)) {}

  gpu::Size size() const { return memory_.size(); }
  gpu::ImageView<const gpu::Rgba> view() const {
    if (want_) want_();
    return memory_;
  }
  operator gpu::ImageView<const gpu::Rgba>() const { return view(); }

 private:
  gpu::ImageView<const gpu::Rgba> memory_;
  std::function<void()> want_;  // null: they are there
};

// Whether a picture that has a surface is drawn into memory as well: where somebody wanted the pixels of the one before. For
// whoever wants them for each picture, that is cheaper than to draw each twice.
class PixelDemand {
 public:
  // The next picture is begun: what the published one was made of is overwritten.
  void overwrite() { overwritten_ = true; }
  // Whether the next picture is to be drawn into memory.
  bool draws_into_memory(bool has_surface) { return next_in_memory_ = !has_surface || std::exchange(wanted_, false); }
  // The next picture failed, and the published one stays.
  void fail(std::exception_ptr cause) { cause_ = std::move(cause); }
  void publish() {
    in_memory_ = next_in_memory_;
    overwritten_ = false;
    cause_ = nullptr;
  }
  bool in_memory() const { return in_memory_; }  // the pixels of the published picture are
  // Somebody wants them. True where they must be drawn now. Throws what made the next picture fail, where they are lost
  // thereby; std::logic_error while it is under way.
  bool want() {
    wanted_ = true;
    if (in_memory_) return false;
    if (cause_) std::rethrow_exception(cause_);
    if (overwritten_) throw std::logic_error("pixels of a picture are wanted while the next one is under way");
    return true;
  }
  void drawn() { in_memory_ = true; }

 private:
  bool wanted_ = false, in_memory_ = true, next_in_memory_ = true, overwritten_ = false;
  std::exception_ptr cause_;
};

}  // namespace app
