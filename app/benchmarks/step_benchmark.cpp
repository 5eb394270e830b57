// The steps of a frame on the CPU, each beside what OpenCV has for it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "app/benchmarks/host_benchmarks.h"
#include "gpu/effect.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"
#include "gpu/tables/tables.h"

namespace app::benchmarks {
namespace {

// A frame, and whatever is made of it by a number of threads.
class Steps {
 public:
  Steps(const cv::Mat& colour, int threads)
      : size_{colour.cols, colour.rows},
        pool_(threads),
        colour_(colour.ptr<gpu::Bgr>(), size_.width, size_.height, static_cast<std::ptrdiff_t>(colour.step)),
        gray_(size_, gpu::Device::host),
        table_(size_, gpu::Device::host),
        level_picture_(size_, gpu::Device::host),
        colour_picture_(size_, gpu::Device::host) {
    gray_blur_.set("colour", "off");
    auto dry = gpu::Context::dry(gpu::Device::host, pool_.threads());
    make_gray(dry), make_table(dry), make_picture(dry, blur_, colour_blur_, true);
    workspace_ = gpu::Buffer<std::byte>(dry.workspace_bytes(), gpu::Device::host);
  }

  void luma() {
    auto context = on_host();
    make_gray(context);
  }
  void table() {
    auto context = on_host();
    make_table(context);
  }
  void blur() {
    auto context = on_host();
    make_picture(context, blur_, gray_blur_, false);
  }
  void threshold() {
    auto context = on_host();
    make_picture(context, threshold_, means_, false);
  }
  void blur_of_colours() {
    auto context = on_host();
    make_picture(context, blur_, colour_blur_, true);
  }
  // As in the window: the table of the gray frame, too.
  void frame() { luma(), table(), blur_of_colours(); }

  cv::Mat gray() const { return matrix(gray_.view(), CV_8U); }
  cv::Mat sums() const { return matrix(table_.view(), CV_32S); }
  cv::Mat levels() const { return matrix(level_picture_.view(), CV_8U); }
  cv::Mat colours() const {
    cv::Mat bgr;
    cv::cvtColor(matrix(colour_picture_.view(), CV_8UC4), bgr, cv::COLOR_RGBA2BGR);
    return bgr;
  }

 private:
  gpu::Context on_host() { return gpu::Context::on_host(pool_, workspace_.span()); }
  void make_gray(gpu::Context& context) { gpu::luma(context, colour_, gray_.view()); }
  void make_table(gpu::Context& context) {
    gpu::compute_sat(context, algorithm_, gpu::ImageView<const std::uint8_t>(gray_.view()), table_.view(), arguments_);
  }
  void make_picture(gpu::Context& context, const gpu::Effect& effect, const gpu::Arguments& arguments, bool in_colour) {
    gpu::EffectInput input{colour_, gray_.view(), {}, nullptr, &algorithm_, &arguments_};
    input.tables.sum = table_.view();
    gpu::run_effect(context, effect, input,
                    in_colour ? gpu::Canvas{{}, colour_picture_.view()} : gpu::Canvas{level_picture_.view(), {}}, arguments);
  }
  template <class T>
  static cv::Mat matrix(gpu::ImageView<T> view, int type) {
    return {view.height, view.width, type, view.data, static_cast<std::size_t>(view.stride) * sizeof(T)};
  }

  const gpu::SatAlgorithm& algorithm_ = *gpu::find_sat_algorithm("host_parallel");
  const gpu::Effect &blur_ = *gpu::find_effect("box_blur"), &threshold_ = *gpu::find_effect("adaptive_threshold");
  const gpu::Arguments arguments_{algorithm_.parameters}, colour_blur_{blur_.parameters}, means_{threshold_.parameters};
  gpu::Arguments gray_blur_{blur_.parameters};
  gpu::Size size_;
  gpu::ThreadPool pool_;
  gpu::BgrView colour_;
  gpu::Image<std::uint8_t> gray_;
  gpu::Image<std::uint32_t> table_;
  gpu::Image<std::uint8_t> level_picture_;
  gpu::Image<gpu::Rgba> colour_picture_;
  gpu::Buffer<std::byte> workspace_;
};

struct Row {
  const char *ours, *theirs;
  std::function<void()> run_ours, run_theirs;
  std::function<bool()> equal;
};

bool same(const cv::Mat& a, const cv::Mat& b) { return cv::norm(a, b, cv::NORM_INF) == 0; }

// With that many threads on both sides.
void compare_with(int threads, const cv::Mat& colour, double seconds) {
  cv::setNumThreads(threads);
  Steps steps(colour, threads);
  cv::Mat gray, sums, levels, colours;
  constexpr int window = 15, means = 11, offset = 7;  // of the effects
  const auto blur_colours = [&] { cv::blur(colour, colours, {window, window}); };
  Row rows[] = {
      {"luma", "cvtColor", [&] { steps.luma(); }, [&] { cv::cvtColor(colour, gray, cv::COLOR_BGR2GRAY); },
       [&] { return same(steps.gray(), gray); }},
      {"host_parallel", "integral", [&] { steps.table(); }, [&] { cv::integral(gray, sums, CV_32S); },
       [&] {
         return same(steps.sums(), sums({1, 1, colour.cols, colour.rows}));
       }},
      {"box_blur, gray, from the table", "blur", [&] { steps.blur(); },
       [&] {
         cv::blur(gray, levels, {window, window});
       },
       [&] { return same(steps.levels(), levels); }},
      {"adaptive_threshold, from the table", "adaptiveThreshold", [&] { steps.threshold(); },
       [&] { cv::adaptiveThreshold(gray, levels, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, means, offset); },
       [&] { return same(steps.levels(), levels); }},
      {"box_blur, colour", "blur", [&] { steps.blur_of_colours(); }, blur_colours,
       [&] { return same(steps.colours(), colours); }},
      {"all of a coloured frame", "blur", [&] { steps.frame(); }, blur_colours,
       [&] { return same(steps.colours(), colours); }},
  };
  std::printf("  %d thread%s\n", threads, threads == 1 ? "" : "s");
  for (auto& row : rows) {
    std::vector<Contender> contenders;
    contenders.push_back({row.ours, row.run_ours});
    contenders.push_back({row.theirs, row.run_theirs});
    alternate(contenders, seconds / static_cast<double>(2 * std::size(rows)));
    if (!row.equal()) throw std::runtime_error(std::string(row.ours) + " and cv::" + row.theirs + " differ");
    std::printf("    %-36s %8.3f (%7.3f)   cv::%-18s %8.3f (%7.3f)   %5.2fx\n", row.ours, contenders[0].median() / 1000,
                contenders[0].minimum() / 1000, row.theirs, contenders[1].median() / 1000, contenders[1].minimum() / 1000,
                contenders[1].median() / contenders[0].median());
  }
}

}  // namespace

void compare_steps(gpu::Size size, double seconds) {
  cv::Mat colour(size.height, size.width, CV_8UC3);
  cv::randu(colour, 0, 256);
  std::printf("%dx%d, steps of a frame beside OpenCV's with as many threads; medians (and least) in ms\n", size.width,
              size.height);
  const int all = gpu::ThreadPool::thread_count(0), before = cv::getNumThreads();
  compare_with(1, colour, seconds);
  if (all > 1) compare_with(all, colour, seconds);
  cv::setNumThreads(before);
}

}  // namespace app::benchmarks
