#include "app/ui/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/ui/ui.h"

namespace app::ui {

namespace {

// The dock's own width: what its tab needs of a usual window; the user's has wider limits, and leaves a part to the picture.
float dock_width(const Settings& settings, float window, float scale) {
  if (settings.dock_width > 0)
    return std::round(
        std::clamp(static_cast<float>(settings.dock_width) * scale, std::min(280 * scale, window * 0.7f), window * 0.7f));
  const bool wide = settings.dock == Dock::race || settings.dock == Dock::study;
  constexpr float usual_window = 1280;
  return std::round(window * (wide ? 600 : 540) / usual_window);
}

}  // namespace

bool is_narrow(float width, float scale) { return width < 1000 * scale; }

// Bar and strip at the top, the row at the bottom; between them the picture, and the dock at its right. In a narrow window the
// dock takes the lower half of the picture's place.
Layout layout(const Settings& settings, int width, int height, float scale) {
  const auto w = static_cast<float>(std::max(width, 1)), h = static_cast<float>(std::max(height, 1));
  Layout all;
  all.picture = {0, 0, w, h};
  if (settings.presentation) {
    all.picture = place_in_presentation(w, h, scale);
    return all;
  }
  if (!settings.panels) return all;
  const auto bar = std::min(std::round(44 * scale), h / 6), strip = std::min(std::round(38 * scale), h / 6);
  const auto row = std::min(std::round(34 * scale), h / 8);
  all.bar = {0, 0, w, bar};
  all.strip = {0, bar, w, strip};
  all.picture = {0, bar + strip, w, h - bar - strip - row};
  all.row = {0, h - row, w, row};
  if (!settings.dock_open) return all;
  const auto& place = all.picture;
  if (is_narrow(w, scale)) {
    const auto half = std::round(place.height / 2);
    all.dock = {0, place.y + half, w, place.height - half};
    all.picture.height = half;
  } else {
    const auto dock = dock_width(settings, w, scale);
    all.dock = {w - dock, place.y, dock, place.height};
    all.picture.width = w - dock;
  }
  return all;
}

// Scales go in quarters, so that a window whose border is dragged has few sizes of text.
double most_scale(int width, int height, double display_scale) {
  constexpr double least_width = 520, least_height = 400;  // at scale 1, for the panels and a matrix beside them
  const auto most = std::floor(std::min(width / least_width, height / least_height) * 4) / 4;
  return std::max(most, display_scale);
}

namespace {

constexpr int steps = 48;  // tried across and along the area

float covered(const Rect& a, const Rect& b) {
  const auto width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const auto height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(0.f, width) * std::max(0.f, height);
}

Rect kept_inside(const Rect& area, Rect rect) {
  rect.x = std::round(std::max(area.x, std::min(rect.x, area.x + area.width - rect.width)));
  rect.y = std::round(std::max(area.y, std::min(rect.y, area.y + area.height - rect.height)));
  return rect;
}

}  // namespace

NotePlace place_beside(const Rect& area, float width, float height, const Rect& box, std::span<const Rect> taken,
                       float gap) {
  const auto room_x = std::max(0.f, area.width - width), room_y = std::max(0.f, area.height - height);
  const Rect wide{box.x - gap, box.y - gap, box.width + 2 * gap, box.height + 2 * gap};
  const auto middle_x = box.x + (box.width - width) / 2, middle_y = box.y + (box.height - height) / 2;
  NotePlace best{area.x, area.y, 0};
  auto least = std::numeric_limits<float>::max();
  const auto attempt = [&](float x, float y) {
    const Rect here{std::round(area.x + std::clamp(x - area.x, 0.f, room_x)),
                    std::round(area.y + std::clamp(y - area.y, 0.f, room_y)), width, height};
    auto covers = covered(here, wide);
    for (const auto& other : taken) covers += 2 * covered(here, other);
    constexpr float per_pixel_covered = 100;  // far more than being farther away
    const auto cost = covers * per_pixel_covered + std::abs(here.x - middle_x) + std::abs(here.y - middle_y);
    if (cost < least) best = {here.x, here.y, covers}, least = cost;
  };
  for (int x = 0; x <= steps; ++x)
    for (int y = 0; y <= steps; ++y)
      attempt(area.x + room_x * static_cast<float>(x) / steps, area.y + room_y * static_cast<float>(y) / steps);
  // Right beside the middle of an edge, which the steps would only come near.
  attempt(box.x + box.width + gap, middle_y);
  attempt(box.x - gap - width, middle_y);
  attempt(middle_x, box.y + box.height + gap);
  attempt(middle_x, box.y - gap - height);
  return best;
}

bool overlaps(const Rect& rect, std::span<const Rect> others) {
  return std::ranges::any_of(others, [&](const Rect& other) {
    return rect.x < other.x + other.width && other.x < rect.x + rect.width && rect.y < other.y + other.height &&
           other.y < rect.y + rect.height;
  });
}

Rect free_place(const Rect& area, const Rect& wanted, std::span<const Rect> taken) {
  const auto first = kept_inside(area, wanted);
  if (!overlaps(first, taken)) return first;
  constexpr float gap = 2;
  auto best = first;
  auto least = std::numeric_limits<float>::max();
  const auto attempt = [&](float x, float y) {
    const auto here = kept_inside(area, {x, y, wanted.width, wanted.height});
    const auto distance = std::hypot(here.x - first.x, here.y - first.y);
    if (distance < least && !overlaps(here, taken)) best = here, least = distance;
  };
  for (const auto& other : taken) {
    attempt(other.x - gap - wanted.width, first.y);
    attempt(other.x + other.width + gap, first.y);
    attempt(first.x, other.y - gap - wanted.height);
    attempt(first.x, other.y + other.height + gap);
  }
  if (!overlaps(best, taken)) return best;
  for (const auto& beside : taken)
    for (const auto& above : taken)
      for (const float x : {beside.x - gap - wanted.width, beside.x + beside.width + gap})
        for (const float y : {above.y - gap - wanted.height, above.y + above.height + gap}) attempt(x, y);
  return best;
}

}  // namespace app::ui
