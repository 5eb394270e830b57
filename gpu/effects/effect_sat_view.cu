// sat_view: the table itself, as a picture.
//
// linear: each entry relative to the last one, the frame's total. residual: its difference from the table of a frame of
// uniform gray with the same total (total * (x+1) * (y+1) / pixels). modulo: its lower bits, which wrap as the whole table
// would at 2^32. Contours join entries of equal sum. The kernel that draws reads the total: nothing is read back from the
// device for it.
//
// The table of a large bright frame has wrapped modulo 2^32. The true entries are then added up from strips of rows whose
// own sums cannot wrap: a box is exact if its own sum is below 2^32.
#include "gpu/effect.h"
#include "gpu/effects/colour_map.h"
#include "gpu/effects/window_sums.h"
#include "gpu/parameter.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu::effects {
namespace {

enum class Scale { linear, residual, modulo };

constexpr float residual_half = 0.04f;  // a difference of this share of the total is shown at half brightness
constexpr int contour_mix = 144;        // of 256

// The largest number of pixels whose sum is below 2^32 even if all are white.
constexpr int pixels_without_wrap = 16843009;

// Entries as they are: no sum of the frame can wrap.
struct PlainEntries {
  SatView sat;
  constexpr float operator()(int x, int y) const { return static_cast<float>(sat(x, y)); }
};

// Entries as they would be without wrapping.
struct UnwrappedEntries {
  SatView sat;
  int rows;  // of a strip

  constexpr float operator()(int x, int y) const {
    std::uint64_t sum = 0;
    for (int top = 0; top <= y; top += rows) sum += box_sum(sat, 0, top, x + 1, std::min(top + rows, y + 1));
    return static_cast<float>(sum);
  }
};

template <class Entries, bool colour>
struct ShowTable {
  Entries entry;
  SatView sat;
  Scale scale;
  int contours;
  std::uint32_t mask;  // of the bits that `modulo` shows
  Canvas canvas;

  // Values that all pixels share.
  struct Units {
    float of_total, ramp;
  };
  constexpr Units units() const {
    const float total = entry(sat.width - 1, sat.height - 1);
    return {total > 0.0f ? 1.0f / total : 0.0f, 1.0f / (static_cast<float>(sat.width) * static_cast<float>(sat.height))};
  }
  constexpr int band(int x, int y, float of_total) const {
    return static_cast<int>(entry(x, y) * of_total * static_cast<float>(contours));
  }
  constexpr void put(int x, int y, Rgba pixel, bool line) const {
    canvas.put(x, y, mixed(pixel, gray_level(255), line ? contour_mix : 0));
  }
  // value: 0..1
  constexpr void put_level(int x, int y, float value, bool line) const {
    if constexpr (colour)
      put(x, y, viridis(value), line);
    else
      put(x, y, gray_level(to_level(value * 255.0f)), line);
  }
  constexpr void put_signed(int x, int y, float value, bool line) const {
    if constexpr (colour)
      put(x, y, signed_colour(value), line);
    else
      put(x, y, gray_level(to_level(127.0f + value * 127.0f)), line);
  }

  // `line(x)`: whether a contour passes through the pixel.
  template <class Spans, class Line>
  constexpr void draw(int y, int begin, int end, const Spans& spans, const Units& unit, const Line& line) const {
    const auto self = *this;
    if (scale == Scale::linear) {
      spans.within(begin, end, [=](int x) { self.put_level(x, y, self.entry(x, y) * unit.of_total, line(x)); });
    } else if (scale == Scale::residual) {
      const float row_ramp = static_cast<float>(y + 1) * unit.ramp;
      spans.within(begin, end, [=](int x) {
        const float excess = self.entry(x, y) * unit.of_total - static_cast<float>(x + 1) * row_ramp;
        self.put_signed(x, y, spread(excess, residual_half), line(x));
      });
    } else {
      const float of_mask = 1.0f / static_cast<float>(mask);
      spans.within(begin, end,
                   [=](int x) { self.put_level(x, y, static_cast<float>(self.sat(x, y) & self.mask) * of_mask, line(x)); });
    }
  }

  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    const Units unit = units();
    const int above = std::max(y - 1, 0);
    if (contours == 0) return draw(y, 0, sat.width, spans, unit, [](int) { return false; });
    draw(y, 0, 1, spans, unit, [=](int x) { return self.band(x, y, unit.of_total) != self.band(x, above, unit.of_total); });
    draw(y, 1, sat.width, spans, unit, [=](int x) {
      const int here = self.band(x, y, unit.of_total);
      return (here != self.band(x, above, unit.of_total)) | (here != self.band(x - 1, y, unit.of_total));
    });
  }
};

