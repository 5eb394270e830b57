// Settings of the libraries below (OpenCV, FFmpeg, V4L2) that keep them quiet. What they write to stderr all the same when a
// file is damaged (libjpeg, libpng, imread) is silenced where they are called: support/console.h.
#pragma once

namespace app::capture {

// Before the first use of OpenCV's video or image functions; later calls do nothing. Values that the
// user has set in the environment (OPENCV_LOG_LEVEL, OPENCV_FFMPEG_LOGLEVEL, OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT) are kept.
void quiet_libraries();

}  // namespace app::capture
