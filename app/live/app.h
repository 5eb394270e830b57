// App: the window. It owns the surface, the source, the engine, the texture and the panels; frame() is the order of
// things. Everything here runs on one thread; sources have their own (capture/).
#pragma once

#include <chrono>
#include <future>
#include <memory>

#include "app/capture/feed.h"
#include "app/display/render_target.h"
#include "app/gl/shared_texture.h"
#include "app/gl/view.h"
#include "app/gl/view_renderer.h"
#include "app/pipeline/engine.h"
#include "app/session/messages.h"
#include "app/session/meter.h"
#include "app/session/outputs.h"
#include "app/support/exit_code.h"
#include "app/support/progress.h"
#include "app/ui/ui.h"

namespace app {

class App {
 public:
  App(std::unique_ptr<Surface> surface, const Settings& settings, const gpu::GpuProbe& probe, const Run& run);
  ~App();

  // Until the window is closed, the run's frames are made, or, offscreen, the source ends. Writes what the run was
  // asked to leave. Throws ExitError (source) where an offscreen run gets no picture at all.
  ExitCode run();
  const Settings& settings() const { return settings_; }
  Messages& messages() { return messages_; }

 private:
  using Clock = std::chrono::steady_clock;

  void frame();
  bool done();
  void follow_settings();
  const capture::Frame* next_frame();
  bool make_picture(const capture::Frame& frame);
  bool compute(const capture::Frame& frame);
  void draw();
  void draw_again();
  void place_view();
  void navigate();
  void point_effect(PixelPosition pixel);
  void act(Action action);
  void tell();
  void warn_of_source();
  void show_state();
  void refresh_statistics();
  bool look_for_cameras();
  bool look_for_input();
  bool stay_awake(bool happened);
  bool moves();
  bool measuring();
  void measure_from_now();
  void show_progress();
  void finish();
  Report report();

  Run run_;
  Settings settings_;
  std::unique_ptr<Surface> surface_;
  gl::Interop interop_;
  Messages messages_;
  Feed feed_;
  capture::Request requested_;
  Engine engine_;
  gl::ViewRenderer renderer_;
  std::unique_ptr<gl::SharedTexture> texture_;
  InteropChoice texture_for_ = InteropChoice::automatic;
  ui::Panels panels_;
  ui::State state_;
  View view_;
  Meter meter_;
  Results results_;
  Progress progress_;

  std::uint64_t frames_ = 0, pictures_ = 0;  // taken from the source; made of them, and of changed settings
  double gpu_ms_ = 0;
  bool quit_ = false, idle_ = false, vsync_ = true, screenshot_wanted_ = false;
  bool source_failed_ = false;
  bool finished_ = false;  // the numbers shown and reported stay what they are
  bool resting_ = false;
  Clock::time_point refreshed_, said_, looked_, awake_until_, measured_until_;
  std::future<std::vector<ui::Camera>> cameras_;
};

}  // namespace app
