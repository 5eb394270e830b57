#include "app/pipeline/picture_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "app/capture/matrix.h"
#include "app/control/selection.h"
#include "app/pipeline/pixel_probe.h"
#include "app/support/text.h"

namespace app {
namespace {

constexpr double label_background = 208 / 255.0;  // black over the picture

cv::Scalar scalar(gpu::Rgba c) { return {double(c.r), double(c.g), double(c.b), 255.0}; }
cv::Point corner(float x, float y) { return {cvRound(x), cvRound(y)}; }

// Text and lines grow with the picture where it is larger than a screen.
int line_width(int picture_rows) { return std::max(1, picture_rows / 1000); }
double text_scale(int picture_rows) { return std::max(0.45, picture_rows / 1400.0); }

void blend(cv::Mat& picture, cv::Rect area, gpu::Rgba colour, double part) {
  area &= cv::Rect({}, picture.size());
  if (area.empty()) return;
  auto pixels = picture(area);
  cv::addWeighted(pixels, 1 - part, cv::Mat(pixels.size(), pixels.type(), scalar(colour)), part, 0, pixels);
}

void draw_rectangle(cv::Mat& picture, const gpu::Annotation& a) {
  const cv::Rect area(corner(a.x0, a.y0), corner(a.x1, a.y1));
  if (a.fill.a > 0) blend(picture, area, a.fill, a.fill.a / 255.0);
  if (a.stroke.a == 0) return;
  const int width = line_width(picture.rows);
  for (int i = 1; i <= width; ++i)  // outwards: the pixels inside stay visible
    cv::rectangle(picture, area + cv::Size(2 * i, 2 * i) - cv::Point(i, i), scalar(a.stroke));
}

// How a label's text is set, in a picture of that height.
struct LabelText {
  LabelText(int picture_rows, const std::string& text)
      : scale(text_scale(picture_rows)), thickness(std::max(1, cvRound(scale * 1.6))), gap(line_width(picture_rows) + 1) {
    int below_line = 0;
    const auto size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, scale, thickness, &below_line);
    height = size.height;
    box = {size.width + 2 * gap, size.height + below_line + 2 * gap};
  }

  double scale;
  int thickness, gap, height;  // gap: around the text, and to its rectangle; height: above the base line
  cv::Size box;
};

void draw_label(cv::Mat& picture, const gpu::Annotation& a) {
  const auto text = label_text(a);
  const LabelText set(picture.rows, text);
  const auto place = place_label({a.x0 - set.gap, a.y0 - set.gap, a.y1 + set.gap, double(set.box.width),
                                  double(set.box.height), double(picture.cols), double(picture.rows)});
  const cv::Point at(cvRound(place.x), cvRound(place.y));
  blend(picture, {at, set.box}, {0, 0, 0, 255}, label_background);
  cv::putText(picture, text, at + cv::Point(set.gap, set.gap + set.height), cv::FONT_HERSHEY_SIMPLEX, set.scale,
              scalar(a.stroke), set.thickness, cv::LINE_AA);
}

}  // namespace

std::string label_text(const gpu::Annotation& label, bool grouped) {
  using Value = gpu::Annotation::Value;
  std::string text(label.text, std::find(label.text, std::end(label.text), '\0'));
  if (label.has == Value::none) return text;
  char number[32];
  std::snprintf(number, sizeof number, label.has == Value::signed_number ? "%+.10g" : "%.10g", label.value);
  return text + (text.empty() ? "" : " ") + (grouped ? grouped_digits(number) : number);
}

gpu::Size label_size(const std::string& text, int picture_height) {
  const auto box = LabelText(picture_height, text).box;
  return {box.width, box.height};
}

LabelPlace place_label(const LabelRoom& room) {
  const double lowest = std::max(0.0, room.height - room.label_height), above = room.top - room.label_height;
  const auto fits = [&](double y) { return y >= 0 && y <= lowest; };
  return {std::clamp(room.left, 0.0, std::max(0.0, room.width - room.label_width)), fits(room.bottom) ? room.bottom
                                                                                    : fits(above)     ? above
                                                                                                      : lowest};
}

