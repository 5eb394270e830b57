#include "app/gl/box_drag.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr double click_tolerance = 3;  // screen pixels

int rounded(double value) { return static_cast<int>(std::lround(value)); }

// The pixels from edge `a` to edge `b`, in either order, at least one, inside 0 .. size.
std::pair<int, int> span_of(int a, int b, int size) {
  if (a > b) std::swap(a, b);
  a = std::clamp(a, 0, size - 1);
  b = std::clamp(b, a + 1, size);
  return {a, b - a};
}

PixelBox drawn(Point from, Point to, gpu::Size size) {
  const auto first = [](double a, double b) { return static_cast<int>(std::floor(std::min(a, b))); };
  const auto last = [](double a, double b) { return static_cast<int>(std::floor(std::max(a, b))) + 1; };
  const auto [x, width] = span_of(first(from.x, to.x), last(from.x, to.x), size.width);
  const auto [y, height] = span_of(first(from.y, to.y), last(from.y, to.y), size.height);
  return {x, y, width, height};
}

PixelBox moved(const PixelBox& box, int dx, int dy, gpu::Size size) {
  return {std::clamp(box.x + dx, 0, std::max(0, size.width - box.width)),
          std::clamp(box.y + dy, 0, std::max(0, size.height - box.height)), box.width, box.height};
}

PixelBox resized(const PixelBox& box, Grip grip, int dx, int dy, gpu::Size size) {
  const auto edge = [](int at, bool moves, int by) { return at + (moves ? by : 0); };
  const auto [x, width] = span_of(edge(box.x, grip.left, dx), edge(box.x + box.width, grip.right, dx), size.width);
  const auto [y, height] = span_of(edge(box.y, grip.top, dy), edge(box.y + box.height, grip.bottom, dy), size.height);
  return {x, y, width, height};
}

// One axis of a drag: the first pixel, and the size of each of `count` rectangles.
struct Axis {
  int first, size;
};
Axis dragged_axis(Axis start, int count, int side, bool inside, double by, int frame) {
  const int full = start.size * count;
  if (inside) return {std::clamp(start.first + static_cast<int>(std::lround(by)), 0, std::max(0, frame - full)), start.size};
  if (side == 0) return start;
  const int room = side > 0 ? frame - start.first : start.first + full;
  const auto wanted = static_cast<int>(std::lround((full + side * by) / count));
  const int size = std::clamp(wanted, 1, std::max(1, room / count));
  return {side > 0 ? start.first : start.first + full - size * count, size};
}

}  // namespace

Grip grip_at(const View& view, const PixelBox& box, Point at, double reach) {
  const auto first = view.image_to_screen({static_cast<double>(box.x), static_cast<double>(box.y)});
  const auto last = view.image_to_screen({static_cast<double>(box.x) + box.width, static_cast<double>(box.y) + box.height});
  if (at.x < first.x - reach || at.y < first.y - reach || at.x > last.x + reach || at.y > last.y + reach) return {};
  // Half of a small rectangle is for moving it.
  const double reach_x = std::min(reach, (last.x - first.x) / 4), reach_y = std::min(reach, (last.y - first.y) / 4);
  Grip grip;
  grip.left = at.x < first.x + reach_x;
  grip.top = at.y < first.y + reach_y;
  grip.right = at.x > last.x - reach_x;
  grip.bottom = at.y > last.y - reach_y;
  return grip.any() ? grip : Grip{true, true, true, true};
}

std::optional<PixelBox> BoxDrag::update(const View& view, std::optional<PixelBox> current, const MouseInput& mouse,
                                        double reach) {
  if (!mouse.down) drag_.reset();
  if (mouse.pressed && view.image.width > 0) {
    const auto grip = current ? grip_at(view, *current, mouse.at, reach) : Grip();
    if (grip.any() || view.pixel_at(mouse.at))
      drag_ = Drag{view.screen_to_image(mouse.at), mouse.at, current.value_or(PixelBox()), grip};
  }
  if (!drag_) return current;
  auto& drag = *drag_;
  drag.moved |= std::hypot(mouse.at.x - drag.from_screen.x, mouse.at.y - drag.from_screen.y) >= click_tolerance;
  if (!drag.moved) return current;
  const auto to = view.screen_to_image(mouse.at);
  const int dx = rounded(to.x - drag.from.x), dy = rounded(to.y - drag.from.y);
  if (!drag.grip.any()) return drawn(drag.from, to, view.image);
  return drag.grip.whole() ? moved(drag.box, dx, dy, view.image) : resized(drag.box, drag.grip, dx, dy, view.image);
}

gpu::Placement dragged(const gpu::Placement& start, Grip grip, double dx, double dy, gpu::Size frame) {
  auto result = start;
  const auto x = dragged_axis({start.x, start.width}, start.columns, grip.right - grip.left, grip.whole(), dx, frame.width);
  const auto y = dragged_axis({start.y, start.height}, start.rows, grip.bottom - grip.top, grip.whole(), dy, frame.height);
  result.x = x.first, result.width = x.size;
  result.y = y.first, result.height = y.size;
  return result;
}

gpu::Placement centred_at(const gpu::Placement& placement, PixelPosition centre, gpu::Size frame) {
  auto result = placement;
  result.x = std::clamp(centre.x - placement.full_width() / 2, 0, std::max(0, frame.width - placement.full_width()));
  result.y = std::clamp(centre.y - placement.full_height() / 2, 0, std::max(0, frame.height - placement.full_height()));
  return result;
}

Area area_of(const gpu::Effect& effect, const Selection& in_use, double wipe, const View& view) {
  if (!is_wipe(in_use)) return view.area;
  const auto edge = std::clamp(line_of_wipe(view, wipe), view.area.x, view.area.x + view.area.width);
  const bool left = in_use.sides[0].effect == &effect, right = in_use.sides[1].effect == &effect;
  const auto first = left ? view.area.x : edge, past = right ? view.area.x + view.area.width : edge;
  return {first, view.area.y, past - first, view.area.height};
}

gpu::Placement PlacementDrag::at(const View& view, Point cursor, gpu::Size frame) const {
  const auto scale = view.scale();
  return dragged(start_, grip_, (cursor.x - from_.x) / scale, (cursor.y - from_.y) / scale, frame);
}

}  // namespace app
