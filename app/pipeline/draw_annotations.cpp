#include "app/pipeline/draw_annotations.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "app/control/comparison.h"
#include "app/pipeline/matrix_picture.h"
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

}  // namespace app
