// HighguiViewer: OpenCV's own window, for machines whose OpenGL is broken. It shows the same picture with lines of text
// in its corner.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gpu/image.h"

namespace app {

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

}  // namespace app