void draw_annotations(gpu::ImageView<gpu::Rgba> view, std::span<const gpu::Annotation> annotations) {
  cv::Mat picture(view.height, view.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  for (const auto& a : annotations) switch (a.kind) {
      case gpu::Annotation::Kind::rectangle: draw_rectangle(picture, a); break;
      case gpu::Annotation::Kind::line:
        cv::line(picture, corner(a.x0, a.y0), corner(a.x1, a.y1), scalar(a.stroke), line_width(picture.rows), cv::LINE_AA);
        break;
      case gpu::Annotation::Kind::label: draw_label(picture, a); break;
    }
}

namespace {

using gpu::Annotation;

constexpr int margin = 4;  // between a label and the wipe, and the picture's edge

Annotation label(const std::string& text, int left, int top) {
  Annotation label;
  label.kind = Annotation::Kind::label;
  std::snprintf(label.text, sizeof label.text, "%s", text.c_str());
  label.x0 = label.x1 = static_cast<float>(left);
  label.y0 = label.y1 = static_cast<float>(top);
  return label;
}

Annotation vertical_line(int x, int height) {
  Annotation line;
  line.kind = Annotation::Kind::line;
  line.x0 = line.x1 = static_cast<float>(x);
  line.y1 = static_cast<float>(height);
  return line;
}

// The picture on which labels are put, in pixels of the file.
struct Sheet {
  gpu::Size size;
  int square = 0;  // the side of those that a pixel becomes, each with a number in its middle; 0: there are none

  // The first line from `top` on where a label hides no number; none where it fits nowhere.
  std::optional<int> free_line(int top, int height) const {
    const int number = square > 0 ? height_of_number(square) : 0,
              needed = height + margin / 2;  // it lies a bit below its line
    for (int row = 0; square > 0 && row * square < size.height; ++row) {
      const int first = row * square + (square - number) / 2;
      if (top + needed <= first) break;
      top = std::max(top, first + number + 1);
    }
    return square == 0 || top + needed <= size.height ? std::optional(top) : std::nullopt;
  }
};

PictureAnnotations::List beside_wipe(const Compared& compared, const Sheet& sheet, int edge, bool at_bottom) {
  const auto [width, height] = std::pair(sheet.size.width, sheet.size.height);
  PictureAnnotations::List list;
  if (edge > 0 && edge < width) list.push_back(vertical_line(edge, height));
  const auto place = [&](const std::string& name, int first, int past, bool at_right) {
    const auto size = label_size(name, height);
    const auto top = sheet.free_line(at_bottom ? std::max(margin, height - margin - size.height) : margin, size.height);
    if (past - first < size.width + 2 * margin || !top) return;
    list.push_back(label(name, at_right ? past - margin - size.width : first + margin, *top));
  };
  place(title_of_side(compared.a), 0, edge, true);
  place(title_of_side(compared.b), edge, width, false);
  return list;
}

PictureAnnotations::List above_difference(const Compared& compared, const Sheet& sheet) {
  PictureAnnotations::List list;
  int from = margin;  // at the right: highgui's own lines are at the left
  for (const auto& text : {difference_name(compared.composition.amplification), "A " + title_of_side(compared.a),
                           "B " + title_of_side(compared.b)}) {
    const auto size = label_size(text, sheet.size.height);
    const auto top = sheet.free_line(from, size.height);
    if (!top || (sheet.square > 0 && size.width + 2 * margin > sheet.size.width)) continue;
    list.push_back(label(text, sheet.size.width - margin - size.width, *top));
    from = *top + size.height + margin;
  }
  return list;
}

}  // namespace

std::string difference_name(double amplification) {
  char text[32];
  std::snprintf(text, sizeof text, "|A - B| x %.4g", amplification);
  return text;
}

PictureAnnotations::List side_labels(const Compared& compared, gpu::Size picture, bool squares, bool at_bottom) {
  const int square = squares ? side_of_square(picture) : 0, scale = std::max(square, 1);
  const Sheet sheet{squares ? size_in_squares(picture) : picture, square};
  auto list = compared.composition.mode == Composition::Mode::wipe
                  ? beside_wipe(compared, sheet, compared.composition.edge(picture.width) * scale, at_bottom)
                  : above_difference(compared, sheet);
  for (auto& annotation : list)  // in pixels of the picture, as all annotations
    for (float* at : {&annotation.x0, &annotation.y0, &annotation.x1, &annotation.y1}) *at /= static_cast<float>(scale);
  return list;
}

PictureAnnotations with_side_labels(const Picture& picture, bool squares, bool at_bottom) {
  if (!picture.compared) return picture.annotations;
  return picture.annotations.with(side_labels(*picture.compared, picture.size(), squares, at_bottom));
}

namespace {

constexpr int wanted_side = 512, least_square = 24, largest_square = 64;  // pixels of the file
constexpr double filled = 0.7;                                            // of a square's width, by three digits
constexpr double gray_limit = 115;                                        // letters are black on lighter squares
constexpr auto letters = cv::FONT_HERSHEY_SIMPLEX;

gpu::Rgba brightened(gpu::Rgba c, double gain) {
  const auto level = [gain](std::uint8_t value) { return cv::saturate_cast<std::uint8_t>(value * gain); };
  return {level(c.r), level(c.g), level(c.b), 255};
}

double scale_of_number(int square) { return filled * square / cv::getTextSize("000", letters, 1, 1, nullptr).width; }

void write_centred(cv::Mat& target, cv::Rect place, const std::string& text, double scale, const cv::Scalar& colour) {
  const auto size = cv::getTextSize(text, letters, scale, 1, nullptr);
  const cv::Point at(place.x + (place.width - size.width) / 2, place.y + (place.height + size.height) / 2);
  cv::putText(target, text, at, letters, scale, colour, 1, cv::LINE_AA);
}

void write_number(cv::Mat& target, cv::Rect square, int number, gpu::Rgba ground) {
  const bool light = 0.299 * ground.r + 0.587 * ground.g + 0.114 * ground.b > gray_limit;
  write_centred(target, square, std::to_string(number), scale_of_number(square.width),
                light ? cv::Scalar(0, 0, 0, 255) : cv::Scalar::all(255));
}

}  // namespace

bool has_matrix(const Settings& settings, capture::SourceKind kind) {
  using capture::SourceKind;
  return kind == SourceKind::matrix || (kind == SourceKind::unknown && !settings.matrix.empty());
}

bool shows_matrix(const Settings& settings, capture::SourceKind kind) {
  return settings.matrix_editor && settings.viewer != Viewer::highgui && has_matrix(settings, kind);
}

double level_gain(int highest) { return highest > 0 ? 255.0 / highest : 1; }

int highest_level(gpu::Rgba colour) { return std::max({colour.r, colour.g, colour.b}); }

bool fits_squares(gpu::Size picture) {
  return picture.width <= capture::largest_matrix_side && picture.height <= capture::largest_matrix_side;
}

int side_of_square(gpu::Size picture) {
  return std::clamp(wanted_side / std::max({picture.width, picture.height, 1}), least_square, largest_square);
}

int height_of_number(int square) { return cv::getTextSize("0", letters, scale_of_number(square), 1, nullptr).height; }

gpu::Size size_in_squares(gpu::Size picture) {
  const int square = side_of_square(picture);
  return {picture.width * square, picture.height * square};
}

gpu::Size size_in_file(gpu::Size picture, bool squares) {
  return squares && fits_squares(picture) ? size_in_squares(picture) : picture;
}

gpu::Image<gpu::Rgba> in_squares(gpu::ImageView<const gpu::Rgba> picture, std::span<const gpu::Annotation> annotations) {
  const auto size = size_in_squares(picture.size());
  const int square = side_of_square(picture.size());
  gpu::Image<gpu::Rgba> drawn(size, gpu::Device::host);
  const auto view = drawn.view();
  cv::Mat target(size.height, size.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  int highest = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) highest = std::max(highest, highest_level(picture(x, y)));
  const double gain = level_gain(highest);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const auto value = picture(x, y), ground = brightened(value, gain);
      const cv::Rect place(x * square, y * square, square, square);
      target(place) = cv::Scalar(ground.r, ground.g, ground.b, 255);
      if (value.r == value.g && value.g == value.b) write_number(target, place, value.r, ground);
    }
  std::vector<gpu::Annotation> enlarged(annotations.begin(), annotations.end());
  for (auto& annotation : enlarged)
    for (float* at : {&annotation.x0, &annotation.y0, &annotation.x1, &annotation.y1}) *at *= static_cast<float>(square);
  draw_annotations(view, enlarged);
  return drawn;
}

