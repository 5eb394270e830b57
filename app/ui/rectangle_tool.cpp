#include "app/ui/rectangle_tool.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app::ui {
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

}  // namespace

Grip grip_at(const View& view, const PixelBox& box, Point at, double reach) {
  const auto first = view.image_to_screen({static_cast<double>(box.x), static_cast<double>(box.y)});
  const auto last = view.image_to_screen({static_cast<double>(box.x) + box.width, static_cast<double>(box.y) + box.height});
  if (at.x < first.x - reach || at.y < first.y - reach || at.x > last.x + reach || at.y > last.y + reach) return {};
  // Of a small rectangle half of it is for moving.
  const double reach_x = std::min(reach, (last.x - first.x) / 4), reach_y = std::min(reach, (last.y - first.y) / 4);
  Grip grip{at.x<first.x + reach_x, at.y<first.y + reach_y, at.x> last.x - reach_x, at.y> last.y - reach_y};
  return grip.any() ? grip : Grip{true, true, true, true};
}

std::optional<PixelBox> RectangleTool::update(const View& view, std::optional<PixelBox> current, const MouseInput& mouse,
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

}  // namespace app::ui
