// haar: one Haar-like feature, marked at its place with its signed rectangles and its value, or its response everywhere.
//
// Source: see haar_feature.h. `feature` shows the gray frame; the annotations are the rectangles that are added, in orange,
// those that are subtracted, in blue, and the value. `response` colours each pixel by the value of the feature centred there
// (moved inside if it would extend beyond the frame), relative to the largest possible value; the outline at x, y shows its
// size.
#include <algorithm>
#include <string>

#include "gpu/effect.h"
#include "gpu/effects/colour_map.h"
#include "gpu/effects/haar_feature.h"
#include "gpu/parameter.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu::effects {
namespace {

constexpr float response_half = 0.1f;  // this share of the largest possible value is shown at half brightness
constexpr std::uint8_t tint = 112;     // of 255, over the frame
constexpr int most_rectangles = 4;

// The feature's rectangles, its outline and its value, by one thread.
struct Annotate {
  HaarFeature feature;
  SatView sat;
  bool tinted;
  AnnotationList list;

  constexpr Annotation box(int column, int row, int columns, int rows) const {
    Annotation box;
    box.x0 = static_cast<float>(feature.x + column * feature.width);
    box.y0 = static_cast<float>(feature.y + row * feature.height);
    box.x1 = box.x0 + static_cast<float>(columns * feature.width);
    box.y1 = box.y0 + static_cast<float>(rows * feature.height);
    return box;
  }
  constexpr void operator()(int, int) const {
    const int columns = feature.columns(), rows = feature.rows();
    int count = 0;
    if (tinted)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          auto part = box(column, row, 1, 1);
          part.stroke.a = 0;
          part.fill = HaarFeature::positive(column, row) ? positive_colour() : negative_colour();
          part.fill.a = tint;
          list.items[count++] = part;
        }
    auto whole = box(0, 0, columns, rows);
    list.items[count++] = whole;
    whole.kind = Annotation::Kind::label;
    whole.has = Annotation::Value::signed_number;
    whole.value = feature.value(sat);
    list.items[count++] = whole;
    *list.count = count;
  }
};

struct ShowGray {
  ImageView<const std::uint8_t> gray;
  Canvas target;

  constexpr void operator()(int x, int y) const { target.put(x, y, gray(x, y)); }
  constexpr PixelRange interior() const { return whole(target.size()); }
  constexpr std::uint8_t inner(int x, int y) const { return gray(x, y); }
};

// A feature of columns x rows rectangles at every pixel.
template <int columns, int rows>
struct ShowResponse {
  SatView sat;
  HaarFeature feature;
  float unit;  // 1 / the largest magnitude of a value
  Canvas target;

  // The signed sum of columns 0..x over the rectangles' rows, for a feature that starts at row `top`. Here the first
  // rectangle counts as positive; colour() changes the sign.
  struct Strip {
    const std::uint32_t* line[rows + 1];
    std::uint32_t factor[rows + 1];

    constexpr std::uint32_t operator()(int x) const {
      std::uint32_t sum = 0;
      for (int j = 0; j <= rows; ++j) sum += factor[j] * line[j][x];
      return sum;
    }
  };
  // For the features of row y.
  constexpr Strip strip_of(int y) const {
    const int top = std::clamp(y - rows * feature.height / 2, 0, sat.height - rows * feature.height);
    Strip result{};
    for (int j = 0; j <= rows; ++j) {
      const int line = top + j * feature.height - 1;  // -1: nothing above the first row
      result.line[j] = sat.row(std::max(line, 0));
      result.factor[j] = line < 0 ? 0u : corner_factor<rows>(j);
    }
    return result;
  }
  constexpr Rgba colour(std::uint32_t sum) const {
    return signed_colour(spread(static_cast<float>(static_cast<int>(0u - sum)) * unit, response_half));
  }
  // For any x of the row: the feature is moved inside.
  constexpr Rgba response(int x, const Strip& strip) const {
    const int side = feature.width, full = columns * side;
    const int left = std::clamp(x - full / 2, 0, sat.width - full);
    std::uint32_t sum = 0;
    for (int i = 0; i <= columns; ++i)
      if (left + i > 0) sum += corner_factor<columns>(i) * strip(left + i * side - 1);
    return colour(sum);
  }

