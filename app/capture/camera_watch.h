// CameraWatch: the list of cameras, kept up to date. It watches the folder of devices and lists the cameras again only when
// something happened to one. The caller never waits, and no camera is opened without need.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <set>
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

  // Does not wait. True if cameras() has changed.
  bool look();
  const std::vector<CameraInfo>& cameras() const { return cameras_; }

 private:
  // What happened since the last call.
  struct News {
    bool plugged = false;   // a node came, went, or got other permissions
    bool released = false;  // one that could be written to was closed, as a program does that used the camera
    bool opened = false;    // one was opened, or closed
  };

  News read_news();
  void start_listing();
  void watch_nodes();
  bool due();

  Lister list_;
  std::filesystem::path dev_;
  int inotify_;  // negative: the system allows no more watches
  int folder_ = -1;
  std::set<int> watched_;  // nodes
  bool outdated_ = true;
  std::future<std::vector<CameraInfo>> listing_;
  std::vector<CameraInfo> cameras_;
  std::chrono::steady_clock::time_point listed_;
};

}  // namespace app::capture
