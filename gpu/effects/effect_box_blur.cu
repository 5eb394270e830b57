// box_blur: the mean of a window around every pixel, at a cost that does not depend on the window.
//
// Source: F. Crow, Summed-area tables for texture mapping, SIGGRAPH 1984; repeated passes approach a Gaussian:
// P. Heckbert, Filtering by repeated integration, SIGGRAPH 1986.
// Definition: (2*sum + area) / (2*area) in integers. For odd windows this equals cv::blur bit for bit, with every border;
// even windows give the correctly rounded mean (OpenCV 4.6 rounds some of them up).
// On the host a colour frame needs no tables: colour_blur.h.
#include "gpu/effect.h"
#include "gpu/effects/colour_blur.h"
#include "gpu/effects/window_sums.h"
#include "gpu/parameter.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu::effects {
namespace {

// The mean for one window sum: by the reciprocal if the whole window counts, otherwise by division.
struct WindowMean {
  RoundedMean whole_window;

  template <class Whole>
  constexpr std::uint8_t operator()(std::uint32_t sum, int count, Whole) const {
    if constexpr (Whole::value) return whole_window(sum);
    const auto area = static_cast<std::uint32_t>(count);
    return static_cast<std::uint8_t>((sum + area / 2) / area);
  }
};

template <class Target>
struct BlurGray {
  WindowSums sums;
  WindowMean mean;
  Target target;

  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto out = target;
    const auto window_mean = mean;
    sums.row(y, spans,
             [=](int x, std::uint32_t sum, int count, auto whole) { out.put(x, y, window_mean(sum, count, whole)); });
  }
  constexpr PixelRange interior() const { return sums.interior(); }
  constexpr std::uint8_t inner(int x, int y) const { return mean.whole_window(sums.inner_sum(x, y)); }
};

// A plane of bytes between two passes.
struct Plane {
  ImageView<std::uint8_t> image;
  constexpr void put(int x, int y, std::uint8_t level) const { image(x, y) = level; }
};

struct JoinChannels {
  ImageView<const std::uint8_t> b, g, r;
  Canvas target;

  constexpr void operator()(int x, int y) const { target.put(x, y, inner(x, y)); }
  constexpr PixelRange interior() const { return whole(target.size()); }
  constexpr Rgba inner(int x, int y) const { return {r(x, y), g(x, y), b(x, y), 255}; }
};

struct Blur {
  Size window;
  Border border;
  int passes;

  template <class Target>
  void pass(Context& context, SatView sat, Target target) const {
    const WindowMean mean{RoundedMean(static_cast<std::uint32_t>(window.pixels()))};
    context.for_each_pixel("box blur", sat.size(), BlurGray<Target>{{sat, window, border}, mean, target});
  }
  // For the tables of all passes but the first.
  ImageView<std::uint32_t> scratch_table(Context& context, Size size) const {
    return passes > 1 ? context.scratch_image<std::uint32_t>(size) : ImageView<std::uint32_t>();
  }
  // Every pass but the last writes its result to `plane` and the result's table to `table`.
  template <class Target>
  void operator()(Context& context, const EffectInput& input, SatView first, ImageView<std::uint8_t> plane,
                  ImageView<std::uint32_t> table, Target target) const {
    SatView sat = first;
    for (int i = 1; i < passes; ++i) {
      pass(context, sat, Plane{plane});
      input.compute_sat(context, plane, table);
      sat = table;
    }
    pass(context, sat, target);
  }
};

// Each side fits the frame by itself: a line of pixels is blurred along it.
Size automatic_window(const Arguments&, Size frame) {
  constexpr int usual = 15;
  return {window_side_within(frame.width, usual), window_side_within(frame.height, usual)};
}

Size window_of(const Arguments& arguments, Size frame) {
  const auto window = arguments.size("window"), automatic = automatic_window(arguments, frame);
  return {window.width > 0 ? window.width : automatic.width, window.height > 0 ? window.height : automatic.height};
}

