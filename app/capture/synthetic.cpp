#include "app/capture/synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include <opencv2/imgproc.hpp>

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

constexpr int panorama_width = 2048, panorama_height = 1152;
constexpr double bytes_per_part = 1 << 20;  // copied by one thread at a time

// 0 up to `height` and back in `period` steps: the same integers everywhere, which a sine is not.
constexpr int triangle(std::uint64_t step, int period, int height) {
  const int half = period / 2;
  const int phase = static_cast<int>(step % static_cast<std::uint64_t>(period));
  return static_cast<int>(static_cast<std::int64_t>(phase < half ? phase : period - phase) * height / half);
}

// Numerical Recipes' linear congruential generator; its upper bits are good enough to look like noise.
class Noise {
 public:
  int operator()(int below) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>((static_cast<std::uint64_t>(state_) * static_cast<std::uint64_t>(below)) >> 32);
  }

 private:
  std::uint32_t state_ = 20240229;
};

void paint_gradient(cv::Mat& panorama) {
  for (int y = 0; y < panorama.rows; ++y)
    for (int x = 0; x < panorama.cols; ++x)
      panorama.at<cv::Vec3b>(y, x) = {
          static_cast<std::uint8_t>(70 + triangle(static_cast<std::uint64_t>(x), panorama_width, 120)),
          static_cast<std::uint8_t>(60 + triangle(static_cast<std::uint64_t>(y), panorama_height, 110)),
          static_cast<std::uint8_t>(50 + triangle(static_cast<std::uint64_t>(x + 16 * y / 9), panorama_width, 130))};
}

// A page of words under uneven light: what adaptive thresholds are for.
void paint_page(cv::Mat page, Noise& noise) {
  for (int y = 0; y < page.rows; ++y)
    for (int x = 0; x < page.cols; ++x) {
      const int level = 235 - 150 * x / page.cols - 40 * y / page.rows + noise(8);
      page.at<cv::Vec3b>(y, x) = cv::Vec3b::all(static_cast<std::uint8_t>(level));
    }
  constexpr const char* words[] = {"summed", "area",  "table", "tile", "carry",  "look",  "back",   "prefix",
                                   "warp",   "block", "scan",  "row",  "column", "local", "global", "sum"};
  for (int y = 34; y < page.rows - 8; y += 26)
    for (int x = 14; x < page.cols - 90;) {
      const char* word = words[noise(16)];
      cv::putText(page, word, {x, y}, cv::FONT_HERSHEY_SIMPLEX, 0.6, cv::Scalar::all(30), 1);
      x += cv::getTextSize(word, cv::FONT_HERSHEY_SIMPLEX, 0.6, 1, nullptr).width + 10;
    }
}

void paint_checkerboard(cv::Mat area) {
  for (int y = 0; y < area.rows; y += 32)
    for (int x = 0; x < area.cols; x += 32)
      area(cv::Rect(x, y, 32, 32) & cv::Rect({}, area.size())) = (x + y) / 32 % 2 ? cv::Scalar::all(20)
                                                                                  : cv::Scalar::all(235);
}

// Bars from 1 pixel wide to 16: every window size of a box filter meets edges of its own scale.
void paint_bars(cv::Mat area) {
  for (int x = 0, width = 1; x < area.cols; x += 2 * width, width = 1 + 15 * x / area.cols)
    area.colRange(x, std::min(x + width, area.cols)) = cv::Scalar(240, 240, 240);
}

void paint_noise(cv::Mat area, Noise& noise) {
  for (int y = 0; y < area.rows; ++y)
    for (int x = 0; x < area.cols; ++x)
      for (int channel = 0; channel < 3; ++channel)
        area.at<cv::Vec3b>(y, x)[channel] = static_cast<std::uint8_t>(noise(256));
}

// Rectangles and discs of every size and colour.
void paint_shapes(cv::Mat area, Noise& noise) {
  for (int i = 0; i < 60; ++i) {
    // In braces, arguments are evaluated from left to right: the same numbers with every compiler.
    const cv::Scalar colour{double(noise(256)), double(noise(256)), double(noise(256))};
    const cv::Point at{noise(area.cols), noise(area.rows)};
    if (i % 2)
      cv::circle(area, at, 6 + noise(50), colour, cv::FILLED);
    else
      cv::rectangle(area, cv::Rect{at.x, at.y, 8 + noise(90), 8 + noise(90)}, colour, cv::FILLED);
  }
}

void paint_rings(cv::Mat area) {
  const cv::Point centre(area.cols / 2, area.rows / 2);
  for (int radius = std::min(centre.x, centre.y) - 4; radius > 0; radius -= 9)
    cv::circle(area, centre, radius, cv::Scalar::all(radius / 9 % 2 ? 30 : 225), cv::FILLED);
}

// One row of the panorama from (left, y) on, around its edges.
void copy_row(const cv::Mat& panorama, int left, int y, gpu::Bgr* to, int width) {
  const auto* from = reinterpret_cast<const gpu::Bgr*>(panorama.ptr(y % panorama_height));
  for (int x = 0, start = left; x < width;) {
    const int run = std::min(width - x, panorama_width - start);
    std::memcpy(to + x, from + start, static_cast<std::size_t>(run) * sizeof(gpu::Bgr));
    x += run;
    start = 0;
  }
}

