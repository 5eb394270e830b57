// HighguiApp: the session shown by OpenCV's own window, for machines whose OpenGL is broken: no panels, the same keys,
// the most important figures as lines of text in the picture's corner.
#pragma once

#include <memory>
#include <string>

#include "app/control/key_table.h"
#include "app/highgui/module/highgui_window.h"
#include "app/session/session.h"
#include "app/support/exit_code.h"
#include "gpu/image.h"

namespace app {

// OpenCV's window: loads libsatscope_highgui.so. Throws RenderTargetError: `failed` if there is none; `no_display`, because without
// a display OpenCV's toolkits would end the program.
std::unique_ptr<HighguiWindow> open_highgui_window(const std::string& title);

class HighguiApp {
 public:
  HighguiApp(std::unique_ptr<HighguiWindow> window, const Settings& settings, const gpu::GpuProbe& probe, const Run& run);

  // Until the window is closed or the run's frames are made.
  ExitCode run();
  Settings settings_to_save() const { return session_.lessons().as_before(session_.saver().settings_to_save()); }

 private:
  void frame();
  void show(bool made);
  Outputs::Job screenshot() const;
  void act(const Command& command);
  std::vector<std::string> lines();
  std::vector<std::string> figures();

  std::unique_ptr<HighguiWindow> window_;
  Session session_;
  std::shared_ptr<const gpu::Image<gpu::Rgba>> picture_;  // the one shown, in host memory
  std::vector<std::string> lines_;
  bool quit_asked_ = false;  // while something is recorded
  std::chrono::steady_clock::time_point lines_made_, aged_ = std::chrono::steady_clock::now();
};

}  // namespace app
