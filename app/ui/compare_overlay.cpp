// What a comparison shows, over the picture: the line of the wipe with its handle, and the name of each side beside it; or
// both names above a difference.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/control/comparison.h"
#include "app/pipeline/side_labels.h"
#include "app/ui/place_beside.h"
#include "app/ui/theme.h"
#include "app/ui/ui.h"

namespace app::ui {
namespace {

constexpr ImU32 shadow = IM_COL32(0, 0, 0, 140), background = IM_COL32(0, 0, 0, 208), bright = IM_COL32(255, 255, 255, 255);

struct Label {
  explicit Label(const std::string& text)
      : text(text), pad(std::round(ImGui::GetFontSize() * 0.35f)), size(ImGui::CalcTextSize(text.c_str())) {
    size = {size.x + 2 * pad, size.y + pad};
  }
  void draw(ImDrawList& draw, float x, float y) const {
    const ImVec2 at(std::round(x), std::round(y));
    draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, background, 3);
    draw.AddText({at.x + pad, at.y + std::round(pad / 2)}, bright, text.c_str());
  }

  std::string text;
  float pad;
  ImVec2 size;
};

struct Seen {
  explicit Seen(const Area& area)
      : left(static_cast<float>(area.x)),
        top(static_cast<float>(area.y)),
        right(static_cast<float>(area.x + area.width)),
        bottom(static_cast<float>(area.y + area.height)) {}
  float left, top, right, bottom;
};

float handle_radius() { return std::round(ImGui::GetFontSize() * 0.8f); }

// In the middle of what is seen of the line.
Rect place_of_handle(const Seen& seen, float line) {
  const auto half = handle_radius() + 2;
  return {line - half, std::round((seen.top + seen.bottom) / 2) - half, 2 * half, 2 * half};
}

// Two arrows on a disc.
void draw_handle(ImDrawList& draw, const Rect& place) {
  const float x = place.x + place.width / 2, y = place.y + place.height / 2;
  const float radius = handle_radius(), tip = radius * 0.7f, root = radius * 0.25f, half = radius * 0.38f;
  draw.AddCircleFilled({x, y}, radius + 1.5f, shadow);
  draw.AddCircleFilled({x, y}, radius, bright);
  for (const float side : {-1.f, 1.f}) {
    const ImVec2 point(x + side * tip, y), up(x + side * root, y - half), down(x + side * root, y + half);
    draw.AddTriangleFilled(point, side < 0 ? up : down, side < 0 ? down : up, colour::rgb(0x202428));
  }
}

// The part of it between `left` and `right`.
Rect part(const Seen& seen, float left, float right) { return {left, seen.top, right - left, seen.bottom - seen.top}; }

std::vector<Rect> joined(std::span<const Rect> some, std::span<const Rect> more) {
  std::vector<Rect> all(some.begin(), some.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Where names are put: of the picture, and of all that its panel has.
struct Room {
  Seen seen, panel;
  std::span<const Rect> numbers;

  // Between `left` and `right`: beside the numbers of cells, else beside the picture; where neither has room, over the numbers.
  Rect place_of(const Rect& wanted, float left, float right, std::span<const Rect> taken) const {
    const auto side = part(seen, std::max(left, seen.left), std::min(right, seen.right));
    const auto usual = free_place(side, wanted, taken);
    if (numbers.empty()) return usual;
    const auto picture = part(seen, seen.left, seen.right);
    for (const auto& [area, others] :
         {std::pair(side, joined(taken, numbers)), std::pair(part(panel, left, right), joined(taken, {&picture, 1}))})
      if (const auto place = free_place(area, wanted, others); !overlaps(place, others)) return place;
    return usual;
  }
};

// Names stay in sight while their side does, beside what is taken, and are left out where they do not fit.
std::vector<Rect> draw_wipe(ImDrawList& draw, const Room& room, float line, const Selection& comparison,
                            std::span<const Rect> taken) {
  const auto& seen = room.seen;
  const float width = std::max(1.f, std::round(ImGui::GetFontSize() / 12)), gap = std::round(ImGui::GetFontSize() * 0.4f);
  std::vector<Rect> occupied(taken.begin(), taken.end());
  if (line >= seen.left && line <= seen.right) {
    draw.PushClipRect({seen.left, seen.top}, {seen.right, seen.bottom});
    draw.AddRectFilled({line - width, seen.top}, {line + 2 * width, seen.bottom}, shadow);
    draw.AddRectFilled({line, seen.top}, {line + width, seen.bottom}, bright);
    occupied.push_back(place_of_handle(seen, line));
    draw_handle(draw, occupied.back());
    draw.PopClipRect();
  }
  std::vector<Rect> names;
  const auto name = [&](const Label& label, float left, float right, float x) {
    if (label.size.x > std::min(right, seen.right) - std::max(left, seen.left)) return;
    const auto place = room.place_of({x, seen.top + gap, label.size.x, label.size.y}, left, right, occupied);
    if (overlaps(place, occupied)) return;
    label.draw(draw, place.x, place.y);
    names.push_back(place);
  };
  const Label a(title_of_side(comparison.sides[0].name)), b(title_of_side(comparison.sides[1].name));
  const float a_right = std::min(line, seen.right) - gap, b_left = std::max(line, seen.left) + gap;
  name(a, room.panel.left, a_right, a_right - a.size.x);
  name(b, b_left, room.panel.right, b_left);
  return names;
}

float line_on_screen(const View& view, gpu::Composition composition, double wipe) {
  composition.wipe = wipe;
  return static_cast<float>(view.image_to_screen({static_cast<double>(composition.edge(view.image.width)), 0}).x);
}

// The names are one block.
std::vector<Rect> draw_difference(ImDrawList& draw, const Room& room, const Selection& comparison,
                                  std::span<const Rect> taken) {
  const float gap = std::round(ImGui::GetFontSize() * 0.4f), between = std::round(gap / 2);
  const Label labels[] = {Label(difference_name(comparison.composition.amplification)),
                          Label("A  " + title_of_side(comparison.sides[0].name)),
                          Label("B  " + title_of_side(comparison.sides[1].name))};
  Rect wanted{room.seen.left + gap, room.seen.top + gap, 0, -between};
  for (const auto& label : labels) {
    wanted.width = std::max(wanted.width, label.size.x);
    wanted.height += label.size.y + between;
  }
  const auto place = room.place_of(wanted, room.panel.left, room.panel.right, taken);
  auto y = place.y;
  for (const auto& label : labels) {
    label.draw(draw, place.x, y);
    y += label.size.y + between;
  }
  return {place};
}

}  // namespace

std::vector<Rect> draw_comparison(const View& view, const Selection& in_use, double wipe, std::span<const Rect> taken,
                                  std::span<const Rect> numbers) {
  if (in_use.sides.empty()) return {};
  const auto visible = view.visible();
  if (visible.width <= 0 || visible.height <= 0) return {};
  const Room room{Seen(visible), Seen(view.area), numbers};
  auto& draw = *ImGui::GetBackgroundDrawList();
  draw.PushClipRect({room.panel.left, room.panel.top}, {room.panel.right, room.panel.bottom});
  auto names = in_use.composition.mode == gpu::Composition::Mode::wipe
                   ? draw_wipe(draw, room, line_on_screen(view, in_use.composition, wipe), in_use, taken)
                   : draw_difference(draw, room, in_use, taken);
  draw.PopClipRect();
  return names;
}

std::optional<Rect> wipe_handle(const View& view, const Selection& in_use, double wipe) {
  const auto visible = view.visible();
  if (in_use.sides.empty() || in_use.composition.mode != gpu::Composition::Mode::wipe || visible.width <= 0) return {};
  const Seen seen(visible);
  const auto line = line_on_screen(view, in_use.composition, wipe);
  return line >= seen.left && line <= seen.right ? std::optional(place_of_handle(seen, line)) : std::nullopt;
}

}  // namespace app::ui
