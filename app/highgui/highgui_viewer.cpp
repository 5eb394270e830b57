#include "app/highgui/highgui_viewer.h"

#include <opencv2/highgui.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstdlib>

#include "app/display/render_target.h"

namespace app {
namespace {

// Text on a picture of a few pixels could not be read: such pictures are enlarged first, in whole steps.
constexpr int smallest_side = 240, largest_side = 4096;

cv::Mat enlarged(const cv::Mat& picture) {
  const int shorter = std::min(picture.cols, picture.rows), longer = std::max(picture.cols, picture.rows);
  const int times = std::min((smallest_side + shorter - 1) / shorter, largest_side / longer);
  if (times <= 1) return picture;
  cv::Mat result;
  cv::resize(picture, result, {}, times, times, cv::INTER_NEAREST);
  return result;
}

// White on a black outline, so that it is read on any picture.
void write_lines(cv::Mat& picture, std::span<const std::string> lines) {
  const double size = std::max(0.45, picture.rows / 1400.0);
  const int advance = static_cast<int>(size * 36), thickness = std::max(1, static_cast<int>(size * 1.6));
  int baseline = advance;
  for (const auto& line : lines) {
    const cv::Point at(advance / 2, baseline);
    cv::putText(picture, line, at, cv::FONT_HERSHEY_SIMPLEX, size, {0, 0, 0}, thickness + 2, cv::LINE_AA);
    cv::putText(picture, line, at, cv::FONT_HERSHEY_SIMPLEX, size, {255, 255, 255}, thickness, cv::LINE_AA);
    baseline += advance;
  }
}

}  // namespace

HighguiViewer::HighguiViewer(const std::string& title) : title_(title) {
  // Who names another Qt platform (offscreen, vnc) wants no X display.
  if (!std::getenv("QT_QPA_PLATFORM")) require_display();
  try {
    cv::namedWindow(title_, cv::WINDOW_NORMAL | cv::WINDOW_KEEPRATIO | cv::WINDOW_GUI_NORMAL);
  } catch (const cv::Exception& error) {
    throw SurfaceError(SurfaceError::Kind::failed, "OpenCV opens no window: " + error.err);
  }
}

HighguiViewer::~HighguiViewer() {
  try {
    cv::destroyWindow(title_);
  } catch (const cv::Exception&) {  // the user has closed it
  }
}

bool HighguiViewer::show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines) {
  if (shown_ && cv::getWindowProperty(title_, cv::WND_PROP_VISIBLE) < 1) return false;
  const cv::Mat rgba(picture.height, picture.width, CV_8UC4, const_cast<gpu::Rgba*>(picture.data),
                     static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba));
  cv::Mat bgr;
  cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
  bgr = enlarged(bgr);
  write_lines(bgr, lines);
  if (!shown_) cv::resizeWindow(title_, std::min(bgr.cols, 1280), std::min(bgr.rows, 800));
  cv::imshow(title_, bgr);
  shown_ = true;
  return true;
}

int HighguiViewer::key() { return cv::waitKeyEx(1); }

}  // namespace app
