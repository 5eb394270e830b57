#include <algorithm>
#include <cmath>

#include "app/ui/ui.h"

namespace app::ui {

// Bar at the top, status line at the bottom, choices at the left, the transport and the costs below the picture; the picture
// has the rest. In a window that is small for its text the frame graph gives way to the dock. The simple layout has the choices
// and the picture.
Layout layout(const Settings& settings, int width, int height, float scale) {
  const auto w = static_cast<float>(std::max(width, 1)), h = static_cast<float>(std::max(height, 1));
  Layout all;
  if (!settings.panels) {
    all.picture = {0, 0, w, h};
    return all;
  }
  // What the user chose has wider limits than what the window's size chooses; the picture always keeps a part.
  const auto chosen = [scale](int size, float automatic, float least, float most) {
    return std::round(size > 0 ? std::clamp(static_cast<float>(size) * scale, std::min(least, most), most) : automatic);
  };
  const auto left = chosen(settings.left_width, std::clamp(w * 0.25f, std::min(270 * scale, w * 0.45f), 360 * scale),
                           200 * scale, w * 0.6f);
  if (settings.simple) {
    all.left = {0, 0, left, h};
    all.picture = {left, 0, w - left, h};
    return all;
  }
  const auto bar = std::min(std::round(40 * scale), h / 4), status = std::min(std::round(26 * scale), h / 8);
  const auto middle = h - bar - status;
  const auto open = chosen(settings.dock_height,
                           std::clamp(middle * 0.31f, std::min(160 * scale, middle * 0.35f), 320 * scale), 100 * scale,
                           middle * 0.7f);
  const auto dock = settings.dock_open ? open : 0;
  const auto right = w - left;
  const auto transport = std::min(std::round(32 * scale), h / 10);
  const bool with_graph = right * 0.36f >= 185 * scale;  // its first two lines are that wide
  const auto dock_width = with_graph ? std::round(right * 0.64f) : right;

  all.bar = {0, 0, w, bar};
  all.left = {0, bar, left, middle};
  all.picture = {left, bar, right, middle - dock - transport};
  all.transport = {left, bar + middle - dock - transport, right, transport};
  if (settings.dock_open) {
    all.dock = {left, bar + middle - dock, dock_width, dock};
    all.graph = {left + dock_width, bar + middle - dock, right - dock_width, dock};
  }
  all.status = {0, h - status, w, status};
  return all;
}

// Scales go in quarters, so that a window whose border is dragged has few sizes of text.
double most_scale(int width, int height, double display_scale) {
  constexpr double least_width = 520, least_height = 400;  // at scale 1, for the panels and a matrix beside them
  const auto most = std::floor(std::min(width / least_width, height / least_height) * 4) / 4;
  return std::max(most, display_scale);
}

}  // namespace app::ui
