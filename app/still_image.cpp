#include "app/still_image.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/image_file.h"
#include "app/capture/local_file.h"
#include "app/capture/source.h"

namespace app {

cv::Mat read_gray(const std::filesystem::path& path, bool deep) {
  capture::check_readable(path);
  if (!capture::is_image(path))
    throw capture::SourceError("'" + path.string() + "' is not an image; PNG, JPEG, TIFF, BMP and the like are");
  cv::Mat colour, gray;
  try {
    colour = cv::imread(path.string(), cv::IMREAD_COLOR | (deep ? cv::IMREAD_ANYDEPTH : 0));
  } catch (const cv::Exception& error) {
    throw capture::SourceError("'" + path.string() + "' cannot be read: " + error.err);
  }
  if (colour.empty()) throw capture::SourceError("'" + path.string() + "' is damaged, or of a kind that OpenCV lacks");
  if (colour.depth() == CV_64F) colour.convertTo(colour, CV_32F);  // cvtColor takes no doubles
  cv::cvtColor(colour, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

}  // namespace app
