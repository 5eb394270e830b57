// HighguiApp: the session shown by OpenCV's own window, for machines whose OpenGL is broken: no panels, the same keys,
// the most important figures as lines of text in the picture's corner.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "app/control/key_table.h"
#include "app/session/session.h"
#include "app/support/exit_code.h"
#include "gpu/image.h"

namespace app {

// HighguiViewer: OpenCV's own window, for machines whose OpenGL is broken. It shows the same picture with lines of text
// in its corner.
class HighguiWindow;

class HighguiViewer {
 public:
  // Loads libsatscope_highgui.so. Throws RenderTargetError: `failed` if there is none; `no_display`, because without a
  // display OpenCV's toolkits would end the program.
  explicit HighguiViewer(const std::string& title);
  explicit HighguiViewer(std::unique_ptr<HighguiWindow> window);  // instead of OpenCV's
  ~HighguiViewer();
  HighguiViewer(HighguiViewer&&) noexcept;

  // `picture`: host memory, not needed any more when this returns. `lines`: ASCII. False once the user has closed the
  // window; nothing is shown then.
  bool show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines);
  // What cv::waitKeyEx() gives (see from_highgui() in key_table.h), -1 for no key. The window is drawn and handles its
  // events in here: call it for every frame. Waits a millisecond.
  int key();

 private:
  std::unique_ptr<HighguiWindow> window_;
};

class HighguiApp {
 public:
  HighguiApp(HighguiViewer viewer, const Settings& settings, const gpu::GpuProbe& probe, const Run& run);

  // Until the window is closed or the run's frames are made.
  ExitCode run();
  Settings settings_to_save() const { return session_.saver().settings_to_save(); }

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
