// haar: one Haar-like feature, drawn where it is with its signed rectangles and its value, or its response everywhere.
//
// Source: see haar_feature.h. `feature` shows the gray frame, what is added in orange, what is taken away in blue, and
// the value as a number. `response` colours each pixel by the value of the feature centred there (moved inside where it
// would leave the frame), relative to the largest value it could have; the outline at x, y shows its size.
#include <string>

#include "gpu/effect.h"
#include "gpu/effects/choice.h"
#include "gpu/effects/colour_map.h"
#include "gpu/effects/haar_feature.h"
#include "gpu/effects/number_text.h"
#include "gpu/for_each_pixel.cuh"

namespace gpu::effects {
namespace {

constexpr float response_half = 0.1f;  // this share of the largest possible value is shown at half brightness
constexpr int tint = 112;              // of 256, over the frame
constexpr int rows_a_glyph_pixel = 240;

// Outline, tinted rectangles and value, over whatever lies below.
struct Overlay {
  HaarFeature feature;
  SatView sat;
  bool tinted;
  Size size;

  constexpr int scale() const { return std::max(1, size.height / rows_a_glyph_pixel); }
  constexpr NumberText text() const { return {feature.value(sat), scale()}; }
  constexpr int text_width() const { return std::min(size.width, (NumberText::most_characters * 6 + 1) * scale()); }
  constexpr int text_height() const { return NumberText::height_in_glyphs * scale(); }
  // Below the feature where there is room, else above, else at the frame's lower edge.
  constexpr int text_top() const {
    const int below = feature.y + feature.full_height() + 1, above = feature.y - 1 - text_height();
    if (below + text_height() <= size.height) return below;
    return above >= 0 ? above : std::max(0, size.height - text_height());
  }
  constexpr int text_left() const { return std::clamp(feature.x - 1, 0, size.width - text_width()); }

  // The columns of row y that it may draw on.
  struct Columns {
    int begin, end;
  };
  constexpr Columns columns(int y) const {
    Columns drawn{size.width, 0};
    if (y >= feature.y - 1 && y <= feature.y + feature.full_height())
      drawn = {feature.x - 1, feature.x + feature.full_width() + 1};
    if (y >= text_top() && y < text_top() + text_height())
      drawn = {std::min(drawn.begin, text_left()), std::max(drawn.end, text_left() + text_width())};
    return {std::max(0, drawn.begin), std::min(drawn.end, size.width)};
  }

  constexpr bool on_outline(int x, int y) const {
    const bool outer = x >= feature.x - 1 && x <= feature.x + feature.full_width() && y >= feature.y - 1 &&
                       y <= feature.y + feature.full_height();
    return outer && !feature.contains(x, y);
  }
  constexpr Rgba over(int x, int y, Rgba below) const {
    const int column = x - text_left(), row = y - text_top();
    if (column >= 0 && row >= 0 && column < text_width() && row < text_height()) {
      const NumberText number = text();
      if (column < number.width())
        return number.ink(column, row) ? gray_level(255) : mixed(below, gray_level(0), 208);
    }
    if (on_outline(x, y)) return gray_level(255);
    if (!tinted || !feature.contains(x, y)) return below;
    return mixed(below, feature.positive(x, y) ? positive_colour() : negative_colour(), tint);
  }
};

struct ShowFeature {
  ImageView<const std::uint8_t> gray;
  Overlay overlay;
  Canvas canvas;

  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    const auto drawn = overlay.columns(y);
    const auto* pixels = gray.row(y);
    const int begin = std::min(drawn.begin, drawn.end);
    spans.without(begin, drawn.end, [=](int x) { self.canvas.put(x, y, pixels[x]); });
    spans.within(begin, drawn.end,
                 [=](int x) { self.canvas.put(x, y, self.overlay.over(x, y, gray_level(pixels[x]))); });
  }
};

// A feature of columns x rows rectangles at every pixel.
template <int columns, int rows>
struct ShowResponse {
  SatView sat;
  Overlay overlay;
  float unit;  // 1 / the largest magnitude of a value
  Canvas canvas;

  // The sum over columns 0..x of the rectangles' rows, with their signs, for a feature that starts at row `top`.
  struct Strip {
    const std::uint32_t* line[rows + 1];
    std::uint32_t factor[rows + 1];

