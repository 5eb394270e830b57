#include "app/pipeline/side_labels.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/control/comparison.h"
#include "app/pipeline/draw_annotations.h"

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

// A name that does not fit on its side is left out.
PictureAnnotations::List beside_wipe(const Compared& compared, gpu::Size picture) {
  const int edge = compared.composition.edge(picture.width);
  PictureAnnotations::List list;
  if (edge > 0 && edge < picture.width) list.push_back(vertical_line(edge, picture.height));
  const auto place = [&](const std::string& name, int first, int past, bool at_right) {
    const int width = label_size(name, picture.height).width;
    if (past - first < width + 2 * margin) return;
    list.push_back(label(name, at_right ? past - margin - width : first + margin, margin));
  };
  place(title_of_side(compared.a), 0, edge, true);
  place(title_of_side(compared.b), edge, picture.width, false);
  return list;
}

}  // namespace

std::string difference_name(double amplification) {
  char text[32];
  std::snprintf(text, sizeof text, "|A - B| x %.4g", amplification);
  return text;
}

PictureAnnotations::List side_labels(const Compared& compared, gpu::Size picture) {
  if (compared.composition.mode == gpu::Composition::Mode::wipe) return beside_wipe(compared, picture);
  PictureAnnotations::List list;
  int top = margin;  // at the right: highgui's own lines are at the left
  for (const auto& text : {difference_name(compared.composition.amplification), "A " + title_of_side(compared.a),
                           "B " + title_of_side(compared.b)}) {
    const auto size = label_size(text, picture.height);
    list.push_back(label(text, picture.width - margin - size.width, top));
    top += size.height + margin;
  }
  return list;
}

PictureAnnotations with_side_labels(const Picture& picture) {
  return picture.compared ? picture.annotations.with(side_labels(*picture.compared, picture.size())) : picture.annotations;
}

}  // namespace app