// On several threads: one core copies large pictures more slowly than a GPU takes them.
void copy_rows(const cv::Mat& panorama, int left, int top, gpu::ImageView<gpu::Bgr> image) {
  const auto rows = [&](const cv::Range& range) {
    for (int y = range.start; y < range.end; ++y) copy_row(panorama, left, top + y, image.row(y), image.width);
  };
  const auto bytes = static_cast<double>(image.width) * image.height * sizeof(gpu::Bgr);
  cv::parallel_for_({0, image.height}, rows, std::ceil(bytes / bytes_per_part));
}

}  // namespace

SyntheticScene::SyntheticScene() : panorama_(panorama_height, panorama_width, CV_8UC3) {
  Noise noise;
  paint_gradient(panorama_);
  paint_page(panorama_(cv::Rect(80, 60, 620, 440)), noise);
  paint_shapes(panorama_(cv::Rect(760, 40, 600, 500)), noise);
  paint_checkerboard(panorama_(cv::Rect(1420, 60, 512, 256)));
  paint_bars(panorama_(cv::Rect(1420, 360, 512, 160)));
  paint_noise(panorama_(cv::Rect(120, 600, 320, 240)), noise);
  paint_rings(panorama_(cv::Rect(520, 580, 420, 420)));
  paint_page(panorama_(cv::Rect(1020, 620, 700, 460)), noise);
  paint_shapes(panorama_(cv::Rect(60, 880, 400, 240)), noise);
}

void SyntheticScene::draw(std::uint64_t number, gpu::ImageView<gpu::Bgr> image) const {
  const int left = static_cast<int>(number * 3 % panorama_width);
  const int top = triangle(number, 1200, panorama_height - 1);
  copy_rows(panorama_, left, top, image);

  cv::Mat picture(image.height, image.width, CV_8UC3, image.data, static_cast<std::size_t>(image.stride) * sizeof(gpu::Bgr));
  const int shorter = std::min(image.width, image.height), longer = std::max(image.width, image.height);
  const int radius = std::min(shorter / 9, longer / 16);
  if (radius < 4) return;  // too small for shapes to be seen
  const auto bounce_x = [&](int period) { return triangle(number, period, image.width - 1); };
  const auto bounce_y = [&](int period) { return triangle(number + 77, period, image.height - 1); };
  cv::circle(picture, {bounce_x(420), bounce_y(310)}, radius, {40, 80, 235}, cv::FILLED);
  cv::circle(picture, {bounce_x(660), bounce_y(250)}, radius / 2, {245, 245, 245}, cv::FILLED);
  const cv::Rect box(bounce_x(540), bounce_y(430), radius * 3 / 2, radius);
  cv::rectangle(picture, box, {60, 190, 60}, cv::FILLED);
  cv::rectangle(picture, box, {10, 10, 10}, std::max(1, radius / 12));
  if (image.width < 160 || image.height < 40) return;
  cv::rectangle(picture, cv::Rect(0, 0, 150, 26), {20, 20, 20}, cv::FILLED);
  cv::putText(picture, "frame " + std::to_string(number), {6, 18}, cv::FONT_HERSHEY_SIMPLEX, 0.5, {255, 255, 255}, 1);
}

namespace {

constexpr gpu::Size usual_size{1280, 720}, largest{maximum_side, maximum_side};
constexpr double usual_rate = 60;

class SyntheticSource : public Source {
 public:
  SyntheticSource(gpu::Size size, double rate, bool page_locked, std::string warning)
      : size_(size), rate_(rate), page_locked_(page_locked), warning_(std::move(warning)) {}

  Read read(Frame& frame, std::stop_token) override {
    frame.resize(size_, page_locked_);
    scene_.draw(number_, frame.writable());
    frame.position = static_cast<double>(number_) / rate_;
    ++number_;
    return Read::frame;
  }

  void seek(double seconds, std::stop_token) override {
    number_ = static_cast<std::uint64_t>(std::max(0.0, std::floor(seconds * rate_ + 1e-6)));
  }
  void step_back(double position, int count, std::stop_token) override { seek(position - count / rate_, {}); }

  SourceInfo info() const override {
    SourceInfo info;
    info.no_seek.clear();
    info.kind = SourceKind::synthetic;
    info.name = synthetic_word;
    info.description = describe(synthetic_word, size_, rate_);
    info.size = size_;
    info.fps = rate_;
    info.warning = warning_;
    return info;
  }

 private:
  gpu::Size size_;
  double rate_;
  bool page_locked_;
  std::string warning_;
  SyntheticScene scene_;
  std::uint64_t number_ = 0;
};

}  // namespace

bool owns_synthetic(const Request& request) {
  const std::string_view source = request.source;
  return source.substr(0, synthetic_word.size()) == synthetic_word &&
         (source.size() == synthetic_word.size() || source[synthetic_word.size()] == ':');
}

std::unique_ptr<Source> open_synthetic(const Request& request, const Opening&) {
  gpu::Size size = request.size.pixels() > 0 ? request.size : usual_size;
  if (request.source.size() > synthetic_word.size()) {
    const auto wanted = size_from_text(std::string_view(request.source).substr(synthetic_word.size() + 1));
    if (!wanted)
      throw SourceError(describe_source(request) + " is not understood; write synthetic:WxH, at most " + text_of(largest) +
                        ", e.g. synthetic:1920x1080");
    size = *wanted;
  }
  check_frames(size, request.memory, describe_source(request));
  std::string warning;
  if (request.size.pixels() > 0 && request.size != size)
    warning = describe_source(request) + " names its own size: the size " + text_of(request.size) +
              " is not used; write synthetic to choose it by --size";
  return std::make_unique<SyntheticSource>(size, request.fps > 0 ? request.fps : usual_rate, request.page_locked,
                                           std::move(warning));
}

}  // namespace app::capture
