#include "app/session/hover.h"

#include <algorithm>

#include "app/support/text.h"

namespace app {
namespace {

// One pixel, where the effect reads no box around each.
PixelBox box_around(PixelPosition mouse, const Selection& in_use, gpu::Size picture) {
  const auto* effect = in_use.effect;
  if (!effect || !effect->box) return {mouse.x, mouse.y, 1, 1};
  const auto size = effect->box(in_use.effect_arguments, picture);
  return {mouse.x - size.width / 2, mouse.y - size.height / 2, size.width, size.height};
}

// "D - B - C + A = 154 - 74 - 63 + 36 = 53"
std::string formula_text(const RectangleSum& sum) {
  std::string text;
  for (const bool values : {false, true}) {
    for (const auto& part : formula_parts(sum.corners, values)) text += part.text;
    text += values ? " = " + grouped(sum.sum) : " = ";
  }
  return text + (sum.wraps() ? "  modulo 2^32" : "");
}

}  // namespace

PixelFigures figures_of(PixelPosition at, const ProbedPixels& pixels, const capture::Frame* frame) {
  PixelFigures pixel{at, {}, {}, {}};
  if (const auto* values = pixels.at(at.x, at.y)) {
    pixel.shown = values->shown;
    pixel.gray = values->gray;
    pixel.sum = values->sum;
  }
  if (!frame || frame->values.channels == 0 || at.x < 0 || at.y < 0 || at.x >= frame->size.width ||
      at.y >= frame->size.height)
    return pixel;
  const auto* values = frame->values.at(at.x, at.y, frame->size);
  for (int i = frame->values.channels > 2 ? 2 : 0; i >= 0; --i) pixel.values.push_back(values[i]);
  return pixel;
}

void Hover::point_at(PixelPosition mouse, const Selection& in_use, gpu::Size picture, gpu::PixelPlaces& places) {
  constexpr std::size_t most = 8;  // more than are under way
  const Pointed now{mouse, box_around(mouse, in_use, picture)};
  if (pointed_.empty() || pointed_.back() != now) pointed_.push_back(now);
  if (pointed_.size() > most) pointed_.pop_front();
  if (const auto box = inside_picture(now.box, picture)) ask_for_corners(*box, places);
}

void Hover::clear() {
  pointed_.clear();
  box_.reset();
}

// A GPU's values come some frames after they were asked for: the line is of the latest place of the mouse that all is known of.
// It goes with its picture, and where the mouse has since been at so many places that its own is forgotten.
void Hover::take(const ProbedPixels& pixels, gpu::Size picture, const capture::Frame* frame) {
  const auto is_of_box = [&](const Pointed& each) { return each.at == box_->pixel.at; };
  if (pixels.picture != picture || (box_ && std::ranges::none_of(pointed_, is_of_box))) box_.reset();
  for (auto each = pointed_.rbegin(); each != pointed_.rend() && pixels.picture == picture; ++each) {
    const auto sum = rectangle_sum(each->box, picture, pixels);
    if (!sum || !sum->known || !pixels.at(each->at.x, each->at.y)) continue;
    box_ = {*sum, figures_of(each->at, pixels, frame)};
    return;
  }
}

// The colour of a pixel is of the picture, after the effect; its gray level and its entry of the table are of the frame, before
// it; the values of 16 bits are the source's own.
std::vector<HoverWords> words_of(const Hover::Box& about) {
  const auto& [sum, pixel] = about;
  const auto place = " at (" + std::to_string(pixel.at.x) + ", " + std::to_string(pixel.at.y) + ")";
  const auto side = std::to_string(sum.box.width) + " x " + std::to_string(sum.box.height);
  const bool one = sum.box.width * sum.box.height == 1;
  std::vector<HoverWords> words{{one ? "pixel" + place : "box of " + side + place}, {formula_text(sum)}};
  if (!one) words.push_back({"mean " + number(sum.mean, 1)});
  if (const auto& c = pixel.shown)
    words.push_back({"picture " + std::to_string(c->r) + ' ' + std::to_string(c->g) + ' ' + std::to_string(c->b), c});
  if (pixel.gray) words.push_back({"frame gray " + std::to_string(*pixel.gray)});
  std::string values;
  for (const auto value : pixel.values) values += ' ' + std::to_string(value);
  if (!values.empty()) words.push_back({"16-bit" + values});
  if (pixel.sum && !one) words.push_back({"table " + grouped(*pixel.sum)});
  return words;
}

}  // namespace app
