#include "app/gl/view.h"

#include <algorithm>
#include <cmath>

namespace app {

double View::fit_scale() const {
  if (image.width < 1 || image.height < 1) return 1;
  const double whole = std::min(area.width / image.width, area.height / image.height);
  return std::clamp(whole, 1.0 / std::min(image.width, image.height), largest_scale);
}

double View::scale() const { return zoom > 0 ? zoom : fit_scale(); }

Point View::exact_origin() const {
  return {area.x + area.width / 2 - centre.x * image.width * scale(),
          area.y + area.height / 2 - centre.y * image.height * scale()};
}

Point View::origin() const {
  const Point exact = exact_origin();
  return {std::round(exact.x), std::round(exact.y)};
}

void View::zoom_at(Point cursor, double factor) {
  if (image.width < 1 || image.height < 1 || !(factor > 0)) return;
  const double before = scale();
  const Point corner = exact_origin();
  const Point under{(cursor.x - corner.x) / before, (cursor.y - corner.y) / before};
  zoom = std::clamp(before * factor, std::min(fit_scale(), 1.0) / 4, largest_scale);
  centre = {std::clamp((under.x + (area.x + area.width / 2 - cursor.x) / zoom) / image.width, 0.0, 1.0),
            std::clamp((under.y + (area.y + area.height / 2 - cursor.y) / zoom) / image.height, 0.0, 1.0)};
}

void View::pan(double dx, double dy) {
  if (image.width < 1 || image.height < 1) return;
  zoom = scale();  // from now on placed by hand
  centre = {std::clamp(centre.x - dx / (image.width * zoom), 0.0, 1.0),
            std::clamp(centre.y - dy / (image.height * zoom), 0.0, 1.0)};
}

Point View::image_to_screen(Point image_point) const {
  const Point corner = origin();
  return {corner.x + image_point.x * scale(), corner.y + image_point.y * scale()};
}

Point View::screen_to_image(Point screen_point) const {
  const Point corner = origin();
  return {(screen_point.x - corner.x) / scale(), (screen_point.y - corner.y) / scale()};
}

std::optional<PixelPosition> View::pixel_at(Point cursor) const {
  const bool in_area = cursor.x >= area.x && cursor.y >= area.y && cursor.x < area.x + area.width &&
                       cursor.y < area.y + area.height;
  const Point point = screen_to_image(cursor);
  const PixelPosition pixel{static_cast<int>(std::floor(point.x)), static_cast<int>(std::floor(point.y))};
  if (!in_area || pixel.x < 0 || pixel.y < 0 || pixel.x >= image.width || pixel.y >= image.height) return std::nullopt;
  return pixel;
}

Area View::visible() const {
  const Point first = image_to_screen({0, 0});
  const Point last = image_to_screen({static_cast<double>(image.width), static_cast<double>(image.height)});
  const double left = std::max(first.x, area.x), top = std::max(first.y, area.y);
  return {left, top, std::max(0.0, std::min(last.x, area.x + area.width) - left),
          std::max(0.0, std::min(last.y, area.y + area.height) - top)};
}

}  // namespace app
