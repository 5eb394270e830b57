#include "app/capture/read_gray.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/image_file.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"

namespace app {

cv::Mat read_gray(const std::filesystem::path& path) {
  auto picture = capture::decode_unchanged(path);
  if (picture.depth() == CV_64F) picture.convertTo(picture, CV_32F);  // cvtColor takes no doubles
  if (picture.depth() != CV_8U && picture.depth() != CV_16U && picture.depth() != CV_32F)
    throw capture::SourceError(capture::in_quotes(path.string()) +
                               " has signed whole numbers as pixels, of which no table is made; convert it to PNG");
  if (picture.channels() == 1) return picture;
  cv::Mat gray;
  cv::cvtColor(picture, gray, picture.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  return gray;
}

}  // namespace app