  // For those x where the feature need not be moved, and does not begin at the image's edge.
  constexpr Rgba centred_response(int x, const Strip& strip) const {
    const int side = feature.width, left = x - columns * side / 2;
    std::uint32_t sum = 0;
    for (int i = 0; i <= columns; ++i) sum += corner_factor<columns>(i) * strip(left + i * side - 1);
    return colour(sum);
  }
  constexpr PixelRange interior() const {
    const int full = columns * feature.width, first = std::min(full / 2 + 1, sat.width);
    return {first, std::max(first, sat.width - full + full / 2 + 1), 0, sat.height};
  }
  constexpr Rgba inner(int x, int y) const { return centred_response(x, strip_of(y)); }

  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    const Strip strip = strip_of(y);
    const auto [first, past, top, bottom] = interior();
    spans.within(first, past, [=](int x) { self.target.put(x, y, self.centred_response(x, strip)); });
    spans.without(first, past, [=](int x) { self.target.put(x, y, self.response(x, strip)); });
  }
};

template <int columns, int rows>
void show_response(Context& context, const EffectInput& input, const Canvas& canvas, const HaarFeature& feature) {
  // The sign with more rectangles can have the larger sum; with two or four rectangles, both signs have equally many.
  const int rectangles = (columns * rows + 1) / 2;
  const float largest = 255.0f * static_cast<float>(rectangles) * static_cast<float>(feature.width) *
                        static_cast<float>(feature.height);
  context.for_each_pixel("haar response", canvas.size(),
                         ShowResponse<columns, rows>{input.tables.sum, feature, 1.0f / largest, canvas});
}

constexpr int usual_width = 32, usual_height = 64;

// The side of one rectangle; if the usual feature is too large for the frame, half of the frame.
int rectangle_side(int usual, int count, int frame) {
  return usual * count <= frame ? usual : std::max(1, frame / (2 * count));
}
int automatic_width(const Arguments& arguments, Size frame) {
  return rectangle_side(usual_width, haar_columns(arguments.chosen<HaarType>("type")), frame.width);
}
int automatic_height(const Arguments& arguments, Size frame) {
  return rectangle_side(usual_height, haar_rows(arguments.chosen<HaarType>("type")), frame.height);
}

// The chosen feature, moved inside the frame if it fits; in its middle where no place was chosen.
HaarFeature placed(const Arguments& arguments, Size size) {
  const auto inside = [](int first, int room) {
    room = std::max(0, room);
    return first < 0 ? room / 2 : std::min(first, room);
  };
  HaarFeature feature{arguments.chosen<HaarType>("type"), arguments.integer("x"), arguments.integer("y"),
                      arguments.integer("width"), arguments.integer("height")};
  if (feature.width == 0) feature.width = automatic_width(arguments, size);
  if (feature.height == 0) feature.height = automatic_height(arguments, size);
  feature.x = inside(feature.x, size.width - feature.full_width());
  feature.y = inside(feature.y, size.height - feature.full_height());
  return feature;
}

// The feature inside the frame. Throws ArgumentError if it is larger than the frame.
HaarFeature feature_inside(const Arguments& arguments, Size size) {
  const auto feature = placed(arguments, size);
  const auto by = [](int width, int height) { return std::to_string(width) + "x" + std::to_string(height); };
  if (feature.full_width() > size.width || feature.full_height() > size.height)
    throw ArgumentError("the feature's " + by(feature.full_width(), feature.full_height()) +
                        " pixels do not fit the frame's " + by(size.width, size.height) +
                        (feature.columns() <= size.width && feature.rows() <= size.height
                             ? ": make width or height smaller"
                             : ": choose another type or a larger picture"));
  return feature;
}

Placement placement(const Arguments& arguments, Size size) {
  const auto feature = placed(arguments, size);
  return {feature.x, feature.y, feature.width, feature.height, feature.columns(), feature.rows()};
}

void run(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments) {
  const auto& canvas = output.canvas;
  const bool response = arguments.text("show") == "response";
  const auto feature = feature_inside(arguments, canvas.size());
  context.for_each_pixel("haar value", {1, 1}, Annotate{feature, input.tables.sum, !response, output.annotations});
  if (!response) return context.for_each_pixel("haar feature", canvas.size(), ShowGray{input.gray, canvas});
  switch (feature.type) {
    case HaarType::type_2_x: return show_response<2, 1>(context, input, canvas, feature);
    case HaarType::type_2_y: return show_response<1, 2>(context, input, canvas, feature);
    case HaarType::type_3_x: return show_response<3, 1>(context, input, canvas, feature);
    case HaarType::type_3_y: return show_response<1, 3>(context, input, canvas, feature);
    case HaarType::type_4: return show_response<2, 2>(context, input, canvas, feature);
  }
}

