#include "app/capture/read_gray.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/image_file.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"

namespace app {

cv::Mat read_gray(const std::filesystem::path& path) {
  auto picture = capture::decode_unchanged(path);
  const int depth = picture.depth();
  if (depth != CV_8U && depth != CV_16U && depth != CV_32F && depth != CV_64F)
    throw capture::SourceError(capture::in_quotes(path.string()) +
                               " has signed whole numbers as pixels, of which no table is made; convert it to PNG");
  if (picture.channels() == 1) return picture;
  cv::Mat gray;
  if (depth == CV_64F)  // which cvtColor() does not take
    cv::transform(picture, gray, cv::Matx14d(0.114, 0.587, 0.299, 0));
  else
    cv::cvtColor(picture, gray, picture.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  return gray;
}

}  // namespace app
