// satscope-bench-host: the host's tables against OpenCV's, and the host's pipeline. All cores; OpenCV as it comes.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <opencv2/core/utility.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "app/benchmarks/opencv_times.h"
#include "app/benchmarks/pipeline_benchmark.h"
#include "app/benchmarks/table_benchmark.h"

namespace {

constexpr int exit_usage = 2;

int run(double seconds) {
  using namespace app::benchmarks;
  std::printf("%u cores; OpenCV %s with %d threads\n\n", std::thread::hardware_concurrency(),
              cv::getVersionString().c_str(), cv::getNumThreads());
  for (const gpu::Size size : {gpu::Size{1920, 1080}, {3840, 2160}, {8192, 8192}}) {
    compare_tables(size, seconds);
    std::fflush(stdout);
  }
  std::printf("\n");
  time_pipeline({1920, 1080}, seconds);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  double seconds = 4;
  std::string csv;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    char* end = nullptr;
    if (word == "--csv" && i + 1 < count) {
      csv = words[++i];
      continue;
    }
    if (word == "--seconds" && i + 1 < count && (seconds = std::strtod(words[++i], &end)) > 0 && *end == '\0') continue;
    std::fputs("usage: satscope-bench-host [--seconds N] [--csv F]\n"
               "  --seconds N   how long each comparison runs (default 4)\n"
               "  --csv F       instead: the times of cv::integral into F, for satscope-bench --peer-times F\n",
               word == "--help" ? stdout : stderr);
    return word == "--help" ? 0 : exit_usage;
  }
  try {
    return csv.empty() ? run(seconds) : (app::benchmarks::write_opencv_times(csv), 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "satscope-bench-host: %s\n", error.what());
    return 1;
  }
}
