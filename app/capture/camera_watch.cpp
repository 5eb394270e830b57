#include "app/capture/camera_watch.h"

namespace app::capture {

using namespace std::chrono_literals;

bool CameraWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (listing_.valid()) {
    if (listing_.wait_for(0s) != std::future_status::ready) return false;
    cameras_ = listing_.get();
    return true;
  }
  if (now - looked_ > 3s) {
    looked_ = now;
    listing_ = std::async(std::launch::async, [] { return list_cameras(); });
  }
  return false;
}

}  // namespace app::capture
