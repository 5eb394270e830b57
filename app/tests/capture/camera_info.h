// For tests: a camera's description.
#pragma once

#include <string>

#include "app/capture/camera_list.h"

namespace app::capture {

inline CameraInfo camera(int number, const std::string& name, const std::string& bus = "usb-1", bool available = true) {
  CameraInfo info;
  info.number = number;
  info.path = "/dev/video" + std::to_string(number);
  info.name = name;
  info.bus = bus;
  info.available = available;
  return info;
}

}  // namespace app::capture
