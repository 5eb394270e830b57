// App: the window. It owns the surface, the session, the texture and the panels; frame() is the order of things. Everything
// here runs on one thread; sources and the host's work have their own (capture/, pipeline/).
#pragma once

#include <chrono>
#include <future>
#include <memory>

#include "app/display/render_target.h"
#include "app/gl/shared_texture.h"
#include "app/gl/view.h"
#include "app/gl/view_renderer.h"
#include "app/session/session.h"
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
  const capture::Frame* last_frame() const { return session_.feed().last(); }  // null before the first

 private:
  using Clock = std::chrono::steady_clock;

  void frame();
  void follow_settings();
  void renew_texture();
  void draw();
  void draw_again();
  void place_view();
  void navigate();
  void point_effect(PixelPosition pixel);
  void act(Action action);
  void show_state();
  void refresh_state();
  bool look_for_cameras();
  bool look_for_input();
  bool stay_awake(bool happened);
  bool moves();
  bool measuring();
  void measure_from_now();
  void show_progress();
  void finish();

  std::unique_ptr<Surface> surface_;
  gl::Interop interop_;
  Session session_;
  Settings& settings_;
  gl::ViewRenderer renderer_;
  std::unique_ptr<gl::SharedTexture> texture_;
  InteropChoice texture_for_ = InteropChoice::automatic;
  ui::Panels panels_;
  ui::State state_;
  View view_;
  Progress progress_;

  bool vsync_ = true, screenshot_wanted_ = false;
  bool finished_ = false;  // the numbers shown and reported stay what they are
  bool resting_ = false;
  Clock::time_point refreshed_, said_, looked_, awake_until_, measured_until_;
  std::future<std::vector<ui::Camera>> cameras_;
};

}  // namespace app
