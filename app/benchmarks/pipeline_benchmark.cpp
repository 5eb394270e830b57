#include "app/benchmarks/pipeline_benchmark.h"

#include <cstdio>
#include <opencv2/core.hpp>

#include "app/benchmarks/samples.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/stage_statistics.h"

namespace app::benchmarks {

void time_pipeline(gpu::Size size, double seconds) {
  capture::Frame frame;
  frame.resize(size, false);
  cv::Mat pixels(size.height, size.width, CV_8UC3, frame.pixels.data());
  cv::randu(pixels, 0, 256);
  Settings settings;
  settings.effect = "box_blur";
  const auto selection = make_selection(settings, gpu::Device::host);
  Pipeline pipeline(gpu::Device::host);

  StageStatistics statistics;
  std::vector<Contender> contenders;
  contenders.push_back({"frame", [&] {
                          pipeline.process(frame, selection);
                          while (const auto times = pipeline.take_times()) statistics.add(*times);
                        }});
  alternate(contenders, seconds);

  std::printf("%dx%d, luma, %s, %s, %zu frames\n", size.width, size.height, std::string(selection.algorithm->name).c_str(),
              std::string(selection.effect->name).c_str(), contenders[0].microseconds.size());
  std::printf("  %-22s median %9.3f ms   min %9.3f ms\n", "the whole frame", contenders[0].median() / 1000,
              contenders[0].minimum() / 1000);
  for (const auto& row : statistics.rows())
    std::printf("  %-22s median %9.3f ms   p90 %9.3f ms\n", row.name.c_str(), row.p50 / 1000, row.p90 / 1000);
}

}  // namespace app::benchmarks
