// HighguiApp: the session shown by OpenCV's own window, for machines whose OpenGL is broken: no panels, the same keys,
// the most important figures as lines of text in the picture's corner.
#pragma once

#include "app/control/key_table.h"
#include "app/highgui/highgui_viewer.h"
#include "app/session/session.h"
#include "app/support/exit_code.h"

namespace app {

class HighguiApp {
 public:
  HighguiApp(HighguiViewer viewer, const Settings& settings, const gpu::GpuProbe& probe, const Run& run);

  // Until the window is closed or the run's frames are made.
  ExitCode run();
  Settings settings_to_save() const { return session_.settings_to_save(); }

 private:
  void frame();
  void show(bool made);
  Outputs::Job screenshot() const;
  void act(const Command& command);
  std::vector<std::string> lines();
  std::vector<std::string> figures();

  HighguiViewer viewer_;
  Session session_;
  std::shared_ptr<const gpu::Image<gpu::Rgba>> picture_;  // the one shown, in host memory
  std::vector<std::string> lines_;
  bool quit_asked_ = false;  // while something is recorded
  std::chrono::steady_clock::time_point lines_made_, aged_ = std::chrono::steady_clock::now();
};

}  // namespace app
