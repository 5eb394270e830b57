// The libraries below (OpenCV, FFmpeg, libjpeg, libpng) write to stderr when they dislike a file. The user gets one line
// from us instead.
#pragma once

namespace app::capture {

// Once, before the first use of OpenCV's video or image functions; later calls do nothing. Whoever sets the
// environment variables (OPENCV_FFMPEG_LOGLEVEL, OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT) keeps his own values.
void quiet_libraries();

}  // namespace app::capture
