// For tests of the window's application: a window without a display, that is as slow, iconified or lost as a test wants.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/display/render_target.h"

namespace app {

// What a test sees of a FakeTarget and does with it, also once an App owns that.
struct FakeDisplay {
  int drawn = 0;  // frames
  bool iconified = false, lost = false;
  bool closing = false;                       // somebody wants to close the window
  int kept_open = 0;                          // so often it stayed
  std::vector<bool> vsync;                    // as it was set, each time
  std::function<void()> each_turn = [] {};    // of the loop
  std::function<void()> draws = [] {};        // a frame has begun
  std::function<void()> shows_frame = [] {};  // a swap, which may take long
};

class FakeTarget : public RenderTarget {
 public:
  // Throws RenderTargetError where this machine cannot draw.
  explicit FakeTarget(FakeDisplay& display, int width = 640, int height = 480)
      : display_(display), target_(open_offscreen(width, height)) {
    gl_ = target_->gl();
  }

  bool wait_for_input(std::chrono::milliseconds) override {
    display_.each_turn();
    return false;
  }
  void begin_frame() override {
    target_->begin_frame();
    display_.draws();
  }
  void end_frame() override {
    ++display_.drawn;
    target_->end_frame();
    display_.shows_frame();
  }
  bool closing() const override { return display_.closing; }
  void keep_open() override {
    display_.closing = false;
    ++display_.kept_open;
  }
  bool context_lost() const override { return display_.lost; }
  void set_vsync(bool on) override { display_.vsync.push_back(on); }
  bool iconified() const override { return display_.iconified; }
  int width() const override { return target_->width(); }
  int height() const override { return target_->height(); }
  void set_title(const std::string& title) override { target_->set_title(title); }
  std::vector<std::uint8_t> read_pixels() const override { return target_->read_pixels(); }

 private:
  FakeDisplay& display_;
  std::unique_ptr<RenderTarget> target_;
};

}  // namespace app
