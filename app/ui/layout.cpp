#include "app/ui/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/ui/ui.h"

namespace app::ui {

namespace {

// The dock's own width: what its widest tab needs of a usual window. With one width for all, a tab stays under the mouse that
// chooses it. The user's has wider limits, and leaves a part to the picture.
float dock_width(const Settings& settings, float window, float scale) {
  if (settings.dock_width > 0)
    return std::round(
        std::clamp(static_cast<float>(settings.dock_width) * scale, std::min(280 * scale, window * 0.7f), window * 0.7f));
  constexpr float usual_window = 1280, usual_width = 600;
  return std::round(window * usual_width / usual_window);
}

}  // namespace

bool is_narrow(float width, float scale) { return width < 1000 * scale; }

// Bar and strip at the top, the playback bar at the bottom; between them the picture, and the dock at its right. In a narrow
// window the dock takes the lower part of the picture's place: what its tabs need for a few rows below their sentences.
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
  const auto playback = std::min(std::round(34 * scale), h / 8);
  all.bar = {0, 0, w, bar};
  all.strip = {0, bar, w, strip};
  all.picture = {0, bar + strip, w, h - bar - strip - playback};
  all.playback = {0, h - playback, w, playback};
  if (!settings.dock_open) return all;
  const auto& place = all.picture;
  if (is_narrow(w, scale)) {
    const auto kept = std::round(place.height * 0.4f);
    all.dock = {0, place.y + kept, w, place.height - kept};
    all.picture.height = kept;
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

struct Avoided {
  Rect rect;
  float weight;  // of what is covered of it
};

// The place that covers least, and of such the nearest to the wanted one: at that, or beside an edge of what is avoided.
NotePlace best_place(const Rect& area, const Rect& wanted, std::span<const Avoided> all) {
  const auto first = kept_inside(area, wanted);
  NotePlace best;
  auto least = std::numeric_limits<float>::max();
  const auto attempt = [&](float x, float y) {
    const auto here = kept_inside(area, {x, y, wanted.width, wanted.height});
    float covers = 0;
    for (const auto& [rect, weight] : all) covers += weight * covered(here, rect);
    constexpr float per_pixel_covered = 100;  // far more than being farther away
    const auto cost = covers * per_pixel_covered + std::hypot(here.x - first.x, here.y - first.y);
    if (cost < least) best = {here.x, here.y, covers}, least = cost;
  };
  attempt(first.x, first.y);
  if (best.covers == 0) return best;
  std::vector<float> across{first.x}, along{first.y};
  for (const auto& [rect, weight] : all) {
    across.insert(across.end(), {std::ceil(rect.x + rect.width), std::floor(rect.x - wanted.width)});
    along.insert(along.end(), {std::ceil(rect.y + rect.height), std::floor(rect.y - wanted.height)});
  }
  for (const auto x : across)
    for (const auto y : along) attempt(x, y);
  return best;
}

}  // namespace

NotePlace place_beside(const Rect& area, float width, float height, const Rect& box, std::span<const Rect> taken,
                       float gap) {
  std::vector<Avoided> all{{grown(box, gap), 1}};
  for (const auto& other : taken) all.push_back({other, 2});
  return best_place(area, {box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height}, all);
}

bool overlaps(const Rect& rect, std::span<const Rect> others) {
  return std::ranges::any_of(others, [&](const Rect& other) { return covered(rect, other) > 0; });
}

Rect free_place(const Rect& area, const Rect& wanted, std::span<const Rect> taken) {
  if (const auto first = kept_inside(area, wanted); !overlaps(first, taken)) return first;
  std::vector<Avoided> all;
  for (const auto& other : taken) all.push_back({grown(other, 2), 1});
  const auto place = best_place(area, wanted, all);
  return {place.x, place.y, wanted.width, wanted.height};
}

}  // namespace app::ui
