// Any picture that OpenCV delivers, as the 8-bit BGR of a Frame; of 16 bits, as its values, and a window of them as its pixels.
#pragma once

#include <opencv2/core.hpp>

#include "app/capture/frame.h"

namespace app::capture {

// The frame's pixels as a cv::Mat that owns nothing: what OpenCV writes into it needs no copy.
inline cv::Mat as_mat(Frame& frame) { return {frame.size.height, frame.size.width, CV_8UC3, frame.pixels.data()}; }

// 8-bit BGR from gray, gray with alpha, BGR or BGRA of any depth.
// - Of 16 bits the values of `window` are shown, of each colour alike; alpha keeps its proportions.
// - Floating point: 0 is black, 1 is white, beyond is cut; NaN is black.
// - Alpha is laid over a checkerboard of light and dark gray squares of 8 pixels, as image editors show it.
// Throws SourceError for anything else, with `name`.
cv::Mat to_bgr(const cv::Mat& picture, const std::string& name, const ValueWindow& window = {});

// Returns ValueCounts::automatic() of the picture's colours; alpha does not count.
ValueWindow automatic_window(const cv::Mat& values);

// Puts `picture` into the frame, converted where it must be; nothing is copied where it already lies there. Of a picture of 16 bits
// it puts the values there, of which show_values() makes the pixels.
void store(const cv::Mat& picture, Frame& frame, bool page_locked, const std::string& name);
// Makes the frame's pixels show this window of its values. A frame of 8 bits stays as it is.
void show_values(Frame& frame, const ValueWindow& window, bool page_locked);
// ShownValues: the pixels of one source's frames, whose automatic window is that of its first picture and stays, so that nothing
// flickers.
class ShownValues {
 public:
  // `chosen`: none is the automatic window.
  void show(Frame& frame, const std::optional<ValueWindow>& chosen, bool page_locked);
  // Sets the frame's automatic window and returns it; none where `frame` has 8 bits.
  std::optional<ValueWindow> automatic_of(Frame& frame);

 private:
  std::optional<ValueWindow> automatic_;
};
// Returns the frame's values as a cv::Mat that owns nothing.
cv::Mat values_of(const Frame& frame);

}  // namespace app::capture
