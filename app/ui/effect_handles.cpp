#include "app/ui/effect_handles.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/effect.h"

namespace app::ui {
namespace {

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

std::vector<Rect> draw_handles(const View& view, const gpu::Placement& placement, const Area& area, float scale) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect({static_cast<float>(area.x), static_cast<float>(area.y)},
                    {static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height)});
  auto handles = draw_handles(draw, on_screen(view, box_of(placement)), std::round(3.5f * scale) + 1);
  draw.PopClipRect();
  return handles;
}

gpu::Placement HandleDrag::at(const View& view, Point cursor, gpu::Size frame) const {
  const auto scale = view.scale();
  return dragged(start_, grip_, (cursor.x - from_.x) / scale, (cursor.y - from_.y) / scale, frame);
}

}  // namespace app::ui
