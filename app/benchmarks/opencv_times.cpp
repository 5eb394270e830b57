#include "app/benchmarks/opencv_times.h"

#include <cstdio>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "app/benchmarks/samples.h"
#include "gpu/sat.h"

namespace app::benchmarks {
namespace {

struct Kind {
  const char* type;
  int input, sum;
};
constexpr Kind kinds[] = {
    {"8u32u", CV_8U, CV_32S}, {"8u32f", CV_8U, CV_32F}, {"32f32f", CV_32F, CV_32F}, {"64f64f", CV_64F, CV_64F}};
constexpr gpu::Size sizes[] = {{256, 256},   {512, 512},   {1024, 1024}, {1920, 1080},
                               {2048, 2048}, {3840, 2160}, {4096, 4096}, {8192, 8192}};

double median_of(const Kind& kind, gpu::Size size) {
  cv::Mat image(size.height, size.width, kind.input), table;
  cv::randu(image, 0, kind.input == CV_8U ? 256 : 1);
  std::vector<Contender> one{{"cv::integral", [&] { cv::integral(image, table, kind.sum); }}};
  alternate(one, 0.5);
  return one[0].median();
}

}  // namespace

void write_opencv_times(const std::string& file) {
  std::ofstream out(file);
  if (!out) throw std::runtime_error("cannot write " + file);  // now, not after the measurement
  for (const auto& kind : kinds)
    for (const auto size : sizes) {
      out << "cv::integral," << kind.type << ',' << size.width << ',' << size.height << ',' << median_of(kind, size) << '\n';
      std::printf("%s %dx%d\n", kind.type, size.width, size.height);
      std::fflush(stdout);
    }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file);
}

}  // namespace app::benchmarks
