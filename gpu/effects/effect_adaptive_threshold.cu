// adaptive_threshold: black and white by comparing each pixel with the mean around it, so that uneven light does not
// matter.
//
// mean_c: OpenCV's adaptiveThreshold(ADAPTIVE_THRESH_MEAN_C), bit for bit: the rounded mean of the window, replicated
//   border; white where p - mean > -ceil(C). Inverted: white where p - mean <= -floor(C), as in OpenCV, which is not the
//   opposite if C is fractional.
// bradley: D. Bradley and G. Roth, Adaptive thresholding using the integral image, Journal of Graphics Tools 12(2),
//   2007: black where p is t percent or more below the mean of the window, which is clipped at the frame's edge;
//   count*p*100 <= sum*(100 - t) in integers. The paper's code sums one row and one column more than it counts; here the
//   count is that of the summed pixels.
#include <algorithm>
#include <cmath>

#include "gpu/effect.h"
#include "gpu/effects/window_sums.h"
#include "gpu/parameter.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu::effects {
namespace {

enum class Method { mean_c, bradley };

constexpr int automatic_mean_c_window = 11;
// Bradley and Roth use an eighth of the frame's width.
constexpr int automatic_bradley_part = 8;

constexpr std::uint8_t level(bool white) { return white ? 255 : 0; }

struct MeanC {
  WindowSums sums;
  RoundedMean mean;
  ImageView<const std::uint8_t> gray;
  int offset;  // white where p - mean > -offset
  bool invert;
  Canvas target;

  constexpr std::uint8_t drawn(std::uint8_t pixel, std::uint32_t sum) const {
    return level((pixel - mean(sum) > -offset) != invert);
  }
  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    const auto* pixels = gray.row(y);
    sums.row(y, spans, [=](int x, std::uint32_t sum, int, auto) { self.target.put(x, y, self.drawn(pixels[x], sum)); });
  }
  constexpr PixelRange interior() const { return sums.interior(); }
  constexpr std::uint8_t inner(int x, int y) const { return drawn(gray(x, y), sums.inner_sum(x, y)); }
};

struct Bradley {
  WindowSums sums;
  ImageView<const std::uint8_t> gray;
  std::uint32_t kept_percent;  // 100 - t
  bool invert;
  Canvas target;

  constexpr std::uint8_t drawn(std::uint8_t pixel, std::uint32_t sum, int count) const {
    const auto scaled = std::uint64_t{static_cast<std::uint32_t>(count)} * (pixel * 100u);
    return level((scaled > std::uint64_t{sum} * kept_percent) != invert);
  }
  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    const auto* pixels = gray.row(y);
    sums.row(y, spans,
             [=](int x, std::uint32_t sum, int count, auto) { self.target.put(x, y, self.drawn(pixels[x], sum, count)); });
  }
  constexpr PixelRange interior() const { return sums.interior(); }
  constexpr std::uint8_t inner(int x, int y) const {
    return drawn(gray(x, y), sums.inner_sum(x, y), static_cast<int>(sums.window.pixels()));
  }
};

// It is square: along the longer side of a small frame there is something to compare with.
int automatic_side(const Arguments& arguments, Size frame) {
  const int longer = std::max(frame.width, frame.height);
  if (arguments.chosen<Method>("method") == Method::mean_c) return window_side_within(longer, automatic_mean_c_window);
  return std::clamp(frame.width / automatic_bradley_part, window_side_within(longer, least_window_side),
                    RoundedMean::max_side);
}

int window_side(const Arguments& arguments, Size frame) {
  const int side = arguments.integer("window");
  return side > 0 ? side : automatic_side(arguments, frame);
}

void run(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments) {
  const auto& canvas = output.canvas;
  const auto method = arguments.chosen<Method>("method");
  const int side = window_side(arguments, canvas.size());
  const bool invert = arguments.toggle("invert");
  if (method == Method::bradley) {
    const auto kept = static_cast<std::uint32_t>(100 - arguments.integer("t"));
    return context.for_each_pixel("bradley threshold", canvas.size(),
                                  Bradley{{input.tables.sum, {side, side}, Border::clip}, input.gray, kept, invert, canvas});
  }
  const double c = arguments.real("c");
  const int offset = static_cast<int>(invert ? std::floor(c) : std::ceil(c));
  const RoundedMean mean(static_cast<std::uint32_t>(side * side));
  context.for_each_pixel(
      "mean threshold", canvas.size(),
      MeanC{{input.tables.sum, {side, side}, Border::replicate}, mean, input.gray, offset, invert, canvas});
}

std::vector<LaunchTraffic> traffic(const Arguments& arguments, Size frame, int drawn_bytes) {
  const auto method = arguments.chosen<Method>("method");
  const int side = window_side(arguments, frame);
  const WindowSums sums{view_without_memory<const std::uint32_t>(frame), {side, side}, Border::clip};
  const auto pixels = frame.pixels();
  return {{method == Method::bradley ? "bradley threshold" : "mean threshold",
           {sums.read_bytes() + pixels, static_cast<std::uint64_t>(drawn_bytes) * pixels, 1}}};
}

constexpr Parameter parameters[] = {
    choice("method", "mean_c,bradley", "mean_c: OpenCV's, mean minus c; bradley: t percent below the mean"),
    integer("window", "0", 0, RoundedMean::max_side,
            "Side of the mean's window in pixels; 0: 11 for mean minus c (mean_c), an eighth of the width for bradley, "
            "fitted to small frames"),
    real("c", "7", -255, 255, 0.5, "mean_c: white down to this many levels below the mean"),
    integer("t", "15", 0, 100, "bradley: black from this many percent below the mean"),
    toggle("invert", "off", "Black and white exchanged"),
};
constexpr ParameterDisplay display[] = {
    {.parameter = "method", .labels = "Mean minus c (OpenCV),Percent below the mean (Bradley)", .prominent = true},
    {.parameter = "window",
     .logarithmic = true,
     .prominent = true,
     .automatic =
         [](const Arguments& a, Size frame) {
           return Size{automatic_side(a, frame), 0};
         }},
    {.parameter = "c", .applies = "method=mean_c", .prominent = true},
    {.parameter = "t", .applies = "method=bradley", .prominent = true},
};

constexpr Paper papers[] = {
    {"Bradley, Roth, Adaptive thresholding using the integral image, Journal of Graphics Tools 12(2), 2007",
     "10.1080/2151237X.2007.10129236"},
};

}  // namespace

extern constinit const Effect effect_adaptive_threshold{
    .name = "adaptive_threshold",
    .title = "Adaptive threshold",
    .idea = "Ink from paper under uneven light: each pixel against the mean around it (Bradley and Roth 2007).",
    .papers = papers,
    .parameters = parameters,
    .channels = [](const Arguments&) { return 1; },
    .display = display,
    .box =
        [](const Arguments& arguments, Size frame) {
          const int side = window_side(arguments, frame);
          return Size{side, side};
        },
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::effects
