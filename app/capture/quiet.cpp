#include "app/capture/quiet.h"

#include <cstdlib>
#include <mutex>
#include <opencv2/core/utils/logger.hpp>

namespace app::capture {

void quiet_libraries() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!std::getenv("OPENCV_LOG_LEVEL")) cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);            // AV_LOG_QUIET
    setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1", 0);  // seconds that a read waits for a camera; 10 if unset
  });
}

}  // namespace app::capture
