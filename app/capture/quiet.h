// The libraries below (OpenCV, FFmpeg, libjpeg, libpng) write to stderr when they dislike a file. The user gets one
// line from us instead.
#pragma once

namespace app::capture {

// Before the first use of OpenCV's video or image functions; later calls do nothing. Whoever sets the environment
// variables (OPENCV_LOG_LEVEL, OPENCV_FFMPEG_LOGLEVEL, OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT) keeps his own values.
void quiet_libraries();

// For its lifetime, what this thread writes to std::cerr is dropped: OpenCV's imread reports damaged files there. Other
// threads' words pass. quiet_libraries() comes first.
class QuietHere {
 public:
  QuietHere();
  ~QuietHere();
  QuietHere(const QuietHere&) = delete;
  QuietHere& operator=(const QuietHere&) = delete;
};

}  // namespace app::capture
