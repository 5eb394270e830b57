// HighguiViewer: OpenCV's own window, for machines whose OpenGL is broken. It shows the same picture with lines of text
// in its corner.
#pragma once

#include <span>
#include <string>

#include "gpu/image.h"

namespace app {

class HighguiViewer {
 public:
  // Throws SurfaceError(no_display): OpenCV's toolkits end the program where they find none.
  explicit HighguiViewer(const std::string& title);
  ~HighguiViewer();
  HighguiViewer(const HighguiViewer&) = delete;
  HighguiViewer& operator=(const HighguiViewer&) = delete;

  // `picture`: host memory, not needed any more when this returns. `lines`: ASCII. False once the user has closed the
  // window; nothing is shown then.
  bool show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines);
  // What cv::waitKeyEx() gives (see from_highgui() in keys.h), -1 for no key. The window is drawn and moved in here:
  // call it for every frame. Waits a millisecond.
  int key();

 private:
  std::string title_;
  bool shown_ = false;
};

}  // namespace app
