// The cameras of this machine, and a watch over them. They are read from /sys, so that devices that are not cameras are never
// opened.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/image.h"

namespace app::capture {

// A size that a camera offers in a format, and its rates.
struct CameraMode {
  std::string format;  // "MJPG"
  gpu::Size size;
  std::vector<double> rates;  // per second, the highest first; empty where it does not say
  friend bool operator==(const CameraMode&, const CameraMode&) = default;
};

struct CameraInfo {
  int number = 0;      // of /dev/video<number>
  std::string path;    // "/dev/video0"
  std::string name;    // as the driver gives it: "HD Webcam: HD Webcam"
  std::string driver;  // "uvcvideo"
  std::string bus;     // where it is plugged in; stays the same when it gets another number
  bool available = false;
  std::string reason;               // why it is not available, and the next step, one line; empty if it is
  std::vector<CameraMode> modes{};  // the largest first; empty where the driver does not say
  friend bool operator==(const CameraInfo&, const CameraInfo&) = default;
};

// Every video4linux node, by number. A laptop's camera has two: pictures and metadata. Each is opened for a moment to
// see whether it can be used; the parameters are for tests.
std::vector<CameraInfo> list_cameras(const std::filesystem::path& sys = "/sys/class/video4linux",
                                     const std::filesystem::path& dev = "/dev");

// The rate of an interval in seconds, as drivers give it: "1001/30000" is 29.97.
double rate_of(unsigned numerator, unsigned denominator);
// One mode per size: that with the highest rate; MJPG where two are equal, as CameraSource asks for it.
std::vector<CameraMode> by_size(std::vector<CameraMode> modes);

// The camera that `source` means: a number, a path (links such as /dev/v4l/by-id/... are followed), a name, or a part
// of a name that only one camera has; case does not matter. Nodes that are not cameras are skipped where a name fits
// several.
std::optional<CameraInfo> find_camera(const std::string& source, const std::vector<CameraInfo>& cameras);

// CameraWatch: the list of cameras, kept up to date. It watches the folder of devices and lists the cameras again only when
// something happened to one. The caller never waits, and no camera is opened without need.
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