gpu::Image<gpu::Rgba> drawn_for_file(gpu::ImageView<const gpu::Rgba> picture, std::span<const gpu::Annotation> annotations,
                                     bool squares) {
  if (squares && fits_squares(picture.size())) return in_squares(picture, annotations);
  if (annotations.empty()) return {};
  gpu::Image<gpu::Rgba> drawn(picture.size(), gpu::Device::host);
  for (int y = 0; y < picture.height; ++y) std::copy_n(picture.row(y), picture.width, drawn.view().row(y));
  draw_annotations(drawn.view(), annotations);
  return drawn;
}

namespace {

const cv::Scalar paper(24, 24, 26, 255), cell_colour(45, 45, 48, 255), ink(235, 235, 235, 255), faint(160, 160, 165, 255);

gpu::Image<gpu::Rgba> gray_picture(capture::Matrix& matrix) {
  gpu::Image<gpu::Rgba> picture(matrix.size, gpu::Device::host);
  for (int y = 0; y < matrix.size.height; ++y)
    for (int x = 0; x < matrix.size.width; ++x) {
      const auto level = matrix.at(x, y);
      picture.view()(x, y) = {level, level, level, 255};
    }
  return picture;
}

std::vector<std::uint32_t> table_of(const capture::Matrix& matrix) {
  const auto width = static_cast<std::size_t>(matrix.size.width);
  std::vector<std::uint32_t> table(matrix.values.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const bool first_row = i < width, first_column = i % width == 0;
    table[i] = matrix.values[i] + (first_column ? 0 : table[i - 1]) + (first_row ? 0 : table[i - width]) -
               (first_row || first_column ? 0 : table[i - width - 1]);
  }
  return table;
}

const cv::Scalar added(98, 185, 138, 255), taken(223, 166, 67, 255), outline(74, 168, 216, 255);

std::uint32_t entry_of(const std::vector<std::uint32_t>& table, gpu::Size size, const RectangleCorner& corner) {
  return corner.outside() ? 0 : table[static_cast<std::size_t>(corner.y * size.width + corner.x)];
}

const cv::Scalar& colour_of(char letter) { return letter == 0 ? ink : RectangleCorner::is_added(letter) ? added : taken; }

// "D - B - C + A = 154 - 74 - 63 + 36 = 53" in the middle of `place`, each entry in its colour.
void write_formula(cv::Mat& target, cv::Rect place, std::array<RectangleCorner, 4> corners,
                   const std::vector<std::uint32_t>& table, gpu::Size size, double scale) {
  for (auto& corner : corners) corner.entry = entry_of(table, size, corner);
  const auto entry = [&](std::size_t i) { return *corners[i].entry; };
  std::vector<FormulaPart> parts;
  for (const bool values : {false, true}) {
    for (auto& part : formula_parts(corners, values, true)) parts.push_back(std::move(part));
    parts.push_back({values ? " = " + std::to_string(entry(3) - entry(1) - entry(2) + entry(0)) : " = "});
  }
  const auto width_at = [&](double at) {
    int width = 0;
    for (const auto& part : parts) width += cv::getTextSize(part.text, letters, at, 1, nullptr).width;
    return width;
  };
  scale *= std::min(1.0, 0.95 * place.width / width_at(scale));
  const auto height = cv::getTextSize("0", letters, scale, 1, nullptr).height;
  cv::Point at(place.x + (place.width - width_at(scale)) / 2, place.y + (place.height + height) / 2);
  for (const auto& part : parts) {
    cv::putText(target, part.text, at, letters, scale, colour_of(part.letter), 1, cv::LINE_AA);
    at.x += cv::getTextSize(part.text, letters, scale, 1, nullptr).width;
  }
}

}  // namespace

