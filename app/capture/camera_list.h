// The cameras of this machine, read from /sys, so that devices that are not cameras are never opened.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace app::capture {

struct CameraInfo {
  int number = 0;      // of /dev/video<number>
  std::string path;    // "/dev/video0"
  std::string name;    // as the driver gives it: "HD Webcam: HD Webcam"
  std::string driver;  // "uvcvideo"
  std::string bus;     // where it is plugged in; stays the same when it gets another number
  bool available = false;
  std::string reason;  // why it is not available, and the next step, one line; empty if it is
};

// Every video4linux node, by number. A laptop's camera has two: pictures and metadata. Each is opened for a moment to
// see whether it can be used; the parameters are for tests.
std::vector<CameraInfo> list_cameras(const std::filesystem::path& sys = "/sys/class/video4linux",
                                     const std::filesystem::path& dev = "/dev");

// The camera that `source` means: a number, a path (links such as /dev/v4l/by-id/... are followed), a name, or a part
// of a name that only one camera has; case does not matter. Nodes that are no cameras are passed over where a name fits
// several.
std::optional<CameraInfo> find_camera(const std::string& source, const std::vector<CameraInfo>& cameras);

}  // namespace app::capture