// None where they would cover more than about a quarter of the pixels: those of a matrix. Of uniform gray half of all contours
// cross a column, on the average, and half of them a row.
int drawn_contours(const Arguments& arguments, Size frame) {
  const int contours = arguments.integer("contours");
  const auto covered = [&](int side) { return side > 1 ? 0.5 * contours / side : 0; };
  return covered(frame.width) + covered(frame.height) > 0.25 ? 0 : contours;
}

void run(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments) {
  const auto& canvas = output.canvas;
  const auto scale = arguments.chosen<Scale>("scale");
  const bool colour = arguments.text("map") == "viridis";
  const int contours = drawn_contours(arguments, canvas.size());
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << arguments.integer("bits")) - 1);
  const auto show = [&](auto entries) {
    using Entries = decltype(entries);
    if (colour)
      context.for_each_pixel("sat view", canvas.size(),
                             ShowTable<Entries, true>{entries, input.tables.sum, scale, contours, mask, canvas});
    else
      context.for_each_pixel("sat view", canvas.size(),
                             ShowTable<Entries, false>{entries, input.tables.sum, scale, contours, mask, canvas});
  };
  if (input.tables.sum.size().pixels() <= pixels_without_wrap)
    show(PlainEntries{input.tables.sum});
  else
    show(UnwrappedEntries{input.tables.sum, std::max(1, pixels_without_wrap / input.tables.sum.width)});
}

// The entries of the table that adding up entry (x, y) takes, whatever its column.
std::uint64_t entries_of(int y, Size frame) {
  if (frame.pixels() <= pixels_without_wrap) return 1;
  return static_cast<std::uint64_t>(2 * (y / std::max(1, pixels_without_wrap / frame.width)) + 1);
}

// Each pixel reads the total and its own entry; for contours its own again, the one above it and the one on its left.
std::vector<LaunchTraffic> traffic(const Arguments& arguments, Size frame, int drawn_bytes) {
  const bool modulo = arguments.chosen<Scale>("scale") == Scale::modulo, contours = drawn_contours(arguments, frame) > 0;
  const auto width = static_cast<std::uint64_t>(frame.width), total = entries_of(frame.height - 1, frame);
  std::uint64_t entries = 0;
  for (int y = 0; y < frame.height; ++y) {
    const auto here = entries_of(y, frame);
    entries += width * (total + (modulo ? 1 : here));
    if (contours) entries += width * (here + entries_of(std::max(y - 1, 0), frame)) + (width - 1) * here;
  }
  const auto drawn = static_cast<std::uint64_t>(drawn_bytes) * frame.pixels();
  return {{"sat view", {entries * sizeof(std::uint32_t), drawn, 1}}};
}

constexpr Parameter parameters[] = {
    choice("scale", "linear,residual,modulo",
           "linear: as a share of the total; residual: against an even gray frame; modulo: the lower bits alone"),
    choice("map", "viridis,gray", "Colours; residual is blue below and orange above"),
    integer("contours", "16", 0, 64, "Lines of equal sum; 0: none, as in pictures that they would cover"),
    integer("bits", "22", 8, 32, "modulo: how many of the lower bits"),
};
constexpr ParameterDisplay display[] = {
    {.parameter = "scale", .labels = "Linear,Residual,Lower bits", .prominent = true},
    {.parameter = "map", .labels = "Viridis,Gray", .prominent = true},
    {.parameter = "bits", .applies = "scale=modulo"},
};

constexpr Paper papers[] = {
    {"Crow, Summed-area tables for texture mapping, SIGGRAPH 1984", "10.1145/800031.808600"},
};

}  // namespace

extern constinit const Effect effect_sat_view{
    .name = "sat_view",
    .title = "The table",
    .idea = "The summed area table itself: every pixel is the sum of all pixels above and to its left (Crow 1984).",
    .papers = papers,
    .parameters = parameters,
    .channels = [](const Arguments& arguments) { return arguments.text("map") == "gray" ? 1 : 3; },
    .display = display,
    .shows_table = true,
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::effects
