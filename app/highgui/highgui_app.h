// HighguiApp: the pipeline shown by OpenCV's own window, for machines whose OpenGL is broken: no panels, the same keys,
// the most important figures as lines of text in the picture's corner.
#pragma once

#include "app/capture/feed.h"
#include "app/control/keys.h"
#include "app/highgui/highgui_viewer.h"
#include "app/pipeline/engine.h"
#include "app/session/messages.h"
#include "app/session/meter.h"
#include "app/session/outputs.h"
#include "app/support/exit_code.h"

namespace app {

class HighguiApp {
 public:
  // Throws SurfaceError (no_display).
  HighguiApp(const Settings& settings, const gpu::GpuProbe& probe, const Run& run);

  // Until the window is closed or the run's frames are made.
  ExitCode run();
  const Settings& settings() const { return settings_; }

 private:
  void frame();
  bool make_picture(const capture::Frame& frame);
  void show();
  void write_picture(const std::filesystem::path& path) const;
  void act(Action action);
  void tell();
  std::vector<std::string> lines();
  Report report();

  Run run_;
  Settings settings_;
  HighguiViewer viewer_;
  Messages messages_;
  Feed feed_;
  capture::Request requested_;
  Engine engine_;
  Meter meter_;
  Results results_;
  gpu::Image<gpu::Rgba> picture_;  // the one shown, in host memory
  std::vector<std::string> lines_;
  std::chrono::steady_clock::time_point lines_made_, said_;
  std::uint64_t frames_ = 0, pictures_ = 0;
  bool quit_ = false;
};

}  // namespace app
