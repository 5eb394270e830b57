#include "app/output/png.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <vector>

#include "app/support/files.h"

namespace app {
namespace {

void write(const std::filesystem::path& path, const cv::Mat& pixels) {
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", pixels, bytes))
    throw std::runtime_error("cannot write " + path.string() + ": OpenCV cannot encode it as PNG");
  write_file(path, bytes);
}

// OpenCV has no constant images; nothing is written through this one.
template <class T>
cv::Mat as_mat(gpu::ImageView<const T> view, int type) {
  return {view.height, view.width, type, const_cast<T*>(view.data), static_cast<std::size_t>(view.stride) * sizeof(T)};
}

}  // namespace

void write_png(const std::filesystem::path& path, gpu::ImageView<const gpu::Rgba> picture) {
  cv::Mat bgr;
  cv::cvtColor(as_mat(picture, CV_8UC4), bgr, cv::COLOR_RGBA2BGR);
  write(path, bgr);
}

void write_png(const std::filesystem::path& path, gpu::ImageView<const std::uint8_t> gray) {
  write(path, as_mat(gray, CV_8UC1));
}

}  // namespace app
