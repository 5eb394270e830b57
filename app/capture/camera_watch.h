// CameraWatch: which cameras there are, kept up to date without holding up whoever asks: a camera that hangs holds up
// whoever opens it.
#pragma once

#include <chrono>
#include <future>
#include <vector>

#include "app/capture/camera_list.h"

namespace app::capture {

class CameraWatch {
 public:
  // True where cameras() was made anew.
  bool look();
  const std::vector<CameraInfo>& cameras() const { return cameras_; }

 private:
  std::vector<CameraInfo> cameras_;
  std::future<std::vector<CameraInfo>> listing_;
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace app::capture
