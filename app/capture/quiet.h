// What the libraries below (OpenCV, FFmpeg, V4L2) are told before their first use. The rest of what they write to stderr when
// they dislike a file (libjpeg, libpng, imread) is silenced where they work: support/console.h.
#pragma once

namespace app::capture {

// Before the first use of OpenCV's video or image functions; later calls do nothing. Whoever sets the environment
// variables (OPENCV_LOG_LEVEL, OPENCV_FFMPEG_LOGLEVEL, OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT) keeps his own values.
void quiet_libraries();

}  // namespace app::capture
