#include "app/benchmarks/host_benchmarks.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "app/pipeline/frame_figures.h"
#include "app/pipeline/pipeline.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"

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
  cv::Mat result() const {
    const auto view = blurred_.view();
    return {view.height, view.width, CV_8U, view.data, static_cast<std::size_t>(view.stride)};
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

// The means of all windows, rounded to the nearest whole number, halves up: with whole numbers alone, from sums that a double
// holds exactly.
cv::Mat exact_blur(const cv::Mat& pixels, int side) {
  const int around = side / 2;
  cv::Mat bordered, sums, means(pixels.size(), CV_8U);
  cv::copyMakeBorder(pixels, bordered, around, around, around, around, cv::BORDER_REFLECT_101);
  cv::integral(bordered, sums, CV_64F);
  const auto area = static_cast<std::int64_t>(side) * side;
  for (int y = 0; y < pixels.rows; ++y) {
    const auto *top = sums.ptr<double>(y), *bottom = sums.ptr<double>(y + side);
    for (int x = 0; x < pixels.cols; ++x) {
      const auto sum = static_cast<std::int64_t>(bottom[x + side] - bottom[x] - top[x + side] + top[x]);
      means.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>((2 * sum + area) / (2 * area));
    }
  }
  return means;
}

}  // namespace

void time_blur(gpu::Size size, double seconds) {
  cv::Mat pixels(size.height, size.width, CV_8U), theirs;
  cv::randu(pixels, 0, 256);
  std::printf(
      "%dx%d, box_blur from a table, border reflect101, medians in ms; wrong: pixels in which cv::blur is not the exact "
      "mean\n"
      "  window         ours   cv::blur   wrong\n",
      size.width, size.height);
  for (const int side : sides) {
    Blur blur(pixels, side);
    std::vector<Contender> contenders;
    contenders.push_back({"box_blur", [&] { blur.run(); }});
    contenders.push_back({"cv::blur", [&] { cv::blur(pixels, theirs, {side, side}); }});
    alternate(contenders, seconds / static_cast<double>(std::size(sides)));
    const auto exact = exact_blur(pixels, side);
    const auto wrong = [&](const cv::Mat& blurred) { return cv::countNonZero(blurred != exact); };
    if (const int ours = wrong(blur.result()); ours > 0)
      throw std::runtime_error("box_blur is not the exact mean in " +
                               app::counted(static_cast<std::uint64_t>(ours), "pixel") + " for windows of " +
                               std::to_string(side));
    const auto window = std::to_string(side) + 'x' + std::to_string(side);
    std::printf("  %-10s %8.3f   %8.3f %7d\n", window.c_str(), contenders[0].median() / 1000, contenders[1].median() / 1000,
                wrong(theirs));
  }
}

}  // namespace app::benchmarks