    constexpr std::uint32_t operator()(int x) const {
      std::uint32_t sum = 0;
      for (int j = 0; j <= rows; ++j) sum += factor[j] * line[j][x];
      return sum;
    }
  };
  constexpr Strip strip(int top) const {
    Strip result{};
    for (int j = 0; j <= rows; ++j) {
      const int line = top + j * overlay.feature.height - 1;  // -1: nothing above the first row
      result.line[j] = sat.row(std::max(line, 0));
      result.factor[j] = line < 0 ? 0u : corner_factor<rows>(j);
    }
    return result;
  }
  constexpr Rgba colour(std::uint32_t sum) const {
    return signed_colour(spread(static_cast<float>(static_cast<int>(0u - sum)) * unit, response_half));
  }
  // Anywhere in the row: the feature is moved inside.
  constexpr Rgba response(int x, const Strip& strip) const {
    const int side = overlay.feature.width, full = columns * side;
    const int left = std::clamp(x - full / 2, 0, sat.width - full);
    std::uint32_t sum = 0;
    for (int i = 0; i <= columns; ++i)
      if (left + i > 0) sum += corner_factor<columns>(i) * strip(left + i * side - 1);
    return colour(sum);
  }

  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    const int side = overlay.feature.width, full = columns * side;
    const int top = std::clamp(y - rows * overlay.feature.height / 2, 0, sat.height - rows * overlay.feature.height);
    const int first = std::min(full / 2 + 1, sat.width), past = std::max(first, sat.width - full + full / 2 + 1);
    const Strip strip = this->strip(top);
    spans.within(first, past, [=](int x) {
      std::uint32_t sum = 0;
      for (int i = 0; i <= columns; ++i) sum += corner_factor<columns>(i) * strip(x - full / 2 + i * side - 1);
      self.canvas.put(x, y, self.colour(sum));
    });
    spans.without(first, past, [=](int x) { self.canvas.put(x, y, self.response(x, strip)); });
    const auto drawn = overlay.columns(y);
    spans.within(drawn.begin, drawn.end,
                 [=](int x) { self.canvas.put(x, y, self.overlay.over(x, y, self.response(x, strip))); });
  }
};

template <int columns, int rows>
void show_response(Context& context, const EffectInput& input, const Canvas& canvas, const Overlay& overlay) {
  // The side with more rectangles can have the larger sum; with two or four, both have the same.
  const int rectangles = (columns * rows + 1) / 2;
  const float largest = 255.0f * static_cast<float>(rectangles) * static_cast<float>(overlay.feature.width) *
                        static_cast<float>(overlay.feature.height);
  context.for_each_pixel("haar response", canvas.size(),
                         ShowResponse<columns, rows>{input.sat, overlay, 1.0f / largest, canvas});
}

// The feature asked for, moved inside the frame. Throws ArgumentError where it is larger.
HaarFeature feature_inside(const Arguments& arguments, Size size) {
  HaarFeature feature{chosen<HaarType>(arguments, "type"), arguments.integer("x"), arguments.integer("y"),
                      arguments.integer("width"), arguments.integer("height")};
  const auto by = [](int width, int height) { return std::to_string(width) + "x" + std::to_string(height); };
  if (feature.full_width() > size.width || feature.full_height() > size.height)
    throw ArgumentError("the feature's " + by(feature.full_width(), feature.full_height()) +
                        " pixels do not fit the frame's " + by(size.width, size.height) +
                        ": make width or height smaller");
  feature.x = std::clamp(feature.x, 0, size.width - feature.full_width());
  feature.y = std::clamp(feature.y, 0, size.height - feature.full_height());
  return feature;
}

void run(Context& context, const EffectInput& input, const Canvas& canvas, const Arguments& arguments) {
  const bool response = arguments.text("show") == "response";
  const Overlay overlay{feature_inside(arguments, canvas.size()), input.sat, !response, canvas.size()};
  if (!response) return context.for_each_pixel("haar feature", canvas.size(), ShowFeature{input.gray, overlay, canvas});
  switch (overlay.feature.type) {
    case HaarType::type_2_x: return show_response<2, 1>(context, input, canvas, overlay);
    case HaarType::type_2_y: return show_response<1, 2>(context, input, canvas, overlay);
    case HaarType::type_3_x: return show_response<3, 1>(context, input, canvas, overlay);
    case HaarType::type_3_y: return show_response<1, 3>(context, input, canvas, overlay);
    case HaarType::type_4: return show_response<2, 2>(context, input, canvas, overlay);
  }
}

constexpr Parameter parameters[] = {
    choice("type", haar_choices, "How many rectangles of alternating sign, side by side (x) or stacked (y)"),
    integer("x", "448", 0, 65535, "Left edge of the feature; it is kept inside the frame. The mouse moves it"),
    integer("y", "238", 0, 65535, "Top edge of the feature"),
    integer("width", "32", 1, haar_max_side, "Width of one rectangle, in pixels"),
    integer("height", "64", 1, haar_max_side, "Height of one rectangle, in pixels"),
    choice("show", "feature,response", "The feature and its value, or its value everywhere as a colour"),
};

}  // namespace

extern constinit const Effect effect_haar{
    .name = "haar",
    .title = "Haar-like feature",
    .idea = "Orange rectangles minus blue ones, from a few entries of the table: what face detectors learn from "
            "(Viola and Jones 2001).",
    .parameters = parameters,
    .channels = [](const Arguments&) { return 3; },
    .run = run,
};

}  // namespace gpu::effects