// Colours take three tables, for which the simulated GPU is too slow to play a video: where nobody chose, it draws in gray.
std::string_view automatic_colour(Device device) { return device == Device::simulated ? "off" : "on"; }
bool in_colour(const Arguments& arguments) { return arguments.text("colour") != "off"; }

// The host sums the colours as it blurs them.
Tables tables(const Arguments& arguments, Device device) {
  return {.channels = in_colour(arguments) && device != Device::host};
}

void run_colour(Context& context, const EffectInput& input, const Canvas& canvas, const Blur& blur) {
  if (context.device() == Device::host && input.tables.channels[0].empty())
    return blur_colours_on_host(context, input.colour, blur.window, blur.border, blur.passes, canvas);
  const Size size = canvas.size();
  ImageView<std::uint8_t> planes[3];
  for (auto& plane : planes) plane = context.scratch_image<std::uint8_t>(size);
  const auto table = blur.scratch_table(context, size);
  for (int i = 0; i < 3; ++i) blur(context, input, input.tables.channels[i], planes[i], table, Plane{planes[i]});
  context.for_each_pixel("join channels", size, JoinChannels{planes[0], planes[1], planes[2], canvas});
}

void run(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments) {
  const Context::ScratchScope scope(context);
  const auto& canvas = output.canvas;
  const Blur blur{window_of(arguments, canvas.size()), arguments.chosen<Border>("border"), arguments.integer("passes")};
  if (in_colour(arguments)) return run_colour(context, input, canvas, blur);
  ImageView<std::uint8_t> plane;
  if (blur.passes > 1) plane = context.scratch_image<std::uint8_t>(canvas.size());
  const auto table = blur.scratch_table(context, canvas.size());
  blur(context, input, input.tables.sum, plane, table, canvas);
}

// Every pass but the last, and those of channels, write bytes.
std::vector<LaunchTraffic> traffic(const Arguments& arguments, Size frame, int drawn_bytes) {
  const auto pixels = frame.pixels(), drawn = static_cast<std::uint64_t>(drawn_bytes) * pixels;
  const WindowSums sums{view_without_memory<const std::uint32_t>(frame), window_of(arguments, frame),
                        arguments.chosen<Border>("border")};
  const bool colour = in_colour(arguments);
  const int passes = arguments.integer("passes");
  std::vector<LaunchTraffic> launches;
  for (int channel = 0; channel < (colour ? 3 : 1); ++channel)
    for (int pass = 0; pass < passes; ++pass)
      launches.push_back({"box blur", {sums.read_bytes(), colour || pass + 1 < passes ? pixels : drawn, 1}});
  if (colour) launches.push_back({"join channels", {3 * pixels, drawn, 1}});
  return launches;
}

constexpr Parameter parameters[] = {
    size("window", "0x0", 0, RoundedMean::max_side,
         "Width and height of the mean's window, in pixels; 0x0: 15x15, less where the frame is smaller"),
    choice("border", border_choices, "What lies outside the frame; clip: the mean of the pixels inside"),
    integer("passes", "1", 1, 4, "Repetitions; three are close to a Gaussian"),
    automatic_toggle("colour", "Each channel by itself; off: the gray frame; auto: off on the simulated GPU, elsewhere on"),
};
constexpr ParameterDisplay display[] = {
    {.parameter = "window", .logarithmic = true, .prominent = true, .automatic = automatic_window},
    {.parameter = "border", .labels = border_labels},
    {.parameter = "colour", .labels = "Auto,On,Off", .automatic_on = automatic_colour},
};

constexpr Paper papers[] = {
    {"Crow, Summed-area tables for texture mapping, SIGGRAPH 1984", "10.1145/800031.808600"},
};

}  // namespace

extern constinit const Effect effect_box_blur{
    .name = "box_blur",
    .title = "Box blur",
    .idea = "The mean of a window around every pixel from four entries of the table, whatever its size (Crow 1984).",
    .papers = papers,
    .parameters = parameters,
    .channels = [](const Arguments& arguments) { return in_colour(arguments) ? 3 : 1; },
    .tables = tables,
    .display = display,
    .reads_gray = [](const Arguments& arguments) { return !in_colour(arguments); },
    .box = window_of,
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::effects
