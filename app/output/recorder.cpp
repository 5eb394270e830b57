#include "app/output/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/pipeline/draw_annotations.h"
#include "app/pipeline/matrix_picture.h"
#include "app/support/files.h"
#include "app/support/size_text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr double usual_fps = 30;  // of sources that have no rate of their own

std::runtime_error cannot(const fs::path& path, const std::string& why) {
  return std::runtime_error("cannot record " + path.string() + ": " + why);
}

// Encoders take even sides only; the last odd row or column is left out.
cv::Size even(gpu::Size size) { return {size.width & ~1, size.height & ~1}; }

cv::VideoWriter open_writer(const fs::path& path, double fps, cv::Size size) {
  for (const int codec : {cv::VideoWriter::fourcc('a', 'v', 'c', '1'), cv::VideoWriter::fourcc('m', 'p', '4', 'v')})
    if (cv::VideoWriter writer(path.string(), cv::CAP_FFMPEG, codec, fps, size); writer.isOpened()) return writer;
  return {};
}

// The picture as large as it fits, in the middle; black beside it where the shapes differ.
cv::Mat fitted(const cv::Mat& bgr, cv::Size size) {
  const auto scale = std::min(static_cast<double>(size.width) / bgr.cols, static_cast<double>(size.height) / bgr.rows);
  const cv::Size inner(std::clamp(cvRound(bgr.cols * scale), 1, size.width),
                       std::clamp(cvRound(bgr.rows * scale), 1, size.height));
  cv::Mat whole(size, CV_8UC3, cv::Scalar::all(0));
  cv::resize(bgr, whole({(size.width - inner.width) / 2, (size.height - inner.height) / 2, inner.width, inner.height}),
             inner, 0, 0, cv::INTER_AREA);
  return whole;
}

}  // namespace

std::string why_no_video(gpu::Size size) {
  if (size.width >= 2 && size.height >= 2) return {};
  return "a video needs at least 2x2 pixels, the picture has " + text_of(size);
}

Recorder::Recorder(fs::path target, gpu::Size size, double fps, bool squares)
    : target_(behind_links(std::move(target))),
      growing_(target_.parent_path() / (target_.stem().string() + ".partial-" + std::to_string(::getpid()) + ".mp4")),
      unfinished_(growing_),
      squares_(squares),
      size_(even(squares ? size_in_squares(size) : size)),
      fps_(fps > 0 ? fps : usual_fps) {
  if (const auto why = why_no_video({size_.width, size_.height}); !why.empty()) throw cannot(target_, why);
  if (fs::is_directory(target_)) throw cannot(target_, "it is a folder");
  if (fs::exists(target_) && !fs::is_regular_file(target_)) throw cannot(target_, "it is no file on a disk");
  errno = 0;
  if (!std::ofstream(growing_))  // the encoder would not say why
    throw cannot(target_, why_not_written(errno ? errno : EIO));
  writer_ = open_writer(growing_, fps_, size_);
  if (!writer_.isOpened()) {
    std::error_code ignored;
    fs::remove(growing_, ignored);
    throw cannot(target_, "OpenCV has no encoder for H.264 or MPEG-4");
  }
}

Recorder::~Recorder() {
  writer_.release();
  std::error_code ignored;
  if (!growing_.empty()) fs::remove(growing_, ignored);
}

// The number of the frame that a picture at `position` is.
std::uint64_t Recorder::frame_at(double position) {
  const double step = position - std::exchange(position_, position);
  if (frames_ == 0 || step <= 0) start_ = position - static_cast<double>(frames_) / fps_;
  return static_cast<std::uint64_t>(std::max(0.0, (position - start_) * fps_ + 0.5));
}

void Recorder::add(gpu::ImageView<const gpu::Rgba> picture, double position, std::span<const gpu::Annotation> annotations) {
  const auto number = frame_at(position);
  // OpenCV has no constant images; nothing is written through this one.
  cv::Mat rgba(picture.height, picture.width, CV_8UC4, const_cast<gpu::Rgba*>(picture.data),
               static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba));
  gpu::Image<gpu::Rgba> drawn;
  if (squares_ && fits_squares(picture.size())) {
    drawn = in_squares(picture, annotations);
    const auto view = drawn.view();
    rgba = cv::Mat(view.height, view.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  } else if (!annotations.empty()) {
    rgba = rgba.clone();
    draw_annotations({reinterpret_cast<gpu::Rgba*>(rgba.data), rgba.cols, rgba.rows, rgba.cols}, annotations);
  }
  cv::Mat bgr;
  cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
  if (even({bgr.cols, bgr.rows}) != size_) bgr = fitted(bgr, size_);
  for (; frames_ < number; ++frames_) writer_.write(last_);
  last_ = bgr(cv::Rect({}, size_)).clone();
  if (number < frames_) return;
  writer_.write(last_);
  ++frames_;
}

void Recorder::hold(double position) {
  if (frames_ == 0 || position <= position_) return;
  for (const auto number = frame_at(position); frames_ < number; ++frames_) writer_.write(last_);
}

void Recorder::finish() {
  writer_.release();
  // OpenCV reports no error while it writes: a truncated video has no index, or too few frames.
  const bool whole = [&] {
    cv::VideoCapture video(growing_.string(), cv::CAP_FFMPEG);
    return video.isOpened() && video.get(cv::CAP_PROP_FRAME_COUNT) + 0.5 >= static_cast<double>(frames_);
  }();
  if (frames_ > 0 && !whole) throw cannot(target_, "the video is not whole; is the disk full?");
  if (frames_ == 0) throw cannot(target_, "no picture came");
  std::error_code error;
  fs::rename(growing_, target_, error);
  if (error) throw cannot(target_, why_not_written(error.value()));
  growing_.clear();
}

}  // namespace app
