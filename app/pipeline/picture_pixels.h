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
  // `want(required)` is called before each use of the pixels: it queues (or does) what they lack, and throws where that fails.
  // Where they cannot be had, it throws if they are required, and else returns false.
  PicturePixels(gpu::ImageView<const gpu::Rgba> memory, std::function<bool(bool required)> want)
      : memory_(memory), want_(std::move(want)) {}

  gpu::Size size() const { return memory_.size(); }
  gpu::ImageView<const gpu::Rgba> view() const {
    if (want_) want_(true);
    return memory_;
  }
  // Whether view() can be used. To ask is to want the pixels: what they lack is queued, and the next picture will have them.
  // False while that picture is under way, and after it has failed.
  bool ready() const { return !want_ || want_(false); }
  operator gpu::ImageView<const gpu::Rgba>() const { return view(); }

 private:
  gpu::ImageView<const gpu::Rgba> memory_;
  std::function<bool(bool required)> want_;  // null: they are there
};

// Whether a picture that has a surface is drawn into memory as well: where somebody wanted the pixels of the one before. For
// whoever wants them for each picture, that is cheaper than to draw each twice.
class PixelDemand {
 public:
  // The next picture is begun: what the published one was made of is overwritten.
  void overwrite() { overwritten_ = true; }
  // Whether the next picture is to be drawn into memory: as it is always where there is no surface. Asked once per picture; who
  // wants its pixels has to say so again.
  bool draws_into_memory(bool has_surface) { return next_in_memory_ = !has_surface || std::exchange(wanted_, false); }
  // The next picture failed, and the published one stays.
  void fail(std::exception_ptr cause) { cause_ = std::move(cause); }
  void publish() {
    in_memory_ = next_in_memory_;
    overwritten_ = false;
    cause_ = nullptr;
  }
  // Of the published picture: its pixels are in memory; they can still be drawn there.
  bool in_memory() const { return in_memory_; }
  bool can_be_drawn() const { return !in_memory_ && !overwritten_; }
  // Somebody wants them. Whether they are there, or can be drawn. If they are `required`, it throws where they are lost: what
  // made the next picture fail, or std::logic_error while that is under way.
  bool want(bool required) {
    wanted_ = true;
    if (in_memory_ || can_be_drawn()) return true;
    if (!required) return false;
    if (cause_) std::rethrow_exception(cause_);
    throw std::logic_error("pixels of a picture are wanted while the next one is under way");
  }
  void drawn() { in_memory_ = true; }

 private:
  bool wanted_ = false, in_memory_ = true, next_in_memory_ = true, overwritten_ = false;
  std::exception_ptr cause_;
};

}  // namespace app
