// Any picture that OpenCV delivers, as the 8-bit BGR of a Frame.
#pragma once

#include <opencv2/core.hpp>

#include "app/capture/frame.h"

namespace app::capture {

// The frame's pixels as a cv::Mat that owns nothing: what OpenCV writes into it needs no copy.
inline cv::Mat as_mat(Frame& frame) { return {frame.size.height, frame.size.width, CV_8UC3, frame.pixels.data()}; }

// 8-bit BGR from gray, gray with alpha, BGR or BGRA of any depth.
// - Deeper integers keep their proportions: 0 is black, the type's largest value is white (16 bits: value / 257,
//   rounded).
//   Signed ones are cut at 0.
// - Floating point: 0 is black, 1 is white, beyond is cut; NaN is black.
// - Alpha is laid over a checkerboard of light and dark gray squares of 8 pixels, as image editors show it.
// Throws SourceError for anything else, with `name`.
cv::Mat to_bgr(const cv::Mat& picture, const std::string& name);

// Puts `picture` into the frame, converted where it must be; nothing is copied where it already lies there.
void store(const cv::Mat& picture, Frame& frame, bool page_locked, const std::string& name);

}  // namespace app::capture
