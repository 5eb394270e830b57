#include "app/benchmarks/host_benchmarks.h"

#include <algorithm>
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "app/pipeline/frame_figures.h"
#include "app/pipeline/pipeline.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/thread_pool.h"

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

namespace {

constexpr int sides[] = {3, 15, 63, 255, 511, 1023, 1773, 2047};

// A gray picture, its table, and the blur of one window, all in host memory.
class Blur {
 public:
  Blur(const cv::Mat& pixels, int side)
      : size_{pixels.cols, pixels.rows},
        gray_{pixels.ptr<std::uint8_t>(), size_.width, size_.height, static_cast<std::ptrdiff_t>(pixels.step)},
        table_(size_, gpu::Device::host),
        blurred_(size_, gpu::Device::host),
        arguments_(effect_.parameters) {
    const auto text = std::to_string(side);
    arguments_.set("window", text + 'x' + text);
    arguments_.set("colour", "off");
    const auto& algorithm = *gpu::find_sat_algorithm("host_serial");
    auto context = gpu::Context::on_host(pool_, {});
    gpu::compute_sat(context, algorithm, gray_, table_.view(), gpu::Arguments(algorithm.parameters));
  }
  void run() {
    auto context = gpu::Context::on_host(pool_, {});
    gpu::EffectInput input;
    input.gray = gray_;
    input.tables.sum = table_.view();
    gpu::Canvas canvas;
    canvas.gray = blurred_.view();
    effect_.run(context, input, canvas, arguments_);
  }
  bool equals(const cv::Mat& theirs) const {
    for (int y = 0; y < size_.height; ++y)
      if (!std::equal(theirs.ptr(y), theirs.ptr(y) + size_.width, blurred_.view().row(y))) return false;
    return true;
  }

 private:
  const gpu::Effect& effect_ = *gpu::find_effect("box_blur");
  gpu::ThreadPool pool_;
  gpu::Size size_;
  gpu::ImageView<const std::uint8_t> gray_;
  gpu::Image<std::uint32_t> table_;
  gpu::Image<std::uint8_t> blurred_;
  gpu::Arguments arguments_;
};

}  // namespace

void time_blur(gpu::Size size, double seconds) {
  cv::Mat pixels(size.height, size.width, CV_8U), theirs;
  cv::randu(pixels, 0, 256);
  std::printf("%dx%d, box_blur from a table, border reflect101, medians in ms\n  window         ours   cv::blur\n",
              size.width, size.height);
  for (const int side : sides) {
    Blur blur(pixels, side);
    std::vector<Contender> contenders;
    contenders.push_back({"box_blur", [&] { blur.run(); }});
    contenders.push_back({"cv::blur", [&] { cv::blur(pixels, theirs, {side, side}); }});
    alternate(contenders, seconds / static_cast<double>(std::size(sides)));
    if (!blur.equals(theirs))
      throw std::runtime_error("box_blur and cv::blur differ for windows of " + std::to_string(side));
    const auto window = std::to_string(side) + 'x' + std::to_string(side);
    std::printf("  %-10s %8.3f   %8.3f\n", window.c_str(), contenders[0].median() / 1000, contenders[1].median() / 1000);
  }
}

}  // namespace app::benchmarks
