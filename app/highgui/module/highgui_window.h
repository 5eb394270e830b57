// HighguiWindow: OpenCV's own window. Compiled into a library of its own (satscope_highgui), because OpenCV's highgui brings
// a whole GUI toolkit along; HighguiViewer loads it.
#pragma once

#include <span>
#include <string>

#include "gpu/image.h"

namespace app {

class HighguiWindow {
 public:
  virtual ~HighguiWindow() = default;
  // As HighguiViewer's.
  virtual bool show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines) = 0;
  virtual int key() = 0;
};

// The library's one entry, of the type HighguiEntry. Null where `version` is not that of the library's build; throws
// std::runtime_error where OpenCV opens no window. The caller deletes the window.
using HighguiEntry = HighguiWindow*(const char* version, const char* title);
inline constexpr char highgui_entry_name[] = "satscope_open_highgui_window";

}  // namespace app
