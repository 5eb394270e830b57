#include "app/capture/still_image.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/image_file.h"

namespace app {

cv::Mat read_gray(const std::filesystem::path& path, bool deep) {
  auto colour = capture::decode_image(path, cv::IMREAD_COLOR | (deep ? cv::IMREAD_ANYDEPTH : 0));
  cv::Mat gray;
  if (colour.depth() == CV_64F) colour.convertTo(colour, CV_32F);  // cvtColor takes no doubles
  cv::cvtColor(colour, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

}  // namespace app