// The table's entries at the corners of the feature's rectangles; none lies left of the image or above it.
std::uint64_t corners_read(const HaarFeature& feature) {
  std::uint64_t count = 0;
  for (int j = 0; j < feature.rows(); ++j)
    for (int i = 0; i < feature.columns(); ++i) {
      const bool left = feature.x + i * feature.width > 0, above = feature.y + j * feature.height > 0;
      count += 1u + left + above + (left && above);
    }
  return count;
}

std::vector<LaunchTraffic> traffic(const Arguments& arguments, Size frame, int drawn_bytes) {
  const bool response = arguments.text("show") == "response";
  const auto feature = placed(arguments, frame);
  const auto pixels = frame.pixels(), drawn = static_cast<std::uint64_t>(drawn_bytes) * pixels;
  constexpr auto entry = sizeof(std::uint32_t);
  const auto rectangles = static_cast<std::uint64_t>(feature.columns() * feature.rows());
  const auto annotations = (response ? 0 : rectangles) + 2;
  std::vector<LaunchTraffic> launches{
      {"haar value", {corners_read(feature) * entry, annotations * sizeof(Annotation) + sizeof(int), 1}}};
  if (!response) {
    launches.push_back({"haar feature", {pixels, drawn, 1}});
    return launches;
  }
  // Columns of features that begin at the left edge have one entry less per line.
  const auto lines = static_cast<std::uint64_t>(feature.rows() + 1),
             columns = static_cast<std::uint64_t>(feature.columns() + 1);
  const auto at_edge = static_cast<std::uint64_t>(std::min(frame.width, feature.full_width() / 2 + 1)) *
                       static_cast<std::uint64_t>(frame.height);
  launches.push_back({"haar response", {(pixels * columns - at_edge) * lines * entry, drawn, 1}});
  return launches;
}

constexpr int most_place = 999'999'999;  // in the largest frame; written without an exponent

constexpr Parameter parameters[] = {
    choice("type", haar_choices, "How many rectangles of alternating sign, side by side (x) or stacked (y)"),
    integer("x", "-1", -1, most_place, "Left edge of the feature, inside the frame; -1: in its middle. A click moves it"),
    integer("y", "-1", -1, most_place, "Top edge of the feature; -1: in the middle"),
    integer("width", "0", 0, haar_max_side, "Width of one rectangle, in pixels; 0: 32, less where the frame is smaller"),
    integer("height", "0", 0, haar_max_side, "Height of one rectangle, in pixels; 0: 64, less where the frame is smaller"),
    choice("show", "feature,response", "The feature and its value, or its value everywhere as a colour"),
};
constexpr ParameterDisplay display[] = {
    {.parameter = "type", .labels = haar_labels, .pictograms = haar_pictograms, .prominent = true},
    {.parameter = "width",
     .prominent = true,
     .automatic =
         [](const Arguments& a, Size frame) {
           return Size{automatic_width(a, frame), 0};
         }},
    {.parameter = "height",
     .prominent = true,
     .automatic =
         [](const Arguments& a, Size frame) {
           return Size{automatic_height(a, frame), 0};
         }},
    {.parameter = "show", .labels = "Feature,Response everywhere"},
};

constexpr Paper papers[] = {
    {"Viola, Jones, Rapid object detection using a boosted cascade of simple features, CVPR 2001",
     "10.1109/CVPR.2001.990517"},
};

}  // namespace

extern constinit const Effect effect_haar{
    .name = "haar",
    .title = "Haar-like feature",
    .idea =
        "Orange rectangles minus blue ones, from a few entries of the table: what face detectors learn from "
        "(Viola and Jones 2001).",
    .papers = papers,
    .parameters = parameters,
    .channels = [](const Arguments&) { return 3; },
    .most_annotations = [](const Arguments&) { return most_rectangles + 2; },
    .display = display,
    .placement = placement,
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::effects