gpu::Image<gpu::Rgba> matrix_and_table(gpu::ImageView<const gpu::Bgr> frame, const std::optional<PixelBox>& rectangle) {
  auto matrix = capture::matrix_of(frame);
  const auto table = table_of(matrix);
  const auto [columns, rows] = matrix.size;
  const int square = side_of_square(matrix.size), gap = square / 2, head = square;
  const double scale = scale_of_number(square);
  const int cell = std::max(square, cv::getTextSize(std::to_string(table.back()), letters, scale, 1, nullptr).width + gap);
  const auto box = rectangle ? inside_picture(*rectangle, matrix.size) : std::nullopt;
  const int foot = box ? square : 0;
  gpu::Image<gpu::Rgba> drawn({columns * (square + cell) + gap, head + rows * square + foot}, gpu::Device::host);
  const auto view = drawn.view();
  cv::Mat target(view.height, view.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  target = paper;
  const auto numbers = in_squares(gray_picture(matrix).view(), {});
  for (int y = 0; y < numbers.view().height; ++y)
    std::copy_n(numbers.view().row(y), numbers.view().width, view.row(head + y));
  const int table_at = columns * square + gap;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const cv::Rect place(table_at + x * cell, head + y * square, cell - 1, square - 1);
      target(place) = cell_colour;
      write_centred(target, place, std::to_string(table[static_cast<std::size_t>(y * columns + x)]), scale, ink);
    }
  write_centred(target, {0, 0, columns * square, head}, "Matrix", scale, faint);
  write_centred(target, {table_at, 0, columns * cell, head}, "Table", scale, faint);
  if (!box) return drawn;
  cv::rectangle(target, {box->x * square, head + box->y * square, box->width * square, box->height * square}, outline, 2);
  const auto corners = corners_of(*box);
  for (const auto& corner : corners) {
    if (corner.outside()) continue;
    const cv::Rect place(table_at + corner.x * cell, head + corner.y * square, cell - 1, square - 1);
    cv::rectangle(target, {place.x + 1, place.y + 1, place.width - 2, place.height - 2}, colour_of(corner.letter), 2);
    cv::putText(target, std::string(1, corner.letter), {place.x + 4, place.y + square / 4}, letters, scale / 2,
                colour_of(corner.letter), 1, cv::LINE_AA);
  }
  write_formula(target, {0, head + rows * square, view.width, foot}, corners, table, matrix.size, scale);
  return drawn;
}

PictureAnnotations::List rectangle_annotations(const PixelBox& rectangle, gpu::ImageView<const gpu::Bgr> frame) {
  const auto box = inside_picture(rectangle, frame.size());
  if (!box) return {};
  gpu::Annotation outline;
  outline.stroke = {74, 168, 216, 255};
  outline.x0 = static_cast<float>(box->x);
  outline.y0 = static_cast<float>(box->y);
  outline.x1 = static_cast<float>(box->x + box->width);
  outline.y1 = static_cast<float>(box->y + box->height);
  auto label = outline;
  label.kind = gpu::Annotation::Kind::label;
  label.has = gpu::Annotation::Value::number;
  label.stroke = {255, 255, 255, 255};
  std::snprintf(label.text, sizeof label.text, "sum of the original");
  auto matrix = capture::matrix_of(frame);
  for (int y = box->y; y < box->y + box->height; ++y)
    for (int x = box->x; x < box->x + box->width; ++x) label.value += matrix.at(x, y);
  return {outline, label};
}

}  // namespace app
