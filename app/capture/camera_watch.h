// CameraWatch: which cameras there are, kept up to date without holding up whoever asks and without opening any for nothing:
// the folder of devices is watched, and cameras are listed anew when something happened to one.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "app/capture/camera_list.h"

namespace app::capture {

class CameraWatch {
 public:
  using Lister = std::function<std::vector<CameraInfo>()>;

  // The parameters are for tests. `list` runs on threads of its own: a camera that hangs holds up whoever opens it.
  explicit CameraWatch(
      Lister list = [] { return list_cameras(); }, std::filesystem::path dev = "/dev");
  ~CameraWatch();
  CameraWatch(const CameraWatch&) = delete;
  CameraWatch& operator=(const CameraWatch&) = delete;

  // Does not wait. True where cameras() was made anew.
  bool look();
  const std::vector<CameraInfo>& cameras() const { return cameras_; }

 private:
  // What happened since the last call.
  struct News {
    bool plugged = false;  // a node came, went, or got other permissions
    bool used = false;     // somebody opened or closed one
  };

  News read_news();
  void start_listing();
  void watch_nodes();
  bool due();

  Lister list_;
  std::filesystem::path dev_;
  int inotify_;  // negative: this system has no more watches to give
  int folder_ = -1;
  bool outdated_ = true;
  std::future<std::vector<CameraInfo>> listing_;
  std::vector<CameraInfo> cameras_;
  std::chrono::steady_clock::time_point listed_;
};

}  // namespace app::capture
