#include "app/pipeline/side_labels.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/control/comparison.h"
#include "app/pipeline/draw_annotations.h"
#include "app/pipeline/matrix_picture.h"

namespace app {
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

// What the labels are put on, in pixels of the file.
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
  auto list = compared.composition.mode == gpu::Composition::Mode::wipe
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
